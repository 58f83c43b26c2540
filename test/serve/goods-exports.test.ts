import { spawn } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { convertFiles } from '../../src/index.js'
import { readSegments } from '../../src/shop/server/segments-reader.js'
import type { GoodsExport, ShopGoods } from '../../src/shop/server/shop-goods.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { madeTar } from '../support/made-archives.ts'
import { newFolder } from '../support/new-folder.ts'
import { repeated } from '../support/repetitions.ts'
import { servedScene } from '../support/served-shop.ts'
import { bytesOfSegments, folderWith, openGoods, SWAP_DAYS, SWAP_ID } from '../support/shop-folder.ts'

const FORMATS = ['trades.csv.gz', 'bbo.csv.gz', 'liquidations.csv.gz', 'trades.parquet', 'liquidations.parquet'] as const
type Format = (typeof FORMATS)[number]
const [FIRST, SECOND] = SWAP_DAYS
const [DAY, NEXT_DAY] = ['2026-07-01', '2026-07-02']
const PREDICTION = 'synthetic_prediction-BTC-ABOVE-65000-2026-07-01.txt.zst'
const PREDICTION_ID = 9_100_005

const converted = join(newFolder(), 'converted')
beforeAll(async () => {
  await convertFiles([FIRST, SECOND, PREDICTION].map((name) => join(datasetsFolder, name)), { out: converted, to: 'shop' })
})

function convertedBytes(name: string, format: Format): Buffer {
  return readFileSync(join(converted, name.replace('txt.zst', format)))
}

async function ended(goods: ShopGoods, date: string, format: Format, id = SWAP_ID): Promise<GoodsExport> {
  for (;;) {
    const found = await goods.dayExport(id, date, format, 'nothing')
    if (found.state !== 'converting') return found
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** Whole files in a folder of exports, in all of its days. */
function kept(folder: string): string[] {
  return readdirSync(folder).flatMap((day) => readdirSync(join(folder, day))).filter((name) => /^[^.].*(gz|parquet)$/.test(name)).sort()
}

describe('the exports of a day', () => {
  test('have the bytes of a conversion, are made one at a time, and outlive the server', async () => {
    const { goods, notes, options } = await openGoods(folderWith(FIRST))
    for (const format of FORMATS) expect(await goods.dayExport(SWAP_ID, DAY, format, 'nothing')).toEqual({ state: 'none', segments: null })
    for (const format of FORMATS) expect(await goods.dayExport(SWAP_ID, DAY, format, 'request')).toEqual({ state: 'converting', segments: null })
    for (const format of FORMATS) {
      const { state, segments } = await ended(goods, DAY, format)
      expect(state).toBe('ready')
      expect((await bytesOfSegments(segments))?.equals(convertedBytes(FIRST, format))).toBe(true)
    }
    await goods.close()
    const again = (await openGoods(options.folders[0] ?? '', options)).goods
    for (const format of FORMATS) expect((await again.dayExport(SWAP_ID, DAY, format, 'nothing')).state).toBe('ready')
    await again.close()
    expect(notes).toEqual([])
  })

  test('of a member of a tar, and without a row', async () => {
    const folder = newFolder()
    const content = [PREDICTION, SECOND].map((name) => ({ name, content: readFileSync(join(datasetsFolder, name)) }))
    writeFileSync(join(folder, 'x.tar'), await madeTar(content))
    const { goods, options } = await openGoods(folder)
    await goods.dayExport(SWAP_ID, NEXT_DAY, 'trades.parquet', 'probe')
    await goods.dayExport(PREDICTION_ID, DAY, 'bbo.csv.gz', 'probe')
    const { segments } = await ended(goods, NEXT_DAY, 'trades.parquet')
    expect((await bytesOfSegments(segments))?.equals(convertedBytes(SECOND, 'trades.parquet'))).toBe(true)
    expect(await ended(goods, DAY, 'bbo.csv.gz', PREDICTION_ID)).toEqual({ state: 'empty', segments: null })
    expect(await goods.dayExport(PREDICTION_ID, DAY, 'bbo.csv.gz', 'request')).toEqual({ state: 'empty', segments: null })
    await goods.close()
    expect(kept(options.exportFolder)).toEqual([SECOND.replace('txt.zst', 'trades.parquet')])
  })

  test('of a damaged file fail with a note, until a request for one a minute later', async () => {
    const folder = folderWith(FIRST)
    const whole = readFileSync(join(folder, FIRST))
    writeFileSync(join(folder, FIRST), whole.subarray(0, whole.length - 2000))
    let nowMs = 5000
    const { goods, notes, options } = await openGoods(folder, { nowMs: () => nowMs })
    const failed = { state: 'failed', segments: null, reason: expect.stringMatching(/^[A-Z_]+$/) as string }
    await goods.dayExport(SWAP_ID, DAY, 'bbo.csv.gz', 'probe')
    expect(await ended(goods, DAY, 'bbo.csv.gz')).toEqual(failed)
    nowMs += 59_999
    expect(await goods.dayExport(SWAP_ID, DAY, 'bbo.csv.gz', 'request')).toEqual(failed)
    nowMs++
    expect(notes).toEqual([expect.stringMatching(/^The export bbo\.csv\.gz of .*XRPUSDT-2026-07-01\.txt\.zst has failed: Cannot /)])
    expect((await goods.dayExport(SWAP_ID, DAY, 'bbo.csv.gz', 'probe')).state).toBe('failed')
    expect((await goods.dayExport(SWAP_ID, DAY, 'bbo.csv.gz', 'request')).state).toBe('converting')
    expect((await ended(goods, DAY, 'bbo.csv.gz')).state).toBe('failed')
    expect(notes).toHaveLength(2)
    expect(kept(options.exportFolder)).toEqual([])
    await goods.close()
  })

  test('that were used least recently leave first; one that is too large is made, and refused', async () => {
    const size = (name: string): number => convertedBytes(name, 'bbo.csv.gz').length
    const limit = size(FIRST) + size(SECOND)
    const folder = folderWith(FIRST, SECOND)
    const { goods, notes, options } = await openGoods(folder, { exportLimitBytes: limit })
    const first: Uint8Array[] = []
    let reading: AsyncGenerator<Uint8Array, void> | null = null
    for (const day of [DAY, NEXT_DAY]) {
      await goods.dayExport(SWAP_ID, day, 'bbo.csv.gz', 'request')
      const { state, segments } = await ended(goods, day, 'bbo.csv.gz')
      expect(state).toBe('ready')
      reading ??= readSegments(segments!.parts, new Uint8Array(1000))
      for (let piece = await reading.next(); piece.done !== true; piece = await reading.next()) {
        first.push(piece.value.slice())
        if (day === DAY) break
      }
    }
    // Lists and manifests take room too: the older day has left. Whoever was downloading it had it all.
    expect(Buffer.concat(first).equals(convertedBytes(FIRST, 'bbo.csv.gz'))).toBe(true)
    expect(kept(options.exportFolder)).toEqual([SECOND.replace('txt.zst', 'bbo.csv.gz')])
    expect((await goods.dayExport(SWAP_ID, DAY, 'bbo.csv.gz', 'nothing')).state).toBe('none')
    await goods.close()
    const small = await openGoods(folder, { ...options, exportLimitBytes: 1000, onNote: (note) => { notes.push(note) } })
    await small.goods.dayExport(SWAP_ID, DAY, 'trades.parquet', 'request')
    expect((await ended(small.goods, DAY, 'trades.parquet')).state).toBe('failed')
    expect(notes).toEqual([expect.stringMatching(/has failed: .*at most 1000 bytes \(exportLimitBytes\)/)])
    expect(kept(options.exportFolder)).toEqual([])
    await small.goods.close()
  })

  test('over the limit are no endless wait: a request for the bytes has the reason as its answer', async () => {
    const name = 'synthetic_swap:XRPUSDT'
    const { url, notes } = await servedScene(folderWith(FIRST), { now: '2026-07-04T00:00:00Z', samples: [`${name} ${DAY}`], exportLimitBytes: 1000 })
    const statuses: number[] = []
    let body = ''
    while (statuses.at(-1) !== 500 && statuses.length < 100) {
      const answer = await fetch(`${url}/api/download/sample/${SWAP_ID}/${DAY}?format=liquidations.parquet`)
      statuses.push(answer.status)
      body = await answer.text()
      await new Promise((done) => setTimeout(done, 100))
    }
    expect([...new Set(statuses)]).toEqual([202, 500])
    expect(JSON.parse(body)).toEqual({ error: { message: 'The export liquidations.parquet cannot be made: the shop keeps at most 1000 bytes (exportLimitBytes)' } })
    expect(notes).toEqual([expect.stringMatching(/at most 1000 bytes \(exportLimitBytes\)/)])
  })

  test('that somebody has damaged are made again; nothing else in their folder is removed', async () => {
    const exportFolder = newFolder()
    writeFileSync(join(exportFolder, 'mine'), 'mine')
    const folder = folderWith(FIRST)
    const { goods, options } = await openGoods(folder, { exportFolder, exportLimitBytes: 1_000_000_000 })
    await goods.dayExport(SWAP_ID, DAY, 'trades.csv.gz', 'request')
    const [part] = (await ended(goods, DAY, 'trades.csv.gz')).segments?.parts ?? []
    await goods.close()
    writeFileSync((part as { path: string }).path, 'something else')
    const again = (await openGoods(folder, options)).goods
    expect((await again.dayExport(SWAP_ID, DAY, 'trades.csv.gz', 'request')).state).toBe('converting')
    const { segments } = await ended(again, DAY, 'trades.csv.gz')
    expect((await bytesOfSegments(segments))?.equals(convertedBytes(FIRST, 'trades.csv.gz'))).toBe(true)
    expect(readFileSync(join(exportFolder, 'mine'), 'utf8')).toBe('mine')
    await again.close()
  })

  test('of a file that changes while it is sold are of its new bytes; of a touched one they stay', async () => {
    const folder = folderWith(FIRST)
    const path = join(folder, FIRST)
    const { goods } = await openGoods(folder)
    await goods.dayExport(SWAP_ID, DAY, 'trades.parquet', 'request')
    const before = await ended(goods, DAY, 'trades.parquet')
    utimesSync(path, 1, 1)
    let state: GoodsExport['state'] = 'none'
    while (state !== 'ready') {
      await new Promise((done) => setTimeout(done, 50))
      state = (await goods.dayExport(SWAP_ID, DAY, 'trades.parquet', 'request')).state
    }
    expect((await goods.dayExport(SWAP_ID, DAY, 'trades.parquet', 'nothing')).segments?.etag).toBe(before.segments?.etag)
    rmSync(path)
    copyFileSync(join(datasetsFolder, SECOND), path)
    expect((await goods.dayExport(SWAP_ID, DAY, 'trades.parquet', 'request'))).toEqual({ state: 'none', segments: null })
    await goods.close()
  })

  test('that are being made end with the goods', async () => {
    const { goods, notes, options } = await openGoods(folderWith(FIRST, SECOND))
    for (const day of [DAY, NEXT_DAY]) for (const format of FORMATS) await goods.dayExport(SWAP_ID, day, format, 'request')
    await goods.close()
    expect(notes).toEqual([])
    expect(kept(options.exportFolder).length).toBeLessThan(10)
    await goods.close()
  })

  const program = `
    const { openFolderGoods } = await import(process.argv[1])
    const goods = await openFolderGoods(JSON.parse(process.argv[2]))
    for (const format of ${JSON.stringify(FORMATS)}) await goods.dayExport(${String(SWAP_ID)}, '${DAY}', format, 'request')
    console.log('begun')
    setInterval(() => undefined, 1000)`

  test.each(repeated([0, 60, 150, 300, 600, 1000], (ms) => ms === 150))('are whole or absent after kill -9, %d ms after it has begun', async (ms) => {
    const folder = folderWith(FIRST)
    const options = { folders: [folder], indexPath: join(newFolder(), 'index'), exportFolder: newFolder() }
    const module = resolve(import.meta.dirname, '../../dist/serve/folder-goods-reader.js')
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, module, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const gone = new Promise((done) => child.on('exit', done))
    await new Promise((done) => child.stdout.once('data', done))
    await new Promise((done) => setTimeout(done, ms))
    child.kill('SIGKILL')
    await gone
    const { goods, notes } = await openGoods(folder, options)
    for (const format of FORMATS) {
      const { state, segments } = await goods.dayExport(SWAP_ID, DAY, format, 'request')
      if (state === 'converting') continue
      expect(state).toBe('ready')
      expect((await bytesOfSegments(segments))?.equals(convertedBytes(FIRST, format))).toBe(true)
    }
    for (const format of FORMATS) {
      const { segments } = await ended(goods, DAY, format)
      expect((await bytesOfSegments(segments))?.equals(convertedBytes(FIRST, format))).toBe(true)
    }
    await goods.close()
    expect(notes).toEqual([])
  })
})
