import { readFileSync } from 'node:fs'
import { decompress } from 'fzstd'
import { Decimal as Base } from 'decimal.js'

/** 60 digits, so that nothing but the last division rounds. */
const D = Base.clone({ precision: 60, rounding: Base.ROUND_HALF_EVEN, toExpNeg: -200, toExpPos: 200 })
type D = InstanceType<typeof D>

type Row = [side: string, price: string, quantity: string, id: string | null, time: string]
type Level = [price: D, quantity: D, order: number]
type Cells = Record<string, string | number | null>

const MINUTE = 60_000_000_000n
const DAY = 86_400_000_000_000n

/** Every number of a line as text, so that no digit is lost. */
function parseLine(line: string): unknown[] {
  const quoted = line.replace(/("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g, (token, text: string | undefined) => text ?? `"${token}"`)
  return JSON.parse(quoted) as unknown[]
}

function place(levels: Level[], price: D, quantity: D, sign: number): void {
  const wanted = price.toNumber() * sign
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (levels[middle]![2] * sign > wanted) low = middle + 1
    else high = middle
  }
  const stands = levels[low] !== undefined && levels[low]![2] * sign === wanted
  if (quantity.isZero()) {
    if (stands) levels.splice(low, 1)
  } else levels.splice(low, stands ? 1 : 0, [price, quantity, price.toNumber()])
}

interface Sums {
  known: bigint
  both: bigint
  values: Record<string, D>
}

const round = (value: D): string => new D(value.toFixed(18, Base.ROUND_HALF_EVEN)).toString()

/**
 * The minute statistics, or those of another span of nanoseconds, as anybody would write them down from spec 4, section 6: decimals throughout, books as sorted arrays, one pass over the
 * parsed text. Slow. `day` is the first nanosecond of the UTC day; `text` the decompressed file.
 */
export function naiveMinutes(text: string, day: bigint, span: bigint = MINUTE): Cells[] {
  const [head = '', ...lines] = text.trimEnd().split(/\r?\n/)
  const master = parseLine(head) as unknown as { instrument: Record<string, string | boolean | null>; underlyings: Record<string, string>[] }
  const { instrument, underlyings } = master
  const inverse = instrument['is_inverse'] === true
  const dec = (name: string): D => new D((instrument[name] as string | null) ?? '1')
  const currency = inverse ? instrument['counter_underlying_id'] : instrument['valuation_underlying_id']
  const rate = new D(underlyings.find(({ id }) => id === currency)?.['fx_rate'] ?? NaN)
  const usd = (p: D, q: D): D => (inverse ? q.mul(dec('contract_value')) : q.mul(dec('multiplier')).mul(p)).mul(rate)
  const base = (p: D, q: D): D => (inverse ? q.mul(dec('contract_value')).div(p) : q.mul(dec('multiplier')))
  const tick = dec('ticksize')

  const books = new Map<bigint, Sums>()
  const fills = new Map<bigint, { side: string; price: D; quantity: D; time: bigint }[]>()
  const bids: Level[] = []
  const asks: Level[] = []
  let known = false
  let last: string | undefined
  let clock = -1n

  const current = (): Record<string, D> => {
    const sum = (levels: Level[], count: number): D => levels.slice(0, count).reduce((total, [p, q]) => total.add(usd(p, q)), new D(0))
    const values: Record<string, D> = { top1_bid_usd: sum(bids, 1), top1_ask_usd: sum(asks, 1), top20_bid_usd: sum(bids, 20), top20_ask_usd: sum(asks, 20) }
    values['top1_bid_qty'] = bids[0] === undefined ? new D(0) : base(bids[0][0], bids[0][1])
    values['top1_ask_qty'] = asks[0] === undefined ? new D(0) : base(asks[0][0], asks[0][1])
    if (bids[0] !== undefined && asks[0] !== undefined) {
      const spread = asks[0][0].sub(bids[0][0])
      values['spread_avg'] = spread
      values['spread_bps'] = spread.div(asks[0][0].add(bids[0][0]).div(2)).mul(10_000)
      values['spread_ticks'] = spread.div(tick)
    }
    return values
  }
  const pass = (to: bigint): void => {
    if (known && clock >= 0n && to > clock) {
      const values = current()
      for (let from = clock; from < to; ) {
        const minute = from / span
        const end = (minute + 1n) * span < to ? (minute + 1n) * span : to
        const sums: Sums = books.get(minute) ?? { known: 0n, both: 0n, values: {} }
        const weight = end - from
        sums.known += weight
        if (values['spread_avg'] !== undefined) sums.both += weight
        for (const [name, value] of Object.entries(values)) sums.values[name] = (sums.values[name] ?? new D(0)).add(value.mul(String(weight)))
        books.set(minute, sums)
        from = end
      }
    }
    if (to > clock) clock = to
  }

  for (const line of lines) {
    const event = parseLine(line)
    const kind = Number(event[0])
    pass(BigInt(event[kind === 5 ? 2 : 4] as string))
    if (kind === 5 && event[3] === 'ERROR') known = false
    if (kind === 2) {
      for (const [side, price, quantity, , time] of event[6] as Row[]) {
        const at = BigInt(time)
        const list = fills.get(at / span) ?? []
        list.push({ side, price: new D(price), quantity: new D(quantity), time: at })
        fills.set(at / span, list)
      }
    }
    if (kind !== 0 && kind !== 1) continue
    if (kind === 0) {
      bids.length = asks.length = 0
      known = true
    } else if (event[2] !== '0' && last !== undefined && event[2] !== last) known = false
    last = event[3] as string
    for (const [side, price, quantity] of event[6] as Row[]) place(side === '0' ? bids : asks, new D(price), new D(quantity), side === '0' ? 1 : -1)
  }

  const minutes = [...new Set([...books.keys(), ...fills.keys()])].filter((minute) => minute * span >= day && minute * span < day + DAY).sort((a, b) => (a < b ? -1 : 1))
  return minutes.map((minute) => {
    const trades = [...(fills.get(minute) ?? [])].map((fill, order) => ({ ...fill, order })).sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.order - b.order))
    const of = (list: typeof trades, value: (fill: (typeof trades)[number]) => D): D => list.reduce((total, fill) => total.add(value(fill)), new D(0))
    const bought = trades.filter(({ side }) => side === '0')
    const sold = trades.filter(({ side }) => side === '1')
    const turnover = (list: typeof trades): string => round(of(list, ({ price, quantity }) => usd(price, quantity)))
    const prices = trades.map(({ price }) => price)
    const volume = of(trades, ({ price, quantity }) => base(price, quantity))
    const sums = books.get(minute)
    const average = (name: string): string | null => {
      const weight = name.startsWith('spread') ? sums?.both : sums?.known
      return sums === undefined || weight === undefined || weight === 0n ? null : round((sums.values[name] ?? new D(0)).div(String(weight)))
    }
    return {
      time: String(minute * span),
      open: prices[0]?.toString() ?? null,
      high: prices.length === 0 ? null : D.max(...prices).toString(),
      low: prices.length === 0 ? null : D.min(...prices).toString(),
      close: prices.at(-1)?.toString() ?? null,
      vwap: prices.length === 0 ? null : round(of(trades, ({ price, quantity }) => base(price, quantity).mul(price)).div(volume)),
      trades: trades.length,
      trades_buy: bought.length,
      trades_sell: sold.length,
      trades_liquidation: 0,
      turnover_usd: turnover(trades),
      turnover_buy_usd: turnover(bought),
      turnover_sell_usd: turnover(sold),
      volume_buy: round(of(bought, ({ price, quantity }) => base(price, quantity))),
      volume_sell: round(of(sold, ({ price, quantity }) => base(price, quantity))),
      ...Object.fromEntries(
        ['spread_avg', 'spread_bps', 'spread_ticks', 'top1_bid_usd', 'top1_ask_usd', 'top20_bid_usd', 'top20_ask_usd', 'top1_bid_qty', 'top1_ask_qty'].map((name) => [name, average(name)]),
      ),
    }
  })
}

/** The decompressed text of a recorded file. */
export function textOfFile(path: string): string {
  return new TextDecoder().decode(decompress(readFileSync(path)))
}
