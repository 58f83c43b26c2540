import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isoFromEpochNs } from '../../src/model/time.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readQuickLook } from '../../src/tickfile/quick-look-reader.js'
import { backtape } from '../support/command.js'
import { datasetsFolder } from '../support/datasets-folder.js'
import { dayText, masterData, storedFrame, time, type Line } from '../support/hand-made-day.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-quick-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (second: number): bigint => time('12:00:00') + BigInt(second) * 1_000_000_000n
const lines = (count: number): Line[] =>
  Array.from({ length: count }, (_, i): Line => [2, String(i), String(i + 1), at(i), 0, [[0, '101', '1', `id-${String(i)}`, 0]]])
const textOf = (count: number): string => dayText(masterData({}), lines(count))

/** A file of frames, each given by its text. */
function fileOf(name: string, ...frames: readonly (string | Uint8Array)[]): string {
  const path = join(folder, `made-${name}-2026-07-01.txt.zst`)
  writeFileSync(path, Buffer.concat(frames.map((one) => (typeof one === 'string' ? storedFrame(new TextEncoder().encode(one)) : one))))
  return path
}

/** The text cut into parts of so many characters, wherever a line stands. */
function parts(text: string, ...ends: readonly number[]): string[] {
  return [0, ...ends].map((begin, part) => text.slice(begin, ends[part] ?? text.length))
}

const LONG = textOf(20_000)
const LAST = isoFromEpochNs(at(19_999))
const SKIPPED = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3)

describe('a quick look', () => {
  test.each<readonly [what: string, path: string, first: string | null, last: string | null, frames: number, textBytes: number]>([
    ['has both ends of a small file', fileOf('SMALL', textOf(3)), isoFromEpochNs(at(0)), isoFromEpochNs(at(2)), 1, textOf(3).length],
    ['has no event where there is none', fileOf('NONE', textOf(0)), null, null, 1, textOf(0).length],
    ['leaves a large last frame', fileOf('LARGE', LONG), isoFromEpochNs(at(0)), null, 1, LONG.length],
    ['has the last event of a small last frame', fileOf('FRAMES', ...parts(LONG, LONG.length - 999)), isoFromEpochNs(at(0)), LAST, 2, LONG.length],
    ['passes a line that two frames share', fileOf('SHARED', ...parts(LONG, 500_000, LONG.length - 130)), isoFromEpochNs(at(0)), LAST, 3, LONG.length],
    ['knows no last event where the last frame has no whole line', fileOf('HALF', ...parts(LONG, LONG.length - 20)), isoFromEpochNs(at(0)), null, 2, LONG.length],
    ['passes skippable frames', fileOf('SKIPS', SKIPPED, ...parts(LONG, LONG.length - 999), SKIPPED), isoFromEpochNs(at(0)), LAST, 2, LONG.length],
    ['has a first event behind a long first line', fileOf('ABOUT', dayText(masterData({ about: 'x'.repeat(100_000) }), lines(9_000))), isoFromEpochNs(at(0)), null, 1, dayText(masterData({ about: 'x'.repeat(100_000) }), lines(9_000)).length],
  ])('%s', async (_, path, first, last, frameCount, textBytes) => {
    const look = await readQuickLook(await openSource(path), {})
    expect([look.firstTimestampNs, look.lastTimestampNs].map((ns) => (ns === null ? null : isoFromEpochNs(ns)))).toEqual([first, last])
    expect([look.frameCount, look.textBytes]).toEqual([frameCount, textBytes])
  })

  const whole = storedFrame(new TextEncoder().encode(LONG))
  const spoilt = storedFrame(new TextEncoder().encode(textOf(3)))
  spoilt[9] = 0xff
  const spoiltEnd = storedFrame(new TextEncoder().encode(textOf(3)))
  // One byte more than the frame holds.
  spoiltEnd[5] = (spoiltEnd[5] ?? 0) + 1
  const bundle = join(datasetsFolder, 'synthetic_option-BTC-72000-C-2026-07-01..2026-07-02.tar')
  test.each<readonly [what: string, path: string, code: string, words: RegExp]>([
    ['an empty file', fileOf('EMPTY', new Uint8Array(0)), 'FILE_EMPTY|NOT_ZSTD|MASTER_DATA_MALFORMED|ZSTD_TRUNCATED', /made-EMPTY/],
    ['a damaged first frame', fileOf('SPOILT', spoilt), 'ZSTD_DAMAGED|ZSTD_UNSUPPORTED', /made-SPOILT.*at byte/],
    ['a cut file', fileOf('CUT', whole.subarray(0, -7)), 'ZSTD_TRUNCATED', /to its end: the file ends inside its last frame: download it again; without --quick/],
    ['a file cut in the header of a frame', fileOf('HEADER', ...parts(LONG, LONG.length - 999), whole.subarray(0, 7)), 'ZSTD_TRUNCATED', /inside its last frame/],
    ['bytes behind the last frame', fileOf('BEHIND', LONG, new Uint8Array(64)), 'ZSTD_DAMAGED', new RegExp(`there is no frame at byte ${String(whole.length)}`)],
    ['a damaged last frame', fileOf('SPOILTEND', LONG, spoiltEnd), 'ZSTD_CHECKSUM', new RegExp(`the last frame .* begins at byte ${String(whole.length)}: it is damaged`)],
    ['a member of a bundle', `${bundle}#synthetic_option-BTC-72000-C-2026-07-01.txt.zst`, 'OPTION_INVALID', /must be a file of its own on disk, found a member of an archive or a stream; leave out --quick/],
  ])('refuses %s', async (_, path, code, words) => {
    const error = await openSource(path).then((source) => readQuickLook(source, {})).catch((found: unknown) => found) as { readonly code: string, readonly message: string }
    expect(error.code).toMatch(new RegExp(`^(${code})$`))
    expect(error.message).toMatch(words)
  })
})

describe.concurrent('backtape info', { timeout: 180_000 }, () => {
  const path = fileOf('SHOWN', LONG)
  test('--quick names what it did not read', async () => {
    const { code, out, err } = await backtape(['info', '--quick', path])
    expect([code, err]).toEqual([0, ''])
    expect(out.split('\n').slice(4)).toEqual([
      'day          2026-07-01',
      'first event  2026-07-01T12:00:00.000000000Z',
      'last event   not read: the last zstd frame has 1.43 MB',
      'sizes        1.43 MB compressed in 1 zstd frame, 1.43 MB of text',
      'not read     the last event, events by kind, their rows, lines, chain gaps, damage, clock jumps, checksums',
      '',
    ])
  })

  test('--quick --json has the fields of the whole one, or names them', async () => {
    const [quick, whole] = await Promise.all([['--quick'], []].map(async (more) => (
      (JSON.parse((await backtape(['info', '--json', ...more, path])).out) as [Record<string, unknown>])[0])))
    const { notRead, frameCount, ...said } = quick as { readonly notRead: readonly string[], readonly [name: string]: unknown }
    expect(frameCount).toBe(1)
    expect([...new Set([...Object.keys(said), ...notRead])].sort()).toEqual(Object.keys(whole ?? {}).sort())
    for (const [name, value] of Object.entries(said)) if (!notRead.includes(name)) expect([name, value]).toEqual([name, whole?.[name]])
  })

  test('of a kept day says the same, byte for byte', async () => {
    const cache = join(folder, 'cache')
    const day = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
    for (const form of [[], ['--json']]) {
      const plain = await backtape(['info', day, ...form])
      for (let round = 0; round < 2; round++) expect(await backtape(['info', day, ...form, '--cache', cache])).toEqual(plain)
    }
  })
})
