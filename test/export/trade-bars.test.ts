import { describe, expect, test } from 'vitest'
import { openTickFile } from '../../src/day/tick-day.js'
import { tradeBarsTable } from '../../src/export/trade-bars-table.js'
import { barRule, barSpanFromText } from '../../src/measures/bars/bar-span.js'
import { TradeBars, type TradeBarStatistics } from '../../src/export/trade-bars.js'
import { Decimal } from '../../src/model/decimal.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { backtape } from '../support/command.ts'
import { repeated } from '../support/repetitions.ts'

const SWAP = `${datasetsFolder}/synthetic_swap-XRPUSDT-2026-07-01.txt.zst`
const COIN = `${datasetsFolder}/synthetic_coin_swap-ETHUSD-2026-07-01.txt.zst`
const SPOT = `${datasetsFolder}/synthetic_spot-SOLUSDT-2025-07-01.txt.zst`

interface NaiveFill { readonly isSale: boolean, readonly price: Decimal, readonly quantity: Decimal, readonly time: bigint }

async function fillsOf(path: string): Promise<NaiveFill[]> {
  const day = await openTickFile(path)
  const [begin, end] = [0, 1].map((more) => BigInt(day.epochDay! + more) * 86_400_000_000_000n) as [bigint, bigint]
  const fills: NaiveFill[] = []
  for await (const event of day.events({ kinds: ['trades'], margins: 'keep' })) {
    for (const { aggressorSide, price, quantity, exchangeTradeTimestampNs } of event.trades) {
      const time = exchangeTradeTimestampNs ?? event.exchangeTimestampNs ?? event.adapterTimestampNs
      if (time >= begin && time < end) fills.push({ isSale: aggressorSide === 'ASK', price: price.toDecimal(), quantity: quantity.toDecimal(), time })
    }
  }
  return fills
}

async function barsOf(path: string, every: string): Promise<TradeBarStatistics> {
  const day = await openTickFile(path)
  const bars = new TradeBars(day, barRule(barSpanFromText(every)!))
  for await (const batch of day.batches()) bars.add(batch)
  return bars.finish()
}

const total = (fills: readonly NaiveFill[], of: (fill: NaiveFill) => Decimal): Decimal => fills.reduce((sum, fill) => sum.plus(of(fill)), new Decimal(0))

describe('bars that trades end, by venue time', { timeout: 180_000 }, () => {
  test.each(repeated([SWAP, SPOT, COIN].flatMap((path) => ['trades=37', 'volume=50', 'turnover=5000', 'imbalance=40'].map((every) => [every, path] as const)), (_, at) => at === 0 || at === 5 || at > 9))('%s of %s are those of a naive count', async (every, path) => {
    const isInverse = path === COIN
    const fills = await fillsOf(path)
    const [kind, limit] = every.split('=') as [string, string]
    const valueOf = ({ price, quantity }: NaiveFill): Decimal => (isInverse ? quantity.times(10) : price.times(quantity))
    const reached = (bar: readonly NaiveFill[]): Decimal => {
      if (kind === 'trades') return new Decimal(bar.length)
      if (kind === 'turnover') return total(bar, valueOf)
      const [sold, all] = [total(bar.filter(({ isSale }) => isSale), ({ quantity }) => quantity), total(bar, ({ quantity }) => quantity)]
      return kind === 'volume' ? all : all.minus(sold).minus(sold).abs()
    }
    const naive: NaiveFill[][] = []
    let bar: NaiveFill[] = []
    for (const fill of fills) {
      bar.push(fill)
      if (reached(bar).lt(limit)) continue
      naive.push(bar)
      bar = []
    }
    const { rows, leftOverCount } = await barsOf(path, every)
    expect(naive.length).toBeGreaterThan(3)
    expect([rows.length, leftOverCount]).toEqual([naive.length, bar.length])
    for (const [at, own] of naive.entries()) {
      const row = rows[at]!
      const prices = own.map(({ price }) => price)
      const times = own.map(({ time }) => time).toSorted((a, b) => (a < b ? -1 : 1))
      expect([row.time, row.end_time, row.trades, row.trades_sell]).toEqual([times[0], times.at(-1), own.length, own.filter(({ isSale }) => isSale).length])
      expect([row.open, row.high, row.low, row.close].map((text) => Number(text))).toEqual([prices[0]!, Decimal.max(...prices), Decimal.min(...prices), prices.at(-1)!].map((price) => price.toNumber()))
      const sales = own.filter(({ isSale }) => isSale)
      expect(new Decimal(row.turnover).eq(total(own, valueOf))).toBe(true)
      expect(new Decimal(row.qty_sell).eq(total(sales, ({ quantity }) => quantity))).toBe(true)
      expect(new Decimal(row.qty_buy).plus(row.qty_sell).eq(total(own, ({ quantity }) => quantity))).toBe(true)
      const base = total(own, (fill) => (isInverse ? valueOf(fill).div(fill.price) : fill.quantity))
      expect(new Decimal(row.volume_buy!).plus(row.volume_sell!).minus(base).abs().toNumber()).toBeLessThan(1e-15)
      expect(new Decimal(row.vwap!).minus(total(own, valueOf).div(base)).abs().toNumber()).toBeLessThan(1e-12)
    }
  })

  test('are a table whose metadata name the columns that they do not have', async () => {
    const { out, code } = await backtape(['minutes', SWAP, '--every', 'trades=500', '--to', 'json'])
    expect([code, (JSON.parse(out) as readonly object[]).length]).toEqual([0, 6])
    expect(tradeBarsTable(await barsOf(SWAP, 'trades=500')).columns.map(({ name }) => name)).not.toContain('spread_avg')
    const commented = await backtape(['minutes', SWAP, '--every', 'volume=5000', '--comment'])
    expect(commented.out.split('\n')[0]).toContain('spread_avg')
  })

  test.each(['trades=0', 'trades=1.5', 'trades=', 'volume=0', 'volume=x', 'turnover=-1', 'imbalance=1e400x'])('%s is refused in a sentence', async (every) => {
    const { err, out, code } = await backtape(['minutes', SWAP, '--every', every])
    expect(err).toContain('Cannot make bars: the span must be')
    expect([out, code === 0]).toEqual(['', false])
  })

  test('take no choice of columns', async () => {
    expect((await backtape(['minutes', SWAP, '--every', 'trades=10', '--columns', 'all'])).err).toContain('Cannot use --columns: it must be left out')
  })
})
