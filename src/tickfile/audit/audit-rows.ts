import { decimalScale, scaledFromText, textFromScaled } from '../../model/decimal.js'
import { bigScaled, decimalsOf } from '../../model/wide-numbers.js'
import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'

/** Rows of a kind whose numbers do not fit the instrument's master data. */
export interface OffGridRows {
  /** Rows of trades. */
  readonly trades: number
  /** Rows of snapshots and updates. */
  readonly depth: number
}

/** Prices and quantities against tick size and lot size. */
export interface RowReport {
  /** Number of trade rows. */
  readonly tradeRows: number
  /** Number of liquidation rows. */
  readonly liquidationRows: number
  /** Prices that are no multiple of the tick size of their band. */
  readonly pricesOffTick: OffGridRows
  /** Prices with more decimals than the finest tick size has. */
  readonly priceDigitsBeyondTick: OffGridRows
  /** Quantities that are no multiple of the lot size. */
  readonly quantitiesOffLot: OffGridRows
}

interface Grid {
  /**
   * Band floors in scaled price units, ascending, and the tick from each upwards; one band from -Infinity where there
   * is no table.
   */
  readonly floors: readonly number[]
  readonly ticks: readonly number[]
  /** One unit of the finest tick's last decimal. */
  readonly digitUnit: number
  /** Decimals of the finest tick; null where the tick size is unknown. */
  readonly finest: number | null
  readonly lot: number
  /** The lot as it is stated, where no integer of the scale holds it and it is no power of ten; else null. */
  readonly finerLot: string | null
}

class Counter {
  trades = 0
  depth = 0
}

/**
 * Counts rows and those off their grid. Where the scaled tick and lot are 1 nothing can be off, and no row is looked
 * at.
 */
export class RowAudit {
  private readonly offTick = new Counter()
  private readonly beyondDigits = new Counter()
  private readonly offLot = new Counter()
  private tradeRows = 0
  private liquidationRows = 0

  check(batch: EventBatch): void {
    const grid = gridOf(batch)
    const isFine = grid.floors.length === 1 && grid.ticks[0] === 1 && grid.digitUnit === 1 && grid.lot === 1 &&
      grid.finerLot === null && batch.wide === null
    const { kind, rowStart, count } = batch
    for (let i = 0; i < count; i++) {
      const code = kind[i]
      const from = rowStart[i] as number
      const to = rowStart[i + 1] as number
      if (code === EVENT_KINDS.trades) this.tradeRows += to - from
      else if (code === EVENT_KINDS.liquidations) this.liquidationRows += to - from
      if (isFine) continue
      if (code === EVENT_KINDS.trades) this.checkRows(batch, grid, from, to, 'trades')
      else if (code === EVENT_KINDS.update || code === EVENT_KINDS.snapshot)
        this.checkRows(batch, grid, from, to, 'depth')
    }
  }

  report(): RowReport {
    const plain = ({ trades, depth }: Counter): OffGridRows => ({ trades, depth })
    return {
      tradeRows: this.tradeRows,
      liquidationRows: this.liquidationRows,
      pricesOffTick: plain(this.offTick),
      priceDigitsBeyondTick: plain(this.beyondDigits),
      quantitiesOffLot: plain(this.offLot),
    }
  }

  private checkExactly(batch: EventBatch, grid: Grid, row: number, into: 'trades' | 'depth'): void {
    const price = digitsOf(batch, 'price', row)
    const { tickSize, tickBands, lotSize } = batch.instrument
    const band = grid.floors.length > 1 ? tickBands[bandAt(grid, batch.price[row] as number)] : tickBands[0]
    if (isOffText(price, band?.tickSize ?? tickSize ?? '0')) this.offTick[into]++
    if (decimalsOf(price) > (grid.finest ?? Infinity)) this.beyondDigits[into]++
    if (isOffText(digitsOf(batch, 'quantity', row), lotSize ?? '0')) this.offLot[into]++
  }

  private checkRows(batch: EventBatch, grid: Grid, from: number, to: number, into: 'trades' | 'depth'): void {
    const { price, quantity } = batch
    const { digitUnit, lot } = grid
    const isBanded = grid.floors.length > 1
    let tick = grid.ticks[0] as number
    for (let row = from; row < to; row++) {
      if (batch.wide !== null || grid.finerLot !== null) {
        this.checkExactly(batch, grid, row, into)
        continue
      }
      const p = price[row] as number
      if (isBanded) tick = grid.ticks[bandAt(grid, p)] as number
      if (tick > 1 && isOff(p, tick)) this.offTick[into]++
      if (digitUnit > 1 && isOff(p, digitUnit)) this.beyondDigits[into]++
      if (lot > 1 && isOff(quantity[row] as number, lot)) this.offLot[into]++
    }
  }
}

/** The digits of a number of a row. */
function digitsOf(batch: EventBatch, column: 'price' | 'quantity', row: number): string {
  const scale = column === 'price' ? batch.priceScale : batch.quantityScale
  return batch.wide?.[column].get(row) ?? textFromScaled(batch[column][row] as number, scale)
}

/** The same for numbers of any digits, of plain texts. */
function isOffText(value: string, unit: string): boolean {
  const scale = Math.max(decimalsOf(value), decimalsOf(unit))
  const [dividend, divisor] = [bigScaled(value, scale) ?? 0n, bigScaled(unit, scale) ?? 0n]
  return divisor > 0n && dividend % divisor !== 0n
}

/**
 * The quotient of integers below 2^53 is whole only where it is exactly so: rounding cannot reach an integer that is
 * not there.
 */
function isOff(value: number, unit: number): boolean {
  const quotient = value / unit
  return Math.floor(quotient) !== quotient
}

function bandAt(grid: Grid, price: number): number {
  let at = grid.floors.length - 1
  while (at > 0 && price < (grid.floors[at] as number)) at--
  return at
}

function gridOf(batch: EventBatch): Grid {
  const { instrument, priceScale, quantityScale } = batch
  const bands = instrument.tickBands
  const tickTexts =
    bands.length > 0 ? bands.map((band) => band.tickSize) : instrument.tickSize === null ? [] : [instrument.tickSize]
  const finest = Math.max(0, ...tickTexts.map((text) => decimalScale(text) ?? 0))
  return {
    floors: bands.length > 0 ? bands.map((band) => scaledFromText(band.floor, priceScale) ?? -Infinity) : [-Infinity],
    ticks: tickTexts.length > 0 ? tickTexts.map((text) => scaledFromText(text, priceScale) ?? 1) : [1],
    finest: tickTexts.length > 0 ? finest : null,
    digitUnit: tickTexts.length > 0 ? powerOfTen(priceScale - finest) : 1,
    lot: scaledFromText(instrument.lotSize ?? '', quantityScale) ?? 1,
    finerLot: finerLot(instrument.lotSize, quantityScale),
  }
}

function finerLot(lotSize: string | null, quantityScale: number): string | null {
  if (lotSize === null || (decimalScale(lotSize) ?? 0) <= quantityScale) return null
  return /^0\.0*10*$/.test(lotSize) ? null : lotSize
}

function powerOfTen(exponent: number): number {
  let power = 1
  for (let i = 0; i < exponent; i++) power *= 10
  return power
}
