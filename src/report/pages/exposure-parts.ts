import { epochNsFromText } from '../../model/time.js'
import { keptValue } from '../../model/kept-value.js'
import type { MadeColumn } from '../../tables/made-column.js'
import type { ExactCell } from '../../model/exact-cell.js'
import { coveredBefore } from './covered-time.js'
import { PriceCursor } from './price-cursor.js'
import type { EquityInput, ReportInput } from './report-input.js'
import type { ReportExposure } from './report-money.js'
import { rowsBy } from './row-groups.js'
import { seriesOf } from './track-series.js'

/** Columns of pixels; of each a course keeps at most eight moments. */
const COLUMNS = 512

/** A value that holds until the next: its greatest size, and its sums over time. */
class HeldValue {
  value = 0
  greatest = 0
  #sinceNs: number
  #size = 0
  #sum = 0

  constructor(sinceNs: number) {
    this.#sinceNs = sinceNs
  }

  set(timeNs: number, value: number): void {
    const length = Math.max(0, timeNs - this.#sinceNs)
    this.#size += Math.abs(this.value) * length
    this.#sum += this.value * length
    this.#sinceNs = Math.max(this.#sinceNs, timeNs)
    this.value = value
    this.greatest = Math.max(this.greatest, Math.abs(value))
  }

  /** Means from the begin of the data, which was time 0, to the time that was set last. */
  means(lengthNs: number): { readonly size: number; readonly value: number } {
    return lengthNs > 0 ? { size: this.#size / lengthNs, value: this.#sum / lengthNs } : { size: 0, value: 0 }
  }
}

/** The position of one account in one instrument, and its value at the last mid. */
interface Holding {
  readonly ofInstrument: HeldValue
  readonly price: PriceCursor
  /** Place of the newest fill; -1 before the first. */
  row: number
  value: number
}

/** The place of a fill in its table, and what it changes. */
interface Traded {
  readonly row: number
  readonly ts: bigint
  readonly holding: Holding
}

/** The moments of a run: after fills, and at rows of equity. */
interface Moments {
  readonly epochMs: number[]
  readonly gross: number[]
  readonly net: number[]
  readonly leverage: (number | null)[]
}

/** Of each column of pixels the first and last moment, and those of the least and greatest value of each course. */
function inColumns({ epochMs, gross, net, leverage }: Moments): Moments {
  if (epochMs.length <= 2 * COLUMNS) return { epochMs, gross, net, leverage }
  const [first, last] = [epochMs[0] as number, epochMs.at(-1) as number]
  const columnAt = (at: number): number => (
    Math.min(COLUMNS - 1, Math.floor(((epochMs[at] as number) - first) / Math.max(1, last - first) * COLUMNS)))
  const kept: number[] = []
  for (let from = 0, to = 0; from < epochMs.length; from = to) {
    const column = columnAt(from)
    while (to < epochMs.length && columnAt(to) === column) to++
    const own = new Set([from, to - 1])
    for (const course of [gross, net, leverage]) {
      let [low, high] = [from, from]
      for (let at = from; at < to; at++) {
        if ((course[at] ?? Infinity) < (course[low] ?? Infinity)) low = at
        if ((course[at] ?? -Infinity) > (course[high] ?? -Infinity)) high = at
      }
      own.add(low).add(high)
    }
    kept.push(...[...own].sort((a, b) => a - b))
  }
  const of = <Value>(values: readonly Value[]): Value[] => kept.map((at) => values[at] as Value)
  return { epochMs: of(epochMs), gross: of(gross), net: of(net), leverage: of(leverage) }
}

/** Plays fills and rows of equity in the order of time; fills come before a row of the same time. */
class ExposureWalk {
  readonly instruments = new Map<string, HeldValue>()
  readonly moments: Moments = { epochMs: [], gross: [], net: [], leverage: [] }
  readonly leverage = new HeldValue(0)
  /** Time that the data cover before a time: all lengths are of it. */
  readonly coveredNs: (ts: bigint) => number
  readonly #holdings: Holding[] = []
  readonly #fills: Traded[] = []
  readonly #column: { readonly [Name in 'position' | 'net_traded' | 'account' | 'instrument_id']: MadeColumn }
  readonly #prices: Float64Array
  readonly #held: ExactCell = { integer: NaN, scale: 0 }
  #lastTs = -1n
  #leverageNs = 0
  #nextPriceMs = -Infinity

  constructor(private readonly input: ReportInput, underlying: string) {
    const { summary, fills, tracks, epochDay, instrumentOf } = input
    this.coveredNs = coveredBefore(summary.sampling)
    this.#column = {
      position: fills.column('position'), net_traded: fills.column('net_traded'), account: fills.column('account'),
      instrument_id: fills.column('instrument_id'),
    }
    this.#prices = fills.column('price').numbers()
    const times = fills.column('exchange_ts')
    const prices = new Map([...tracks.prices].map(([id, track]) => [instrumentOf(id), track] as const))
    const filled = rowsBy(fills, 'instrument')
    for (const { instrument, accountId } of summary.instruments.filter((one) => one.underlying === underlying)) {
      const own = (filled.get(instrument) ?? []).filter((row) => this.#column.account.at(row) === accountId)
      if (own.length === 0) continue
      const ofInstrument = keptValue(this.instruments, instrument, () => new HeldValue(0))
      const price = new PriceCursor(seriesOf(prices.get(instrument), epochDay))
      const holding: Holding = { ofInstrument, price, row: -1, value: 0 }
      this.#holdings.push(holding)
      for (const row of own) this.#fills.push({ row, ts: times.at(row) as bigint, holding })
    }
    this.#fills.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.row - b.row))
  }

  /** Plays all of it. */
  play(equity: readonly EquityInput[]): void {
    let next = 0
    for (const [at, { ts, equity: text }] of equity.entries()) {
      // Before the first row equity is that of the first, between rows that of the row before.
      const before = Number(equity[at - 1]?.equity ?? text)
      for (; next < this.#fills.length && (this.#fills[next]?.ts ?? 0n) <= ts; next++)
        this.#fill(next, this.#fills[next]?.ts === ts ? Number(text) : before)
      this.#moment(ts, Number(text))
    }
    const last = Number(equity.at(-1)?.equity ?? NaN)
    for (; next < this.#fills.length; next++) this.#fill(next, last)
  }

  /** Holds everything until the end of the run; leverage has a mean over the time that it had a value. */
  end(endTs: bigint): number | null {
    const endNs = this.coveredNs(endTs > this.#lastTs ? endTs : this.#lastTs)
    for (const held of this.instruments.values()) held.set(endNs, held.value)
    this.#setLeverage(endNs, this.moments.leverage.at(-1) ?? null)
    return this.#leverageNs > 0 ? this.leverage.means(this.#leverageNs).size : null
  }

  #fill(at: number, equity: number): void {
    const { row, ts, holding } = this.#fills[at] as Traded
    holding.row = row
    this.#value(holding, Number(ts / 1_000_000n))
    this.#moment(ts, equity, holding)
  }

  #value(holding: Holding, timeMs: number): void {
    const { row, price } = holding
    const mid = price.at(timeMs)
    if (row < 0) return
    const { position, net_traded: traded, account, instrument_id: id } = this.#column
    const held = this.#held
    position.read(row, held)
    if (Number.isNaN(held.integer)) traded.read(row, held)
    const per = mid ?? (this.#prices[row] as number)
    const isNothing = held.integer === 0 || Number.isNaN(held.integer) || per === 0
    holding.value = isNothing ? 0 : this.input.valueOf(String(account.at(row)), Number(id.at(row)), held, per)
  }

  #moment(ts: bigint, equity: number, changed?: Holding): void {
    const [timeMs, timeNs] = [Number(ts / 1_000_000n), this.coveredNs(ts)]
    const isRepriced = timeMs >= this.#nextPriceMs
    if (isRepriced) {
      this.#nextPriceMs = Infinity
      for (const holding of this.#holdings) {
        this.#value(holding, timeMs)
        this.#nextPriceMs = Math.min(this.#nextPriceMs, holding.price.nextMs)
      }
    }
    if (isRepriced || changed !== undefined) this.#sums(timeNs, isRepriced ? undefined : changed)
    let [gross, net] = [0, 0]
    for (const { value } of this.#holdings) {
      gross += Math.abs(value)
      net += value
    }
    const leverage = equity > 0 ? gross / equity : null
    this.#setLeverage(timeNs, leverage)
    this.#add(ts, timeMs, [gross, net, leverage])
  }

  /** The value of each instrument over all accounts, of all or of the one that changed. */
  #sums(timeNs: number, changed: Holding | undefined): void {
    const sums = new Map<HeldValue, number>()
    for (const { ofInstrument, value } of this.#holdings) {
      if (changed === undefined || ofInstrument === changed.ofInstrument)
        sums.set(ofInstrument, (sums.get(ofInstrument) ?? 0) + value)
    }
    for (const [held, value] of sums) held.set(timeNs, value)
  }

  /** A time without a value counts for no mean: its length is left out. */
  #setLeverage(timeNs: number, value: number | null): void {
    const last = this.moments.leverage.at(-1)
    const knownNs = Math.max(0, timeNs - (this.#lastTs < 0n ? 0 : this.coveredNs(this.#lastTs)))
    if (last !== null) this.#leverageNs += knownNs
    this.leverage.set(this.#leverageNs, value ?? 0)
  }

  #add(ts: bigint, timeMs: number, [gross, net, leverage]: readonly [number, number, number | null]): void {
    const { moments } = this
    const isSame = ts === this.#lastTs && gross === moments.gross.at(-1) && net === moments.net.at(-1)
    this.#lastTs = ts
    if (isSame && leverage === moments.leverage.at(-1)) return
    moments.epochMs.push(timeMs)
    moments.gross.push(gross)
    moments.net.push(net)
    moments.leverage.push(leverage)
  }
}

/**
 * The value of all positions of one underlying over time: after each fill and at each row of equity, so that no
 * position is too short to be seen. Means are over the time that the data cover.
 */
export function exposureOf(input: ReportInput, underlying: string, equity: readonly EquityInput[]): ReportExposure {
  const endTs = epochNsFromText(input.summary.end, null)
  const walk = new ExposureWalk(input, underlying)
  if (walk.instruments.size === 0) {
    const nothing = { epochMs: [], gross: [], net: [], leverage: [] }
    return { ...nothing, meanLeverage: null, greatestLeverage: null, instruments: [] }
  }
  walk.play(equity)
  const meanLeverage = walk.end(endTs)
  const lengthNs = walk.coveredNs(endTs)
  return {
    ...inColumns(walk.moments), meanLeverage,
    greatestLeverage: walk.moments.leverage.some((one) => one !== null) ? walk.leverage.greatest : null,
    instruments: [...walk.instruments].map(([instrument, held]) => {
      const { size, value } = held.means(lengthNs)
      return { instrument, meanGross: size, greatestGross: held.greatest, meanNet: value }
    }),
  }
}
