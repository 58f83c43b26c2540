import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openReplayInput } from '../../src/simulation/replay-input.js'
import { readEvents } from '../../src/day/tick-day.js'
import { backtape } from '../support/command.ts'
import { madeTar } from '../support/made-archives.ts'
import { marketFile } from '../support/made-market-file.ts'
import { RunFolder } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

const NAME = 'test-TEST1-2026-07-01.txt.zst'
const bytes = marketFile([{ kind: 'snapshot', timeNs: 1e9, rows: [[0, 980, 50], [1, 1020, 50]] }])
const day = join(folder.path, NAME)
writeFileSync(day, bytes)
const bundle = join(folder.path, 'range.tar')
const linked = join(folder.path, 'linked')
symlinkSync(folder.path, linked)
const copy = join(folder.path, 'copy', NAME)
mkdirSync(join(folder.path, 'copy'))
copyFileSync(day, copy)
writeFileSync(bundle, await madeTar([{ name: NAME, content: bytes }, { name: 'test-TEST1-2026-07-02.txt.zst', content: bytes }]))

/** What is given, and how the file is named that is there twice. */
const TWICE: readonly (readonly [string, readonly string[], string])[] = [
  ['the same path', [day, day], day],
  ['another spelling', [day, join(folder.path, '.', 'copy', '..') + `/./${NAME}`], `/./${NAME}`],
  ['a relative path', [day, relative(process.cwd(), day)], relative(process.cwd(), day)],
  ['a link', [day, join(linked, NAME)], join(linked, NAME)],
  ['a member of a bundle', [`${bundle}#${NAME}`, `${bundle}#${NAME}`], `${bundle}#${NAME}`],
  ['a member, then its bundle', [`${bundle}#${NAME}`, bundle], `${bundle}#${NAME}`],
  ['a bundle, then its member', [bundle, `${join(linked, basename(bundle))}#${NAME}`], `${join(linked, basename(bundle))}#${NAME}`],
]

describe.concurrent.each(TWICE)('%s: X is named twice', { timeout: 180_000 }, (what, files, name) => {
  const sentence = `${name} is named twice`

  test.each(['audit', 'events', 'info'])('%s', async (command) => {
    const { code, out, err } = await backtape([command, ...files])
    expect(out + err).toContain(sentence)
    expect(code).not.toBe(0)
  })

  test('convert', async () => {
    const { code, out, err } = await backtape(['convert', ...files, '--out', join(folder.path, 'out', what)])
    expect(out + err).toContain(sentence)
    expect(out + err).not.toContain('same base name')
    expect(code).toBe(1)
  })

  test('a run and readEvents', async () => {
    await expect(openReplayInput(files)).rejects.toThrow(sentence)
    await expect(readEvents(files).next()).rejects.toThrow(sentence)
  })
})

test('other files of one base name stay what they are: the converter would write one name twice', { timeout: 180_000 }, async () => {
  const { out, err } = await backtape(['convert', day, copy, '--out', join(folder.path, 'out', 'copies')])
  expect(out + err).toContain('another input has the same base name')
  expect(out + err).not.toContain('named twice')
})

test('the members of a bundle that are named once are converted all the same', { timeout: 180_000 }, async () => {
  const { out } = await backtape(['convert', `${bundle}#${NAME}`, bundle, '--out', join(folder.path, 'out', 'rest')])
  expect(out).toContain('1 of 3')
  expect(out).toMatch(/test-TEST1-2026-07-02\.txt\.zst: .*/)
})
