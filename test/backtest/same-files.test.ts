import { expect, test } from 'vitest'
import { SameFiles } from '../../src/backtest/same-files.js'
import type { CanonicalValue } from '../../src/model/canonical-json.js'
import { fakeEntry } from '../support/fake-market.js'

const directory = { entries: [fakeEntry()], get: () => fakeEntry() }
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)]
const world = (files: readonly string[], more: object = {}): CanonicalValue => ({
  accounts: [{ profile: { name: 'mine' } }], parameters: { size: String(files.length) }, warmUp: [files.length],
  inputs: [{ instrumentId: 1, days: ['2026-07-01', '2026-07-02'], files }], ...more,
})

test.each<[what: string, worlds: readonly CanonicalValue[], refused: RegExp | null]>([
  ['the same files, each with its parameters', [world([A, B]), world([A, B], { parameters: { size: '9' }, warmUp: [] })], null],
  ['a world that asked for nothing', [world([A]), world([], { inputs: [] }), world([A])], null],
  ['one that was stopped before the end of a file', [world([A, 'not read to its end']), world([A, B])], null],
  ['another file', [world([A, B]), world([A, A])], /the file of \S+ 2026-07-02 changed between two passes/],
  ['another file behind one that was stopped', [world([A]), world(['not read to its end']), world([B])], /2026-07-01 changed/],
  ['another profile', [world([A]), world([A], { accounts: [{ profile: { name: 'other' } }] })], /a venue profile, a recording of latencies or a signal changed/],
])('%s', (_, worlds, refused) => {
  const files = new SameFiles()
  const check = (): void => { for (const one of worlds) files.check(one, directory) }
  if (refused === null) check()
  else expect(check).toThrow(refused)
})
