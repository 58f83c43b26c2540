import type { Instrument } from '../../model/instrument.js'
import { createTable, type Table } from '../../tables/table.js'
import { measureRefusal, type MarketTable } from './market-columns.js'

/** The values of an option's mark that a surface may show. */
export const GREEKS = ['price', 'delta', 'gamma', 'vega', 'theta', 'mark_vol', 'bid_vol', 'ask_vol'] as const

/** One option of a bundle, with its table `mark`. */
export interface OptionMark {
  /** The master data of the option: type, strike and expiry are read. */
  readonly instrument: Pick<Instrument, 'code' | 'type' | 'strikePrice' | 'expiry'>
  /** Its table `mark`. */
  readonly mark: MarketTable
}

interface SurfacePoint {
  readonly strike: string
  readonly expiry: string
  readonly value: number | null
}

/** The last row at or before a time, in file order; -1 where there is none. */
function lastRowAt(times: BigInt64Array, atNs: bigint): number {
  let row = times.length - 1
  while (row >= 0 && (times[row] as bigint) > atNs) row--
  return row
}

function pointOf(
  { instrument, mark }: OptionMark, value: (typeof GREEKS)[number], atNs: bigint,
): SurfacePoint {
  const { code, strikePrice, expiry } = instrument
  if (strikePrice === null || expiry === null)
    throw measureRefusal('a surface', 'options', 'instruments with strike and expiry', code)
  const found = mark.numbers(value)[lastRowAt(mark.timesNs('ts'), atNs)] ?? NaN
  return { strike: strikePrice, expiry, value: Number.isNaN(found) ? null : found }
}

/**
 * A surface of an option bundle at a time: one row a strike, ascending, one column an expiry (its text in the master
 * data, ascending), each value that of the last mark at or before `atNs` (epoch nanoseconds, `day.epochNs('12:00')`).
 * `value` is one of price, delta, gamma, vega, theta, mark_vol, bid_vol and ask_vol, as the venue states it. Null where
 * no option of that strike and expiry is given, none of its marks came before, or that one does not state the value.
 * Calls and puts are asked one by one: `type` is `CALL` or `PUT` in any case of letters. Doubles; strikes are exact
 * texts. Throws OPTION_INVALID for no option of that type, two of one strike and expiry, one without a strike or
 * expiry, and a word that is no value.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { greeksSurface } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_option-BTC-68000-C-2026-07-01.txt.zst')
 * const options = [{ instrument: day.instrument, mark: await day.table('mark') }]
 * const smile = greeksSurface(options, 'call', 'mark_vol', day.epochNs('23:59'))
 * console.log(smile.rows[0])
 * ```
 */
export function greeksSurface(
  options: readonly OptionMark[], type: string, value: (typeof GREEKS)[number], atNs: bigint,
): Table {
  if (!GREEKS.includes(value))
    throw measureRefusal('a surface', 'value', `one of ${GREEKS.join(', ')}`, JSON.stringify(value))
  const wanted = options.filter(({ instrument }) => instrument.type.toLowerCase() === type.toLowerCase())
  if (wanted.length === 0) throw measureRefusal('a surface', 'options', `options of type ${type}`, 'none')
  const points = wanted.map((option) => pointOf(option, value, atNs))
  const strikes = [...new Set(points.map(({ strike }) => strike))].sort((a, b) => Number(a) - Number(b))
  const expiries = [...new Set(points.map(({ expiry }) => expiry))].sort()
  const cells = new Map<string, number | null>()
  for (const { strike, expiry, value: found } of points) {
    const key = `${strike} ${expiry}`
    if (cells.has(key)) throw measureRefusal('a surface', 'options', 'one option a strike and expiry', `two of ${key}`)
    cells.set(key, found)
  }
  return createTable([
    { name: 'strike', type: { form: 'text' }, nullable: false, values: strikes },
    ...expiries.map((expiry) => ({
      name: expiry, type: { form: 'double' }, nullable: true,
      values: strikes.map((strike) => cells.get(`${strike} ${expiry}`) ?? null),
    } as const)),
  ], new Map([['table', 'greeks_surface'], ['value', value], ['type', type]]))
}
