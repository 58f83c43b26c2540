import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { convertFiles } from '../../src/export/convert.js'
import type { ConvertedInput, ConvertOptions, ConvertPlace } from '../../src/export/convert-options.js'
import { masterLine, resultNames, T0, writeTickFile } from '../support/export-lines.js'
import { newFolder } from '../support/new-folder.ts'
import { repeated } from '../support/repetitions.ts'
import { hasSharedData, sharedData } from '../support/shared-data.js'
import { EXPORT_FORMATS, type ExportFormat } from '../../src/tables/output-format.js'

const NAME = 'test-ABC-2026-07-01.txt.zst'
const MANIFEST = 'backtape-manifest.json'
const at = (ns: number): string => String(T0 + BigInt(ns))
const DAY_NS = 86_400_000_000_000

/** A snapshot in the margin, one event of each table on the day, one of the day after. */
const LINES: readonly string[] = [
  masterLine(),
  `[0,7,"0","10",${at(-60e9)},${at(-61e9)},[[0,"100.1","1.5",1],[1,"100.2","0.001",1]]]`,
  `[2,7,"0","11",${at(-1)},0,[[0,"100.2","0.5","early",0]]]`,
  `[2,7,"0","12",${at(0)},0,[[0,"100.2","0.5","a",0]]]`,
  `[1,7,"10","13",${at(5)},${at(4)},[[0,"100.1","0",1]]]`,
  `[2,7,"0","14",${at(DAY_NS - 1)},0,[[0,"100.2","0.5","b",0]]]`,
  `[2,7,"0","15",${at(DAY_NS)},0,[[0,"100.2","0.5","late",0]]]`,
]

async function rowsOf(path: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create()).connect()
  try {
    const reader = await connection.runAndReadAll(`SELECT * FROM '${path}'`)
    return reader.getRowObjectsJson()
  } finally {
    connection.closeSync()
  }
}

async function metadataOf(path: string): Promise<Record<string, string>> {
  const connection = await (await DuckDBInstance.create()).connect()
  try {
    const reader = await connection.runAndReadAll(`SELECT decode(key) AS k, decode(value) AS v FROM parquet_kv_metadata('${path}')`)
    return Object.fromEntries(reader.getRowObjectsJson().map(({ k, v }) => [k as string, v as string]))
  } finally {
    connection.closeSync()
  }
}

interface Entry {
  options: string
  margins?: string
  openingSnapshot?: string
  leftOut?: { before: number; after: number }
}

function entriesOf(out: string): Entry[] {
  return (JSON.parse(readFileSync(join(out, MANIFEST), 'utf8')) as { entries: Entry[] }).entries
}

/** A folder with the tables and the manifest of a version that knew no margins: whole files, no word of it. */
async function folderOfBefore(input: string): Promise<string> {
  const out = newFolder()
  await convertFiles([input], { out, margins: 'keep' })
  const content = JSON.parse(readFileSync(join(out, MANIFEST), 'utf8')) as { entries: Entry[] }
  for (const entry of content.entries) {
    const { margins: _, ...options } = JSON.parse(entry.options) as Record<string, unknown>
    entry.options = JSON.stringify(options)
    delete entry.margins
    delete entry.openingSnapshot
    delete entry.leftOut
  }
  writeFileSync(join(out, MANIFEST), `${JSON.stringify(content, null, 1)}\n`)
  return out
}

describe('a table', () => {
  test('holds the day of its file, opened by the book of 00:00, and says so', async () => {
    const out = newFolder()
    const { inputs } = await convertFiles([await writeTickFile(newFolder(), NAME, LINES)], { out, check: true })
    expect(inputs).toMatchObject([{ outcome: 'converted', eventCount: 3, margins: 'trim', openingSnapshot: 'made', leftOut: { before: 2, after: 1 } }])
    const [trades, depth] = await Promise.all(['trades', 'depth'].map((kind) => rowsOf(join(out, `test-ABC-2026-07-01.${kind}.parquet`))))
    expect(trades?.map(({ trade_id: id }) => id)).toEqual(['a', 'b'])
    expect(depth?.map(({ ts, side, qty, is_snapshot: isSnapshot, event_index: index }) => [ts, side, qty, isSnapshot, index])).toEqual([
      ['2026-07-01 00:00:00', 'BID', '1.500', true, 2], ['2026-07-01 00:00:00', 'ASK', '0.001', true, 2], ['2026-07-01 00:00:00.000000005', 'BID', '0.000', false, 3],
    ])
    const said = { day: '2026-07-01', margins: 'trim', opening_snapshot: 'made', events_left_out_before: '2', events_left_out_after: '1' }
    expect(await metadataOf(join(out, 'test-ABC-2026-07-01.trades.parquet'))).toMatchObject(said)
    expect(entriesOf(out)).toMatchObject([{ margins: 'trim', openingSnapshot: 'made', leftOut: { before: 2, after: 1 }, events: 3 }])
  })

  test.each(EXPORT_FORMATS)('as %s: the same rows, read back equal; the count behind the day where the format has metadata at its end', async (to) => {
    const out = newFolder()
    const result = await convertFiles([await writeTickFile(newFolder(), NAME, LINES)], { out, to, check: true })
    expect(result.inputs[0]?.error ?? null).toBeNull()
    expect(result.inputs[0]?.outputs.flatMap(({ kind, rowCount }) => (rowCount > 0 ? [[kind, rowCount]] : []))).toEqual([['trades', 2], ['depth', 3]])
    if (to !== 'arrow' && to !== 'arrows') return
    const { metadata } = tableFromIPC(readFileSync(join(out, `test-ABC-2026-07-01.depth.${to}`))).schema
    expect([metadata.get('margins'), metadata.get('opening_snapshot'), metadata.get('events_left_out_before')]).toEqual(['trim', 'made', '2'])
    expect(metadata.get('events_left_out_after')).toBe(to === 'arrow' ? '1' : undefined)
  })

  test.each<[string, ConvertOptions['margins'], string, number, string]>([
    ['kept margins', 'keep', NAME, 6, 'keep'],
    ['an unknown day', undefined, 'nameless.txt.zst', 6, 'keep'],
  ])('of %s holds the file as it stands', async (_, margins, name, events, word) => {
    const out = newFolder()
    const { inputs } = await convertFiles([await writeTickFile(newFolder(), name, LINES)], { out, check: true, ...(margins === undefined ? {} : { margins }) })
    expect(inputs).toMatchObject([{ eventCount: events, margins: word, openingSnapshot: 'none', leftOut: { before: 0, after: 0 } }])
    const path = readdirSync(out).find((file) => file.endsWith('.trades.parquet')) ?? ''
    expect(await rowsOf(join(out, path))).toHaveLength(4)
    const said = await metadataOf(join(out, path))
    expect([said['margins'], said['opening_snapshot']]).toEqual(['keep', undefined])
  })

  test.each<[string, readonly string[], object]>([
    ['a first snapshot behind 00:00', [masterLine(), `[0,7,"0","10",${at(1)},0,[[0,"100.1","1.5",1]]]`], { eventCount: 1, openingSnapshot: 'none' }],
    ['a suspect book at 00:00', [...LINES.slice(0, 2), `[1,7,"9","10",${at(-5)},0,[]]`, LINES[3] ?? ''], { eventCount: 1, openingSnapshot: 'made' }],
    ['nothing on its day', LINES.slice(0, 3), { eventCount: 0, openingSnapshot: 'made', leftOut: { before: 2, after: 0 } }],
    ['no event at all', [masterLine()], { eventCount: 0, openingSnapshot: 'none', outputs: [] }],
  ])('of a file with %s', async (_, lines, wanted) => {
    const out = newFolder()
    const { inputs } = await convertFiles([await writeTickFile(newFolder(), NAME, lines)], { out, check: true })
    const { outputs: _outputs, ...rest } = wanted as { outputs?: unknown }
    expect(inputs).toMatchObject([rest])
    const suspect = resultNames(out).includes('test-ABC-2026-07-01.depth.parquet') ? (await metadataOf(join(out, 'test-ABC-2026-07-01.depth.parquet')))['opening_snapshot_suspect'] : undefined
    expect(suspect).toBe(_ === 'a suspect book at 00:00' ? 'true' : undefined)
  })

  test('of a file of another day is refused', async () => {
    const { inputs } = await convertFiles([await writeTickFile(newFolder(), 'test-ABC-2026-07-09.txt.zst', LINES)], { out: newFolder() })
    expect(inputs[0]?.error?.message).toContain('its name or an option says 2026-07-09')
  })

  test('an unknown word for margins is refused', async () => {
    await expect(convertFiles([], { out: newFolder(), margins: 'none' as never })).rejects.toThrow('margins must be trim or keep')
  })
})

describe('margins are part of what a conversion is', () => {
  test('trimmed and kept tables replace each other, and each is found whole only as what it is', async () => {
    const input = await writeTickFile(newFolder(), NAME, LINES)
    const out = newFolder()
    const outcomes: (string | undefined)[] = []
    for (const margins of ['trim', 'trim', 'keep', 'keep', 'trim'] as const) outcomes.push((await convertFiles([input], { out, margins })).inputs[0]?.outcome)
    expect(outcomes).toEqual(['converted', 'skipped', 'converted', 'skipped', 'converted'])
    expect(await rowsOf(join(out, 'test-ABC-2026-07-01.trades.parquet'))).toHaveLength(2)
  })

  test('a table made before is done again, never taken as whole', async () => {
    const input = await writeTickFile(newFolder(), NAME, LINES)
    const out = await folderOfBefore(input)
    expect(await rowsOf(join(out, 'test-ABC-2026-07-01.trades.parquet'))).toHaveLength(4)
    expect(await convertFiles([input], { out })).toMatchObject({ convertedCount: 1, skippedCount: 0 })
    expect(await rowsOf(join(out, 'test-ABC-2026-07-01.trades.parquet'))).toHaveLength(2)
    expect(await convertFiles([input], { out })).toMatchObject({ convertedCount: 0, skippedCount: 1 })
  })

  test('a table made before that has changed since, or that no manifest lists, is refused', async () => {
    const input = await writeTickFile(newFolder(), NAME, LINES)
    const changed = await folderOfBefore(input)
    writeFileSync(join(changed, 'test-ABC-2026-07-01.trades.parquet'), 'mine')
    const unlisted = await folderOfBefore(input)
    rmSync(join(unlisted, MANIFEST))
    for (const out of [changed, unlisted]) expect((await convertFiles([input], { out })).inputs[0]?.error?.code).toBe('OUTPUT_EXISTS')
    expect(readFileSync(join(changed, 'test-ABC-2026-07-01.trades.parquet'), 'utf8')).toBe('mine')
  })
})

test('each input is given once, as it ends, with its place among all', async () => {
  const folder = newFolder()
  const files = await Promise.all(['a-A-2026-07-01.txt.zst', 'b-B-2026-07-01.txt.zst'].map((name) => writeTickFile(folder, name, LINES)))
  const ended: [ConvertedInput['outcome'], ConvertPlace][] = []
  await convertFiles([...files, join(folder, 'none.txt.zst')], { out: newFolder(), onInput: ({ outcome }, place) => ended.push([outcome, place]) })
  expect(ended).toEqual([['converted', { number: 1, total: 3 }], ['converted', { number: 2, total: 3 }], ['failed', { number: 3, total: 3 }]])
  const streamed: ConvertPlace[] = []
  const stream = async function* (): AsyncGenerator<Uint8Array> { yield await Promise.resolve(readFileSync(files[0] ?? '')) }
  await convertFiles([stream(), ...files.slice(1)], { out: newFolder(), onInput: (_, place) => streamed.push(place) })
  expect(streamed.map(({ total }) => total)).toEqual([null, null])
})

describe.skipIf(!hasSharedData)('two recorded consecutive days', () => {
  const pair = ['2023-04-04', '2023-04-05'].map((day) => sharedData(`days/binance_swap-BTCUSDT-${day}.txt.zst`))
  const tar = sharedData('bundles/binance_swap-BTCUSDT-2023-04-04..2023-04-05.tar')
  const names = ['2023-04-04', '2023-04-05'].map((day) => `binance_swap-BTCUSDT-${day}.trades`)

  async function idsOf(out: string, format: ExportFormat): Promise<unknown[]> {
    const ids: unknown[] = []
    for (const name of names) {
      const path = join(out, `${name}.${format}`)
      if (format !== 'arrow' && format !== 'arrows') ids.push(...(await rowsOf(path)).map(({ trade_id: id }) => id))
      else ids.push(...(tableFromIPC(readFileSync(path)).getChild('trade_id')?.toArray() as string[]))
    }
    return ids
  }

  test.each(repeated(EXPORT_FORMATS, (to) => to === 'parquet' || to === 'csv.gz'))('as %s have as many rows as distinct trade ids: 12,934, not 17,327', async (to) => {
    const out = newFolder()
    await convertFiles(pair, { out, to, kinds: ['trades'], check: true })
    const ids = await idsOf(out, to)
    expect([ids.length, new Set(ids).size]).toEqual([12_934, 12_934])
  })

  test('from the range tar, together or one by one: the same bytes, a function of each file alone', async () => {
    const [bundle, both, single] = [newFolder(), newFolder(), newFolder()]
    await convertFiles([tar], { out: bundle, kinds: ['trades'] })
    await convertFiles([...pair].reverse(), { out: both, kinds: ['trades'], jobs: 2 })
    for (const path of pair) await convertFiles([path], { out: single, kinds: ['trades'] })
    const ids = await idsOf(bundle, 'parquet')
    expect([ids.length, new Set(ids).size]).toEqual([12_934, 12_934])
    for (const name of names) {
      const bytes = readFileSync(join(bundle, `${name}.parquet`))
      for (const out of [both, single]) expect(readFileSync(join(out, `${name}.parquet`)).equals(bytes)).toBe(true)
    }
  })
})
