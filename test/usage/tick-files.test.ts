import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openTickFile, readEvents } from '../../src/index.js'
import { backtape } from '../support/command.js'

/** The programs of design/usage.md for reading, checking, showing and converting, on the bundled made-up days; paths and times aside as written. */
const datasets = resolve(import.meta.dirname, '../../datasets')
const file = join(datasets, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const bundle = join(datasets, readdirSync(datasets).find((name) => name.endsWith('.tar')) ?? '')
const member = 'synthetic_option-BTC-72000-C-2026-07-01.txt.zst'
const folder = mkdtempSync(join(tmpdir(), 'backtape-usage-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.concurrent('in a shell', { timeout: 180_000 }, () => {
  test('backtape info day.txt.zst', async () => {
    expect(await backtape(['info', file])).toMatchObject({ code: 0 })
  })

  test('backtape audit day.txt.zst bundle.tar --json', async () => {
    const { code, out } = await backtape(['audit', file, bundle, '--json'])
    expect(code).toBe(0)
    expect((JSON.parse(out) as object[]).length).toBeGreaterThan(1)
  })

  test('backtape events day.txt.zst --kind trades --from 12:00 --to 12:05 | head', async () => {
    const { code, out } = await backtape(['events', file, '--kind', 'trades', '--from', '23:56', '--to', '23:57'], { closeEarly: true })
    expect(code).toBe(0)
    expect(out).toContain('"kind":"trades"')
  })

  test('backtape book day.txt.zst --at 12:00:00 --levels 10', async () => {
    const { code, out } = await backtape(['book', file, '--at', '23:56:00', '--levels', '10'])
    expect(code).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(12)
  })

  test('backtape book day.txt.zst --every 1s --levels 20 --out grid.parquet', async () => {
    expect(await backtape(['book', file, '--every', '1s', '--levels', '20', '--out', 'grid.parquet'], { cwd: folder })).toMatchObject({ code: 0, out: '' })
    expect(readFileSync(join(folder, 'grid.parquet')).subarray(-4).toString()).toBe('PAR1')
  })

  test('backtape minutes day.txt.zst --out minutes.csv', async () => {
    expect(await backtape(['minutes', file, '--out', 'minutes.csv'], { cwd: folder })).toMatchObject({ code: 0, out: '' })
    expect(readFileSync(join(folder, 'minutes.csv'), 'utf8').split('\r\n')[1]?.split(',')).toHaveLength(22)
  })

  test('backtape convert days/*.txt.zst bundle.tar --to parquet --out archive --jobs 2', async () => {
    const command = ['convert', file, bundle, '--to', 'parquet', '--out', 'archive', '--jobs', '2']
    expect(await backtape(command, { cwd: folder })).toMatchObject({ code: 0 })
    const names = readdirSync(join(folder, 'archive'))
    expect(names).toContain('synthetic_swap-XRPUSDT-2026-07-01.depth.parquet')
    expect(names).toContain('synthetic_option-BTC-72000-C-2026-07-01.mark.parquet')
    const again = await backtape([...command, '--json'], { cwd: folder })
    expect(JSON.parse(again.out)).toMatchObject({ convertedCount: 0, failedCount: 0 })
  })

  test('backtape synth --seed 7 --minutes 30 --out datasets', async () => {
    const { code, out } = await backtape(['synth', '--seed', '7', '--minutes', '2', '--out', folder])
    expect(code).toBe(0)
    expect(await backtape(['audit', out.trim()])).toMatchObject({ code: 0 })
  })
})

describe('in a program', () => {
  test('as the page has it', async () => {
    const day = await openTickFile(file)
    expect(day.instrument.code).toBe('XRPUSDT')
    let trades = 0
    for await (const event of readEvents(day, { kinds: ['trades'] })) {
      for (const trade of event.trades) {
        expect(trade.price.toString()).toMatch(/^\d+(\.\d+)?$/)
        expect(['BID', 'ASK']).toContain(trade.aggressorSide)
        trades++
      }
    }
    expect(trades).toBeGreaterThan(0)
    for await (const batch of day.batches()) expect(batch.price).toBeInstanceOf(Float64Array)
    const book = await day.bookAt('23:56:00')
    expect(book.suspect).toBe(false)
    expect(book.bids[0]?.price.toString()).toMatch(/^\d/)
    const bars = await day.minutes()
    expect(bars.rows.length).toBeGreaterThan(1)
    expect(bars.toArrow().length).toBeGreaterThan(0)
  })

  test('a bundle member, `bundle.tar#MEMBER`', async () => {
    const day = await openTickFile(`${bundle}#${member}`)
    expect(day.instrument.type).toMatch(/call|put/)
  })

  test('every event kind as a table', async () => {
    const day = await openTickFile(file)
    const trades = await day.table('trades', { from: '12:00', to: '12:05' })
    expect(trades.columns.map(({ name }) => name)).toContain('price')
    expect((await day.table('trades', { from: '23:56', to: '23:57' })).rowCount).toBeGreaterThan(10)
  })
})
