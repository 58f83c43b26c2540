import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { makeComparison } from '../../src/report/pages/comparison-making.js'
import { comparisonPage } from '../../src/report/pages/comparison-page.js'
import type { RunReport } from '../../src/report/pages/report-data.js'
import { drawdownsOf } from '../../src/report/pages/drawdown-parts.js'
import { runPage } from '../../src/report/pages/run-page.js'
import { Decimal } from '../../src/model/decimal.js'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned, plannedRun } from '../support/planned-run.ts'

const S = 1_000_000_000
const NASTY = '</script><script>alert(1)</script><!--'
/** Falls of the mid from 100.5 to 90.5 and back; a gap that nobody trades in. */
const MARKET: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 50], [0, 99, 70], [1, 101, 50], [1, 102, 60]] },
  { kind: 'snapshot', timeNs: 61 * S, rows: [[0, 90, 50], [0, 89, 70], [1, 91, 50]] },
  { kind: 'snapshot', timeNs: 125 * S, rows: [[0, 104, 50], [1, 105, 50]] },
]
const PLAN = ['10s BID 101 3 IOC', '20s BID 95 2', '30s ASK 100 1 IOC', '40s BID 100 3 postOnly', '41s BID 101 1 postOnly', '130s ASK 104 2 IOC', `150s stop ${NASTY}`]
const CODE = `T${NASTY}`

const folder = mkdtempSync(join(tmpdir(), 'reports-'))
afterAll(() => { rmSync(folder, { recursive: true, force: true }) })

async function played(plan = PLAN, options = {}): Promise<BacktestResult> {
  const [result] = await plannedRun({ files: [MARKET], plans: [plan], options })
  return result!
}

describe('the report of a run', () => {
  let result: BacktestResult
  let report: RunReport
  beforeAll(async () => {
    result = await played()
    report = result.report()
  })

  test('is what the tables and the summary say', () => {
    expect(report.summary).toEqual(JSON.parse(JSON.stringify(result.summary)))
    for (const name of ['fills', 'orders'] as const) {
      const { columns, data } = report[name]
      const known = result[name].columns.map((column) => column.name)
      expect(columns.filter((column) => !known.includes(column))).toEqual([])
      expect(data).toHaveLength(result[name].rowCount)
    }
    const price = report.fills.columns.indexOf('price')
    expect(report.fills.data.map((row) => row[price])).toEqual(result.fills.rows.map((row) => row.price))
    const fees = result.fills.rows.reduce((sum, { fee }) => sum.plus(fee), new Decimal(0))
    expect(report.fees.map(({ maker, taker }) => new Decimal(maker).plus(taker).toFixed())).toEqual([fees.toFixed()])
    const all = report.money[0]!.trips.groups[0]!
    const closed = result.roundTrips.rows.filter((row) => !row.is_open)
    expect([all.count, all.profit]).toEqual([closed.length, closed.reduce((sum, { profit }) => sum.plus(profit), new Decimal(0)).toFixed()])
    expect(report.instruments[0]!.positions[0]!.position).toEqual([0, ...result.fills.rows.map((row) => Number(row.position)), Number(result.fills.rows.at(-1)!.position)])
    expect(report.run).toMatchObject({ fingerprint: result.fingerprint, journalDigest: result.journalDigest, configuration: result.configuration })
  })

  test('has the prices that were seen, at most one look a second', () => {
    const { price } = report.instruments[0]!
    expect(price.bucketMs).toBe(1000)
    expect(price.epochMs[0]).toBe(Date.UTC(2026, 6, 1) + 1000)
    expect([price.last[0], price.last[58], price.last[61], price.last.at(-1)]).toEqual([100.5, 100.5, 90.5, 104.5])
  })

  test('has every time without a book that the summary counts, whether it met an order or not', async () => {
    const gaps: MarketLine[] = [MARKET[0]!, { kind: 'ERROR', timeNs: 20 * S }, { ...MARKET[1]!, timeNs: 30 * S }, { kind: 'ERROR', timeNs: 40 * S }, { kind: 'update', timeNs: 50 * S, rows: [] }]
    const [run] = await plannedRun({ files: [gaps], plans: [[]] })
    const { bookUnknown, summary } = run!.report()
    expect(summary.markets[0]!.bookUnknownCount).toBe(2)
    expect(bookUnknown.map(({ detected, end, reason }) => [detected.slice(17, 19), end?.slice(17, 19) ?? null, reason])).toEqual([['20', '30', 'error'], ['40', null, 'error']])
  })

  test('has equity while there are data: neither before them nor behind', async () => {
    const late: MarketLine[] = [{ ...MARKET[0]!, timeNs: 125 * S }, { ...MARKET[2]!, timeNs: 150 * S }]
    const [run] = await plannedRun({ files: [late], plans: [['130s BID 101 3 IOC']] })
    const { money, summary, instruments } = run!.report()
    expect([summary.start.slice(11, 16), summary.end.slice(11, 16)]).toEqual(['00:00', '00:03'])
    for (const series of [money[0]!.equity, money[0]!.drawdown])
      expect([series.bucketMs, ...series.epochMs.map((ms) => new Date(ms).toISOString().slice(11, 19))]).toEqual([60_000, '00:02:00', '00:03:00'])
    expect(run!.curves[0]!.epochMs).toEqual(money[0]!.equity.epochMs)
    expect(instruments[0]!.positions[0]!.position).toEqual([0, 3, 3])
    const page = runPage(run!.report())
    expect(page).not.toContain('>00:00')
    expect(page).toContain('>00:02')
  })

  test('has the worst fall with the book at its end', () => {
    const [worst] = report.worst
    const equity = result.equity.rows.map((row) => new Decimal(row.equity))
    expect(worst).toMatchObject({
      underlying: 'CASH', since: '2026-07-01T00:01:00.000000000Z', time: '2026-07-01T00:02:00.000000000Z', fall: equity[1]!.minus(equity[2]!).toFixed(), equity: equity[2]!.toFixed(), fillCount: 2,
      books: [{ instrument: 'test:TEST1', bids: [['90', '50'], ['89', '70']], asks: [['91', '50']] }],
    })
  })

  test('has drawdowns from equity rows, and equity of the samples', () => {
    const { equity, drawdowns } = report.money[0]!
    expect(equity.last).toHaveLength(4)
    expect(Number(result.equity.rows.at(-1)!.equity)).toBeCloseTo(equity.last.at(-1)!, 9)
    expect(drawdowns[0]!.amount).toBe(result.summary.money[0]!.maxDrawdown.amount)
  })

  test('has exposure from its positions, and round trips as the summary counts them', () => {
    const { exposure, trips, shape, benchmarks } = report.money[0]!
    const rows = result.equity.rows
    const fills = result.fills.rows
    const prices = report.instruments[0]!.price
    // A moment right after each fill, and one at each row at which no fill is.
    const moments = [...fills.map((fill) => ({ ts: fill.exchange_ts, fill })), ...rows.filter(({ ts }) => fills.every((fill) => fill.exchange_ts !== ts)).map(({ ts }) => ({ ts, fill: fills.findLast((one) => one.exchange_ts <= ts) }))]
      .sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0))
    const valueAt = ({ ts, fill }: (typeof moments)[number]): number => {
      const position = Number(fill?.position ?? 0)
      const mids = prices.epochMs.flatMap((begin, at) => (begin + 1000 <= Number(ts / 1_000_000n) ? [prices.last[at]!] : []))
      return position === 0 ? 0 : position * mids.at(-1)!
    }
    const wanted = moments.map(valueAt)
    expect(wanted.some((value) => value !== 0)).toBe(true)
    expect(exposure.net).toEqual(wanted.map((value): unknown => expect.closeTo(value, 9)))
    expect(exposure.leverage).toEqual(wanted.map((value, at): unknown => (
      expect.closeTo(Math.abs(value) / Number((rows.findLast((row) => row.ts <= moments[at]!.ts) ?? rows[0])!.equity), 9))))
    const { roundTrips, returns } = result.summary.money[0]!
    const { count, winCount, lossCount, winRate, profitFactor } = trips.groups[0]!
    expect({ count, winCount, lossCount, winRate, profitFactor }).toEqual({ count: roundTrips.count, winCount: roundTrips.winCount, lossCount: roundTrips.lossCount, winRate: roundTrips.winRate, profitFactor: roundTrips.profitFactor })
    expect(trips.byInstrument).toEqual([])
    expect([shape.notComputed, benchmarks[0]!.notComputed]).toEqual([returns.notComputed, returns.notComputed])
    expect(shape.notComputed).toContain('ratios need 20')
  })

  test('of a short run has dashes and reasons, and no number that is none', () => {
    const page = runPage(report)
    expect(page.replaceAll(/<script[\s\S]*?<\/script>/g, '')).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(page.match(/ratios need 20/g)!.length).toBeGreaterThan(2)
  })

  test('is written twice with the same bytes, page and data', async () => {
    const [a, b] = [join(folder, 'a.html'), join(folder, 'b.html')]
    await result.writeReport(a)
    await (await played()).writeReport(b)
    expect(readFileSync(b).equals(readFileSync(a))).toBe(true)
    expect(readFileSync(join(folder, 'b.json')).equals(readFileSync(join(folder, 'a.json')))).toBe(true)
    expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe(`${JSON.stringify(result.report())}\n`)
    // A report that has been plain data has the same page.
    expect(runPage(JSON.parse(JSON.stringify(report)) as RunReport)).toBe(runPage(report))
  })

  test('replaces nothing unless told, and leaves nothing half written', async () => {
    const path = join(folder, 'taken.html')
    writeFileSync(join(folder, 'taken.json'), '{}')
    await expect(result.writeReport(path)).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect(existsSync(path)).toBe(false)
    await result.writeReport(path, { force: true })
    expect(readdirSync(folder).filter((name) => !/^(a|b|taken)\.(html|json)$/.test(name))).toEqual([])
    await expect(result.writeReport(join(folder, 'none', 'x.html'))).rejects.toMatchObject({ code: expect.stringMatching(/^OUTPUT_/) })
  })

  test.each(['report.pdf', 'report', 'x.json', '.html'])('is not written to %j', async (name) => {
    await expect(result.writeReport(join(folder, name))).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })

  test('is refused where no rows were kept; the curves are there', async () => {
    const bare = await played(PLAN, { tables: 'none' })
    expect(() => bare.report()).toThrow('tables is \'none\'')
    await expect(bare.writeReport(join(folder, 'bare.html'))).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    expect(readdirSync(folder).filter((name) => name.startsWith('bare'))).toEqual([])
    expect([bare.fingerprint, bare.curves]).toEqual([result.fingerprint, result.curves])
  })

  test('of a run that did nothing says so', async () => {
    const page = runPage((await played([])).report())
    for (const words of ['There was no order.', 'There was no fill', 'Equity never fell', 'No round trip was closed.', 'Nothing with a price was traded.', 'no line into its log']) expect(page).toContain(words)
  })
})

describe('the page of a report', () => {
  /** Scripts of a page and its policy. */
  const scriptsOf = (page: string): string[] => [...page.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes!)

  test('holds texts of files and strategies as text', async () => {
    const report = (await played()).report({ file: NASTY, name: NASTY, note: NASTY, runFile: { data: [NASTY], strategy: NASTY } })
    const page = runPage(report)
    expect(report.summary.stop?.reason).toBe(NASTY)
    expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(1)')
    expect(page).not.toContain('<script>alert(1)')
    expect(page.match(/<!--/g)).toBeNull()
    expect(scriptsOf(page)).toEqual([' type="text/plain" id="orders-rows"', ''])
    expect(page.match(/<\/script>/g)).toHaveLength(2)
  })

  test('holds nasty words of tables and of what is packed', async () => {
    const report = (await played()).report()
    const place = report.orders.columns.indexOf('error_type')
    const orders = { ...report.orders, data: report.orders.data.map((row) => row.map((cell, at) => (at === place ? NASTY : cell))) }
    const page = runPage({ ...report, orders, title: NASTY, instruments: report.instruments.map((one) => ({ ...one, instrument: CODE })) })
    expect(page).not.toContain('<script>alert(1)')
    const packed = /id="orders-rows">([A-Za-z0-9+/=]+)<\/script>/.exec(page)![1]!
    const { count, columns } = JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString()) as { count: number, columns: { name: string, words?: string[] }[] }
    expect(count).toBe(orders.data.length)
    expect(columns.find(({ name }) => name === 'error')!.words).toEqual([NASTY])
  })

  test('holds the log as text, without paths and secrets, the last lines of many', async () => {
    class Chatty extends Planned {
      override onStart(): void {
        super.onStart()
        this.log(`first ${NASTY}`)
        for (let i = 0; i < 300; i++) this.log(`line ${i}`)
        this.log(`${NASTY} /home/ada/days/one.zst token=ABC123secret`)
      }
    }
    const report = (await played([], { strategy: Chatty })).report()
    expect(report.log.counts).toEqual({ log: 302, warning: 0 })
    expect(report.log.lines).toHaveLength(200)
    expect(report.log.lines.at(-1)).toEqual({ time: '2026-07-01T00:00:00.000000000Z', level: 'log', client: expect.any(String), text: `${NASTY} one.zst token=(left out)` })
    const page = runPage(report)
    expect(page).toContain('the last 200 of 302')
    expect(page).not.toContain('<script>alert(1)')
    expect(page).not.toMatch(/ABC123secret|home\/ada/)
  })

  test('asks for nothing', async () => {
    const page = runPage((await played()).report())
    expect(page).toContain('default-src &#39;none&#39;')
    expect(page.replaceAll('http://www.w3.org/2000/svg', '').match(/https?:|<link(?! rel="icon" href="data:,")|@import|url\(/g)).toBeNull()
  })

  test('has no absolute path, key or token in page and data', async () => {
    const secret = 'ABC123secretABC123secret'
    const result = await played([...PLAN.slice(0, 5), '150s stop token=ABC123secretABC123secret'])
    const report = result.report({
      note: `of /home/ada/notes.txt with api_key=${secret}`,
      runFile: { data: ['/home/ada/days/one.zst'], parameters: { apiKey: secret, model: 'C:\\Users\\ada\\m.bin' }, strategy: '/home/ada/s.ts#Maker' },
    })
    for (const text of [runPage(report), JSON.stringify(report)]) {
      expect(text).not.toContain(secret)
      expect(text).not.toMatch(/\/home\/ada|Users.{1,2}ada/)
    }
    expect(JSON.stringify(report)).toContain('one.zst')
  })
})

describe('drawdowns of rows', () => {
  const rows = (values: readonly number[]) => values.map((equity, at) => ({ ts: BigInt(at) * 60n * 1_000_000_000n, underlying: 'X', equity: String(equity) }))

  test.each<[readonly number[], readonly string[]]>([
    [[], []], [[1, 2, 3], []], [[3, 1, 3], ['2 0-1-2']], [[3, 1, 2], ['2 0-1-']], [[5, 5, 4, 5, 1, 9, 9, 8], ['4 3-4-5', '1 1-2-3', '1 6-7-']],
  ])('of %j', (values, expected) => {
    const minute = (iso: string | null): string => (iso === null ? '' : String(Date.parse(iso.slice(0, 23) + 'Z') / 60_000))
    expect(drawdownsOf(rows(values)).map(({ amount, from, lowest, to }) => `${amount} ${minute(from)}-${minute(lowest)}-${minute(to)}`)).toEqual(expected)
  })
})

describe('a comparison', () => {
  test('has a line a set, the best first, pairs, and the count of those that were tried', async () => {
    const results = await plannedRun({ files: [MARKET], plans: [PLAN, ['10s BID 101 1 IOC'], []] })
    const inputs = results.map((result, at) => ({ name: `set ${at}`, parameters: { size: at % 2, wait: `${at}<!--` }, summary: result.summary, fingerprint: result.fingerprint, isPartial: result.isPartial, curves: result.curves }))
    const report = makeComparison(inputs, { title: NASTY, sort: 'fees' })
    expect(report.isLessBetter).toBe(true)
    expect(report.table.data.map((row) => row[0])).toEqual(['set 2', 'set 1', 'set 0'])
    expect(report).toMatchObject({ setCount: 3, best: 2, measure: 'fees' })
    expect(report.pairs).toHaveLength(1)
    expect(report.pairs[0]!.counts).toEqual([[1, 0, 1], [0, 1, 0]])
    const page = comparisonPage(report)
    expect(page).toContain('the best of 3 tried')
    expect(page).not.toContain('<script>alert(1)')
    expect(page).not.toContain('<!--')
    expect(comparisonPage(makeComparison(inputs, { title: NASTY, sort: 'fees' }))).toBe(page)
  })
})
