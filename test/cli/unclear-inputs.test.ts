import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tar from 'tar-stream'
import { afterAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.js'
import { dayBytes, masterData, time, type Line } from '../support/hand-made-day.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-unclear-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const fileOf = (name: string, bytes: Uint8Array | string): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

const LINES: Line[] = Array.from({ length: 20_000 }, (_, i): Line => [1, String(i), String(i + 1), time('12:00:03') + BigInt(i) * 7_919_993n, 0, [[i % 2, String(98 + i * 7919 % 1000), String(i * 31 + 1), 1]]])
const whole = dayBytes(masterData({}), LINES)
const day = fileOf('made-HAND-2026-07-01.txt.zst', whole)
const cut = fileOf('made-CUT-2026-07-01.txt.zst', whole.subarray(0, Math.floor(whole.length * 0.9)))
const unpacked = fileOf('made-GZ-2026-07-01.txt.gz', gzipSync('text'))
const text = fileOf('made-TEXT.txt', 'hello, world\n')
const random = fileOf('made-RANDOM.txt.zst', Uint8Array.of(1, 2, 3, 250, 9, 9))

async function tarOf(name: string, names: readonly string[]): Promise<string> {
  const pack = tar.pack()
  for (const member of names) pack.entry({ name: member }, Buffer.from(whole))
  pack.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of pack) chunks.push(chunk as Uint8Array)
  return fileOf(name, Buffer.concat(chunks))
}
const small = await tarOf('small.tar', ['a-2026-07-01.txt.zst', 'b-2026-07-01.txt.zst'])
const large = await tarOf('large.tar', ['BTC', 'BTCUSDT', 'ETH', 'ETHUSDT', 'XRP', 'XRPUSDT'].map((code) => `${code}-2026-07-01.txt.zst`))
const runFile = (content: string): string => fileOf('some.run.json', content)

describe('unclear inputs get a sentence that says what to do', () => {
  test.each<[name: string, args: () => string[], words: string[]]>([
    ['a cut download', () => ['events', cut], ['the file ends inside its last frame: download it again; ', ' events before the cut are readable with --on-damage skip']],
    ['gzip', () => ['info', unpacked], ['found gzip', 'unpack it first']],
    ['text', () => ['info', text], ['found text', 'compress it with zstd']],
    ['random bytes', () => ['info', random], ['found bytes 01 02 03 fa', 'it is no tick file: check where it came from']],
    ['a folder for one file', () => ['book', folder, '--at', '12:00'], ['it is a folder; name the files in it, as in ', '/*.zst']],
    ['an address', () => ['info', 'https://shop.example/a.txt.zst'], ['it is an address (https), and only files are read; download it first']],
    ['an address of a bucket', () => ['convert', 's3://bucket/a.txt.zst', '--out', join(folder, 'o')], ['it is an address (s3)', 'download it first']],
    ['a time of another year', () => ['book', day, '--at', '2024-07-18T12:00:00Z'], ['the file is of 2026-07-01']],
    ['a wrong day', () => ['convert', day, '--out', join(folder, 'wrong'), '--day', '2026-07-05'], ['failed. Cannot read: it has an event of 2026-07-01T12:00:03', 'its name or an option says 2026-07-05; correct the day there']],
    ['a member of a small bundle', () => ['info', `${small}#nope`], ['its members are a-2026-07-01.txt.zst, b-2026-07-01.txt.zst']],
    ['a member of a large bundle', () => ['info', `${large}#BTCUSD-2026-07-01.txt.zst`], ['the nearest of its 6 are BTCUSDT-2026-07-01.txt.zst']],
    ['a command that resembles nothing', () => ['zzzz', day], ['there is no such command; it must be one of info, audit, events']],
    ['a kind that resembles nothing', () => ['events', day, '--kind', 'xyz'], ['must be one of snapshot, update', 'found "xyz"\n']],
    ['a tick file for a run file', () => ['backtest', day], ['this is a tick file, and a run file names it under data']],
    ['a module for a run file', () => ['backtest', fileOf('maker.ts', 'export class Maker {}')], ['this is a module; a run file names it under strategy']],
    ['a folder for a run file', () => ['backtest', folder], ['Cannot read the run file ', ': it is a folder; name the file in it\n']],
    ['a run file for a tick file', () => ['info', runFile('{}')], ['found plain text (JSON)', 'compress it with zstd, if it is a tick file']],
    ['JSON that does not parse', () => ['backtest', runFile('{\n  "strategy" "./a.ts#A"\n}')], ['expected a colon, found "./a.ts#A" at line 2, column 14']],
    ['a duration with a space', () => ['book', day, '--every', '10 ms'], ['write 10ms']],
  ])('%s', async (_name, args, words) => {
    const { code, err, out } = await backtape(args())
    for (const word of words) expect(err + out).toContain(word)
    expect(err).not.toContain('did you mean')
    expect(err).not.toMatch(/\n\s+at /)
    expect(code).toBeGreaterThan(0)
  })

  test('the sentence of a cut download is true', async () => {
    const [refused, read] = await Promise.all([backtape(['events', cut]), backtape(['events', cut, '--on-damage', 'skip'])])
    const count = Number(/(\d+) events before the cut/.exec(refused.err)?.[1])
    expect(count).toBeGreaterThan(1000)
    expect(read.code).toBe(0)
    expect(read.out.split('\n').length - 1).toBe(count)
    expect((await backtape(['audit', cut])).code).toBe(1)
  })
})
