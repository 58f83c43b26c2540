import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('scripts/start.mjs imports what the entries export', async () => {
  const text = readFileSync(join(root, 'scripts/start.mjs'), 'utf8')
  const imports = [...text.matchAll(/const \{([^}]*)\} = await import\('\.\.\/(dist\/(?:index|columns)\.js)'\)/g)]
  expect(imports.length).toBe(2)
  for (const [, names = '', path = ''] of imports) {
    const entry = (await import(join(root, path))) as object
    expect(names.split(',').map((name) => name.trim()).filter((name) => !(name in entry))).toEqual([])
  }
})
