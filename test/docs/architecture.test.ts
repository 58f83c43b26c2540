import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('ARCHITECTURE.md has at most 60 lines', () => {
  const text = readFileSync(fileURLToPath(new URL('../../ARCHITECTURE.md', import.meta.url)), 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
})
