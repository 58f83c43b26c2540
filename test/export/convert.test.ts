import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import type { ConvertProgress } from '../../src/export/convert-options.js'
import { convertFiles } from '../../src/export/convert.js'
import { EXPORT_KINDS } from '../../src/export/export-kind.js'
import { ownOwner } from '../../src/files/leftover-writer.js'
import { block, bytesOf, littleEndian, MAGIC, rawBlock } from '../support/zstd-frames.js'
import { EVERY_KIND, masterLine, resultNames, T0, writeTickFile } from '../support/export-lines.js'
import { newFolder } from '../support/new-folder.ts'
import { repeated } from '../support/repetitions.ts'
import { EXPORT_FORMATS } from '../../src/tables/output-format.js'

const NAME = 'test-ABC-2026-07-01.txt.zst'
const every = (folder: string, name = NAME): Promise<string> => writeTickFile(folder, name, [masterLine(), ...EVERY_KIND])

interface Entry {
  readonly outputs: readonly { readonly file: string | null; readonly metadata?: Readonly<Record<string, string>> }[]
}

/** The first entry of a folder's manifest. */
function manifestEntry(folder: string): Entry | undefined {
  return (JSON.parse(readFileSync(join(folder, 'backtape-manifest.json'), 'utf8')) as { readonly entries: readonly Entry[] }).entries[0]
}

async function parquetColumn(path: string, name: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const rows = (await connection.runAndReadAll(`select "${name}" from read_parquet('${path}')`)).getRows()
  connection.closeSync()
  instance.closeSync()
  return rows.map(([value]) => value)
}

describe('a conversion', () => {
  it.each([...EXPORT_FORMATS, 'shop' as const])('to %s reads back as the source says, in every kind', async (to) => {
    const out = newFolder()
    const result = await convertFiles([await every(newFolder())], { out, to, check: true })
    expect(result.inputs[0]?.error).toBeNull()
    expect(result).toMatchObject({ convertedCount: 1, skippedCount: 0, failedCount: 0, stopped: false })
    expect(result.inputs[0]?.eventCount).toBe(EVERY_KIND.length)
    expect(resultNames(out)).toHaveLength(to === 'shop' ? 5 : 8)
    const rows = Object.fromEntries((result.inputs[0]?.outputs ?? []).map((output) => [output.kind, output.rowCount]))
    if (to !== 'shop') expect(rows).toEqual({ trades: 3, bbo: 3, depth: 5, mark: 2, index: 1, funding: 2, liquidations: 2, states: 2 })
  })

  it('says of a result that was changed since that it is no longer what the manifest says, and writes over it with force alone', async () => {
    const [input, out] = [await every(newFolder()), newFolder()]
    const { inputs } = await convertFiles([input], { out, to: 'parquet' })
    const changed = inputs[0]?.outputs.find(({ kind }) => kind === 'trades')?.path ?? ''
    const whole = readFileSync(changed)
    writeFileSync(changed, whole.subarray(0, 100))
    const again = await convertFiles([input], { out, to: 'parquet' })
    expect(again.inputs[0]?.error).toMatchObject({ code: 'OUTPUT_EXISTS', message: `Cannot write ${changed}: it is no longer what the manifest says; move it away to keep it, or write it again with --force` })
    expect(readFileSync(changed).length).toBe(100)
    expect((await convertFiles([input], { out, to: 'parquet', force: true })).convertedCount).toBe(1)
    expect(readFileSync(changed).equals(whole)).toBe(true)
  })

  it('writes the same bytes again, and bytes that a second call finds done', async () => {
    const input = await every(newFolder())
    const [a, b] = [newFolder(), newFolder()]
    await convertFiles([input], { out: a })
    await convertFiles([input], { out: b })
    for (const name of resultNames(a)) expect(readFileSync(join(a, name)).equals(readFileSync(join(b, name)))).toBe(true)
    expect(await convertFiles([input], { out: a })).toMatchObject({ convertedCount: 0, skippedCount: 1 })
  })

  it('writes CSV that starts with its header: pointed decimals, integer nanoseconds, empty nulls, quoted texts', async () => {
    const out = newFolder()
    await convertFiles([await every(newFolder())], { out, to: 'csv' })
    const lines = (kind: string): string[] => readFileSync(join(out, `test-ABC-2026-07-01.${kind}.csv`), 'utf8').split('\n')
    expect(lines('trades')).toEqual([
      'ts,exchange_ts,side,price,qty,trade_id,trade_ts,event_index,event_id,previous_event_id',
      `${String(T0 + 5n)},${String(T0 + 4n)},BID,100.2,0.5,"a,b",${String(T0 + 4n)},5,18446744073709551615,0`,
      `${String(T0 + 5n)},${String(T0 + 4n)},ASK,100.1,1.0,"",,5,18446744073709551615,0`,
      `${String(T0 + 5n)},${String(T0 + 4n)},ASK,100.1,2.0,,${String(T0 + 3n)},5,18446744073709551615,0`,
      '',
    ])
    expect(lines('bbo').slice(1, 4).map((line) => line.split(',').slice(2, 6).join())).toEqual(['100.1,4.0,100.2,3.0', '99.9,1.0,,', ',,,'])
    expect(lines('mark')[2]?.split(',').slice(2, 10).join()).toBe('0.0070174072573915,,,,,,,')
    expect(lines('states').join('\n')).toContain('READY,"said ""go"", # 1\nthen, more",0\n')
  })

  it('writes JSON lines of exact digits as strings, counts as numbers, nulls', async () => {
    const out = newFolder()
    await convertFiles([await every(newFolder())], { out, to: 'jsonl', kinds: ['trades', 'states'] })
    const text = (kind: string): string => readFileSync(join(out, `test-ABC-2026-07-01.${kind}.jsonl`), 'utf8')
    expect(text('trades').split('\n')[1]).toBe(
      `{"ts":"${String(T0 + 5n)}","exchange_ts":"${String(T0 + 4n)}","side":"ASK","price":"100.1","qty":"1.0","trade_id":"","trade_ts":null,` +
        '"event_index":5,"event_id":"18446744073709551615","previous_event_id":"0"}',
    )
    expect(text('states').split('\n').slice(0, -1).map((line) => (JSON.parse(line) as { text: string | null }).text)).toContain('said "go", # 1\nthen, more')
  })

  it('writes times as ISO-8601 where asked for', async () => {
    const out = newFolder()
    const result = await convertFiles([await every(newFolder())], { out, to: 'csv', times: 'iso', kinds: ['trades'], check: true })
    expect(result.inputs[0]?.error).toBeNull()
    expect(readFileSync(join(out, 'test-ABC-2026-07-01.trades.csv'), 'utf8').split('\n')[1]).toMatch(/^2026-07-01T00:00:00\.000000005Z,2026-07-01T00:00:00\.000000004Z,BID/)
    expect(manifestEntry(out)?.outputs[0]?.metadata).toMatchObject({ timestamps: 'ISO-8601 in UTC, nanoseconds' })
  })

  it.each([
    ['csv', {}, false], ['csv.gz', {}, false], ['shop', {}, true], ['csv', { comment: true }, true], ['shop', { comment: false }, false],
  ] as const)('has a # line in %s with %j: %s', async (to, options, has) => {
    const out = newFolder()
    await convertFiles([await every(newFolder())], { out, to, kinds: ['trades'], ...options })
    const name = resultNames(out).find((file) => file.includes('.csv')) ?? ''
    const bytes = readFileSync(join(out, name))
    const [first = ''] = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n')
    const wanted = { table: 'trades', instrument_id: '7', instrument_code: 'ABC', price_scale: '1', quantity_scale: '3', event_ids: 'uint64' }
    expect(first.startsWith('# ')).toBe(has)
    if (has) expect(JSON.parse(first.slice(2))).toMatchObject(wanted)
    expect(manifestEntry(out)?.outputs.find((output) => output.file === name)?.metadata).toMatchObject(wanted)
  })

  it('leaves the metadata of Parquet and Arrow in the files alone', async () => {
    const out = newFolder()
    await convertFiles([await every(newFolder())], { out, kinds: ['trades'] })
    expect(manifestEntry(out)?.outputs[0]).not.toHaveProperty('metadata')
  })

  it.each(['parquet', 'arrow', 'arrows'] as const)('writes the nearest doubles into %s where asked for, and states it', async (to) => {
    const out = newFolder()
    const result = await convertFiles([await every(newFolder())], { out, to, numbers: 'float64', check: true })
    expect(result.inputs[0]?.error).toBeNull()
    const path = join(out, `test-ABC-2026-07-01.trades.${to}`)
    expect(readFileSync(path, 'latin1')).toContain('numbers')
    expect(readFileSync(path, 'latin1')).toContain('float64')
    const doubles = to === 'parquet' ? await parquetColumn(path, 'price') : [...(tableFromIPC(readFileSync(path)).getChild('price') ?? [])]
    expect(doubles).toEqual([100.2, 100.1, 100.1])
  })
})

describe('a table in an older form', () => {
  it.each([
    [{}, { times: 'iso' }], [{}, { comment: true }], [{ times: 'iso' }, {}], [{ comment: true }, { comment: false }],
  ] as const)('is done again: %j, then %j', async (before, after) => {
    const input = await every(newFolder())
    const out = newFolder()
    await convertFiles([input], { out, to: 'csv', ...before })
    expect(await convertFiles([input], { out, to: 'csv', ...after })).toMatchObject({ convertedCount: 1, skippedCount: 0, failedCount: 0 })
    expect(await convertFiles([input], { out, to: 'csv', ...after })).toMatchObject({ convertedCount: 0, skippedCount: 1 })
  })

  it.each(['parquet', 'csv'] as const)('whose entry states no form is done again, never taken as whole (%s)', async (to) => {
    const input = await every(newFolder())
    const out = newFolder()
    await convertFiles([input], { out, to })
    const path = join(out, 'backtape-manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { entries: { options: string }[] }
    for (const entry of manifest.entries) {
      const { times: _t, numbers: _n, comment: _c, ...old } = JSON.parse(entry.options) as Record<string, unknown>
      entry.options = JSON.stringify(old)
    }
    writeFileSync(path, JSON.stringify(manifest))
    expect(await convertFiles([input], { out, to })).toMatchObject({ convertedCount: 1, skippedCount: 0, failedCount: 0 })
  })

  it('is the same where an option does not change its format', async () => {
    const input = await every(newFolder())
    const out = newFolder()
    await convertFiles([input], { out, to: 'csv' })
    expect(await convertFiles([input], { out, to: 'csv', numbers: 'float64' })).toMatchObject({ skippedCount: 1 })
    await convertFiles([input], { out, to: 'parquet' })
    expect(await convertFiles([input], { out, to: 'parquet', times: 'iso', comment: true })).toMatchObject({ skippedCount: 1 })
    expect(await convertFiles([input], { out, to: 'parquet', numbers: 'float64' })).toMatchObject({ convertedCount: 1 })
  })
})

describe('an output that needs more than its master data says', () => {
  const finer = (fields: Record<string, unknown>): string[] => [
    masterLine(fields), EVERY_KIND[2] ?? '', `[1,7,"10","11",${String(T0 + 20n)},0,[[0,"100.125","0",1]]]`, EVERY_KIND[6] ?? '', EVERY_KIND[5] ?? '',
  ]

  it('has the bytes of a run that knew the finer scale, and no other output changes', async () => {
    const [late, known] = [newFolder(), newFolder()]
    const result = await convertFiles([await writeTickFile(newFolder(), NAME, finer({}))], { out: late, check: true })
    expect(result.inputs[0]?.error).toBeNull()
    await convertFiles([await writeTickFile(newFolder(), NAME, finer({ tick_table: { e: [{ p: '0', t: '0.001' }], i: true } }))], { out: known })
    const same = (kind: string): boolean => readFileSync(join(late, `test-ABC-2026-07-01.${kind}.parquet`)).equals(readFileSync(join(known, `test-ABC-2026-07-01.${kind}.parquet`)))
    expect(same('depth')).toBe(true)
    expect(same('trades')).toBe(false)
    expect(readFileSync(join(late, 'test-ABC-2026-07-01.trades.parquet'), 'latin1')).toContain('price_scale\x18\x011')
  })

  it.each(['parquet', 'arrow', 'csv'] as const)('holds ids as text when one is not a 64-bit decimal (%s)', async (to) => {
    const lines = [masterLine(), ...EVERY_KIND, `[2,7,"18446744073709551615","0xabc",${String(T0 + 30n)},0,[[0,"1","1","x",0]]]`]
    const out = newFolder()
    const result = await convertFiles([await writeTickFile(newFolder(), NAME, lines)], { out, to, check: true })
    expect(result.inputs[0]?.error).toBeNull()
    expect(readFileSync(join(out, `test-ABC-2026-07-01.trades.${to}`), 'latin1')).toContain('0xabc')
    expect(resultNames(out).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('is refused for a stream, which cannot be read twice', async () => {
    const bytes = readFileSync(await writeTickFile(newFolder(), NAME, finer({})))
    async function* stream(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(new Uint8Array(bytes))
    }
    const out = newFolder()
    const result = await convertFiles([stream()], { out })
    expect(result.inputs[0]?.error?.code).toBe('VALUE_INEXACT')
    expect(resultNames(out)).toEqual([])
  })
})

describe('what stands in the folder', () => {
  it('is finished by the same call: a result that is missing is written again, byte for byte', async () => {
    const input = await every(newFolder())
    const out = newFolder()
    await convertFiles([input], { out })
    const lost = join(out, 'test-ABC-2026-07-01.bbo.parquet')
    const before = readFileSync(lost)
    rmSync(lost)
    expect(await convertFiles([input], { out })).toMatchObject({ convertedCount: 1, skippedCount: 0, failedCount: 0 })
    expect(readFileSync(lost).equals(before)).toBe(true)
  })

  it('is written again with force, though it is whole', async () => {
    const input = await every(newFolder())
    const out = newFolder()
    const { inputs: [first] } = await convertFiles([input], { out })
    expect(await convertFiles([input], { out })).toMatchObject({ convertedCount: 0, skippedCount: 1 })
    const again = await convertFiles([input], { out, force: true })
    expect(again).toMatchObject({ convertedCount: 1, skippedCount: 0 })
    expect(again.inputs[0]!.outputs).toEqual(first!.outputs)
  })

  it('is not overwritten where it is not ours, unless forced', async () => {
    const input = await every(newFolder())
    const out = newFolder()
    const foreign = join(out, 'test-ABC-2026-07-01.trades.parquet')
    writeFileSync(foreign, 'mine')
    const refused = await convertFiles([input], { out })
    expect(refused.inputs[0]?.error?.code).toBe('OUTPUT_EXISTS')
    expect(resultNames(out)).toEqual(['test-ABC-2026-07-01.trades.parquet'])
    expect(readFileSync(foreign, 'utf8')).toBe('mine')
    expect(await convertFiles([input], { out, force: true })).toMatchObject({ convertedCount: 1 })
  })

  it('is not taken for done when a result was changed or the source is another', async () => {
    const input = await every(newFolder())
    const out = newFolder()
    await convertFiles([input], { out })
    writeFileSync(join(out, 'test-ABC-2026-07-01.mark.parquet'), 'changed')
    expect((await convertFiles([input], { out })).inputs[0]?.error?.code).toBe('OUTPUT_EXISTS')
    const other = await writeTickFile(newFolder(), NAME, [masterLine(), ...EVERY_KIND.slice(1)])
    expect((await convertFiles([other], { out })).inputs[0]?.error?.code).toBe('OUTPUT_EXISTS')
  })

  it('may have a manifest of somebody else, which is refused', async () => {
    const out = newFolder()
    writeFileSync(join(out, 'backtape-manifest.json'), '{"other":1}')
    await expect(convertFiles([], { out })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
  })

  it('loses what a killed process left, and nothing else', async () => {
    const out = newFolder()
    const { space, start } = ownOwner()
    writeFileSync(join(out, `.x.trades.parquet.backtape-part-${space}-4194305-${start}-0123456789ab`), 'half')
    const unseen = `.y.trades.parquet.backtape-part-ffffffff-4194305-${start}-0123456789ab`
    writeFileSync(join(out, unseen), 'of another container')
    writeFileSync(join(out, '.keep'), 'mine')
    await convertFiles([await every(newFolder())], { out, kinds: ['states'] })
    expect(resultNames(out)).toEqual(['.keep', unseen, 'test-ABC-2026-07-01.states.parquet'])
  })
})

describe('an input that cannot be converted', () => {
  it('does not stop the others and leaves nothing that looks whole', async () => {
    const folder = newFolder()
    const good = await every(folder, 'good-ABC-2026-07-01.txt.zst')
    const whole = readFileSync(await every(folder))
    const cut = join(folder, 'cut-ABC-2026-07-01.txt.zst')
    writeFileSync(cut, whole.subarray(0, whole.length - 20))
    const bad = await writeTickFile(folder, 'bad-ABC-2026-07-01.txt.zst', [masterLine(), ...EVERY_KIND, '[1,7,"1","2",x]'])
    const out = newFolder()
    const phases: ConvertProgress['phase'][] = []
    const result = await convertFiles([cut, join(folder, 'missing.txt.zst'), bad, good], { out, jobs: 2, onProgress: (progress) => phases.push(progress.phase) })
    expect(result.inputs.map((input) => [input.outcome, input.error?.code])).toEqual([
      ['failed', 'ZSTD_TRUNCATED'], ['failed', 'FILE_NOT_FOUND'], ['failed', 'LINE_MALFORMED'], ['converted', undefined],
    ])
    expect(result).toMatchObject({ convertedCount: 1, failedCount: 3 })
    expect(resultNames(out).every((name) => name.startsWith('good-'))).toBe(true)
    expect(phases).toContain('failed')
    expect(phases).toContain('done')
  })

  it('is the second of two with one base name', async () => {
    const result = await convertFiles([await every(newFolder()), await every(newFolder())], { out: newFolder() })
    expect(result.inputs.map((input) => input.error?.code)).toEqual([undefined, 'OUTPUT_EXISTS'])
  })

  it('is stopped by a signal and leaves nothing', async () => {
    const out = newFolder()
    const signal = AbortSignal.abort()
    const result = await convertFiles([await every(newFolder())], { out, signal })
    expect(result).toMatchObject({ stopped: true, convertedCount: 0 })
    expect(resultNames(out)).toEqual([])
  })
})

describe('a signal stops a conversion', () => {
  const head = bytesOf(MAGIC, 0, 0x38, rawBlock(`${masterLine()}\n`, false))
  const chunkOf = (part: Uint8Array): Uint8Array => new Uint8Array(Buffer.alloc(part.length * 16_384, part))
  const inputs: [string, () => AsyncGenerator<Uint8Array>][] = [
    ['empty blocks without end', async function* () {
      yield await Promise.resolve(head)
      for (;;) yield chunkOf(block(0, 0, [], false))
    }],
    ['blank lines without end, 32,768 times as long as their bytes', async function* () {
      yield await Promise.resolve(head)
      for (;;) yield chunkOf(block(1, 131_072, [10], false))
    }],
    ['blank lines without end before the master data', async function* () {
      yield await Promise.resolve(bytesOf(MAGIC, 0, 0x38))
      for (;;) yield chunkOf(block(1, 131_072, [10], false))
    }],
    ['a skippable frame of four gigabytes, again and again', async function* () {
      for (;;) {
        yield await Promise.resolve(bytesOf(0x50, 0x2a, 0x4d, 0x18, littleEndian(2 ** 32 - 1, 4)))
        for (let i = 0; i < 65_536; i++) yield new Uint8Array(i === 65_535 ? 65_535 : 65_536)
      }
    }],
    ['a source that hangs', async function* () {
      yield await Promise.resolve(bytesOf(head, rawBlock('\n'.repeat(600), false)))
      await new Promise(() => undefined)
    }],
  ]
  it.each(inputs)('within %s it ends, and does not hang', { timeout: 180_000 }, async (_, input) => {
    const out = newFolder()
    const controller = new AbortController()
    // Counted from the first read: a busy machine takes a while to come to it.
    const timed = async function* (): AsyncGenerator<Uint8Array> {
      setTimeout(() => { controller.abort() }, 300)
      yield* input()
    }
    const steps: ConvertProgress[] = []
    const result = await convertFiles([timed()], { out, signal: controller.signal, read: { day: '2026-07-01' }, onProgress: (step) => steps.push(step) })
    expect(result).toMatchObject({ stopped: true, failedCount: 0, convertedCount: 0, inputs: [{ outcome: 'stopped', error: { code: 'STOPPED' } }] })
    // It says how long it worked, not 0.
    expect(steps.at(-1)).toMatchObject({ phase: 'stopped', secondsLeft: null })
    expect(steps.at(-1)!.elapsedSeconds).toBeGreaterThan(0.05)
    expect(resultNames(out)).toEqual([])
  })
})

it('is stopped before an input gave its first byte', async () => {
  const controller = new AbortController()
  setTimeout(() => { controller.abort() }, 50)
  async function* silent(): AsyncGenerator<Uint8Array> {
    await new Promise(() => undefined)
    yield new Uint8Array(0)
  }
  expect(await convertFiles([silent()], { out: newFolder(), signal: controller.signal })).toMatchObject({ stopped: true, failedCount: 0, inputs: [] })
})

describe('options', () => {
  it.each([
    [{ to: 'xlsx' as 'csv' }, 'to must be'],
    [{ kinds: ['trade' as 'trades'] }, 'kinds must be'],
    [{ kinds: [] }, 'kinds must be'],
    [{ jobs: 0 }, 'jobs must be'],
    [{ jobs: 1.5 }, 'jobs must be'],
  ])('%j are refused', async (options, words) => {
    await expect(convertFiles([], { out: newFolder(), ...options })).rejects.toThrow(words)
  })

  it('name kinds that then have a file even without rows', async () => {
    const input = await writeTickFile(newFolder(), NAME, [masterLine()])
    for (const to of repeated(EXPORT_FORMATS, (one) => one === 'parquet' || one === 'csv.gz')) {
      const out = newFolder()
      expect((await convertFiles([input], { out, to, kinds: EXPORT_KINDS, check: true })).inputs[0]?.error).toBeNull()
      expect(resultNames(out)).toHaveLength(8)
    }
  })

  it('refuse a folder that is a file', async () => {
    const out = join(newFolder(), 'file')
    writeFileSync(out, '')
    await expect(convertFiles([], { out })).rejects.toMatchObject({ code: 'OUTPUT_FAILED' })
  })
})
