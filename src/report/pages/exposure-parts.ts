import { priceAt } from './price-at.js'
import type { EquityInput, ReportInput } from './report-input.js'
import type { ReportExposure } from './report-money.js'
import type { ReportSeries } from './report-series.js'
import { rowsBy, type Rows } from './row-groups.js'
import { seriesOf } from './track-series.js'

const POINTS_MAX = 1024

/** Some rows at equal distances, the last one among them. */
function thinned(rows: readonly EquityInput[]): readonly EquityInput[] {
  const step = Math.ceil(rows.length / POINTS_MAX)
  return step <= 1 ? rows : rows.filter((_, at) => (rows.length - 1 - at) % step === 0)
}

/** The values of one account's position in one instrument at the ascending times of `rows`; `own` are its fills. */
function valuesOf(own: Rows, rows: readonly EquityInput[], price: ReportSeries, input: ReportInput): Float64Array {
  const { fills, valueOf } = input
  const [fillTimes, positions, netTraded] = [
    fills.values('exchange_ts'), fills.values('position'), fills.values('net_traded'),
  ]
  const [fillPrices, accounts, ids] = [fills.values('price'), fills.values('account'), fills.values('instrument_id')]
  let [next, last] = [0, null as number | null]
  return Float64Array.from(rows, ({ ts }) => {
    while (next < own.length && (fillTimes[own[next] as number] as bigint) <= ts) last = own[next++] as number
    if (last === null) return 0
    const held = positions[last] ?? netTraded[last] ?? '0'
    const mid = priceAt(price, Number(ts / 1_000_000n)) ?? Number(fillPrices[last])
    return held === '0' || mid === 0 ? 0 : valueOf(accounts[last] as string, ids[last] as number, held, mid)
  })
}

function meanOf(values: Float64Array, sizeOf: (value: number) => number): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + sizeOf(value), 0) / values.length
}

/** The value of all positions of one underlying over time, as fills left them. */
export function exposureOf(input: ReportInput, underlying: string, equity: readonly EquityInput[]): ReportExposure {
  const { summary, fills, tracks, epochDay, instrumentOf } = input
  const rows = thinned(equity)
  const prices = new Map([...tracks.prices].map(([id, track]) => [instrumentOf(id), track] as const))
  const [gross, net] = [new Float64Array(rows.length), new Float64Array(rows.length)]
  const byInstrument = new Map<string, Float64Array>()
  const [filled, accounts] = [rowsBy(fills, 'instrument'), fills.values('account')]
  for (const { instrument, accountId } of summary.instruments.filter((one) => one.underlying === underlying)) {
    const own = (filled.get(instrument) ?? []).filter((row) => accounts[row] === accountId)
    if (own.length === 0) continue
    const values = valuesOf(own, rows, seriesOf(prices.get(instrument), epochDay), input)
    const sums = byInstrument.get(instrument) ?? new Float64Array(rows.length)
    byInstrument.set(instrument, sums)
    for (const [at, value] of values.entries()) {
      gross[at] = (gross[at] as number) + Math.abs(value)
      net[at] = (net[at] as number) + value
      sums[at] = (sums[at] as number) + value
    }
  }
  if (byInstrument.size === 0) return { epochMs: [], gross: [], net: [], leverage: [], instruments: [] }
  return {
    epochMs: rows.map(({ ts }) => Number(ts / 1_000_000n)), gross: [...gross], net: [...net],
    leverage: rows.map((row, at) => (Number(row.equity) > 0 ? (gross[at] as number) / Number(row.equity) : null)),
    instruments: [...byInstrument].map(([instrument, values]) => ({
      instrument, meanGross: meanOf(values, Math.abs), meanNet: meanOf(values, (value) => value),
      greatestGross: values.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    })),
  }
}
