import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const client = pathToFileURL(join(import.meta.dirname, '../../dist/model/event-loop-client.js')).href

test('a process whose only work holds no handle goes on until it is done', () => {
  // Without the hold Node ends here with exit code 13, as an unreferenced timer keeps nothing alive.
  const script = `const { keptAlive } = await import('${client}')
    console.log(await keptAlive(new Promise((resolve) => { setTimeout(() => { resolve('done') }, 200).unref() })))`
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe('done\n')
})
