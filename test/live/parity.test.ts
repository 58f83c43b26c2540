import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { backtestLines, liveLines, WIRES } from '../support/live-parity.js'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const runs = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => join(EXAMPLES, name, `${name}.run.json`))

test.each(runs.map((path, at) => [path, WIRES[at % WIRES.length]!] as const))('%s over sockets does what it does in a backtest', { timeout: 600_000 }, async (path, wire) => {
  const { options } = await readRunFile(path)
  const expected = await backtestLines(options)
  const { lines } = await liveLines(options, wire)
  expect(lines.length).toBeGreaterThan(10)
  // The first difference alone: both are thousands of lines.
  const at = expected.findIndex((line, index) => line !== lines[index])
  expect([at, lines[at]]).toEqual([at, expected[at]])
  expect(lines.length).toBe(expected.length)
})
