import type { Decimal } from '../model/decimal.js'
import { idTextAt, textAt } from '../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type {
  FundingEvent,
  Greeks,
  IndexEvent,
  LevelRow,
  Liquidation,
  LiquidationsEvent,
  MarkEvent,
  SnapshotEvent,
  StateEvent,
  TickEvent,
  TopOfBookEvent,
  Trade,
  TradesEvent,
  UpdateEvent,
} from '../model/events.js'
import type { Price } from '../model/fixed-decimal.js'
import { SIDE_CODES, type Side } from '../model/side.js'
import { epochNsFromTime } from '../model/time.js'
import {
  decimalAt, epochNsOrNull, greeksOf, levelRow, levelRows, liquidationRows, priceAt, tradeRows,
} from '../model/event-rows.js'

/** Node prints an object through this method; its symbol is registered, so no import is needed. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never

/**
 * One event of a batch. Nothing is built before it is asked for: an event that is only counted costs one small object.
 * It keeps its batch alive.
 */
abstract class EventView {
  // Declared only: defining fields costs 2 microseconds an object on Node 20 (bench/events.mjs), assigning them 30
  // nanoseconds.
  declare protected readonly batch: EventBatch
  declare protected readonly index: number
  declare readonly eventIndex: number

  constructor(batch: EventBatch, index: number, eventIndex: number) {
    this.batch = batch
    this.index = index
    this.eventIndex = eventIndex
  }

  abstract get kind(): string

  get instrumentId(): number {
    return this.batch.instrument.id
  }

  get adapterTimestampNs(): bigint {
    return epochNsFromTime(this.batch.adapterTimeNs[this.index] as number, this.batch.epochDay)
  }

  get exchangeTimestampNs(): bigint | null {
    return epochNsOrNull(this.batch.exchangeTimeNs[this.index] as number, this.batch.epochDay)
  }

  /** The fields that only this kind has, in the order in which they print. */
  protected abstract ownFields(): object

  protected commonFields(): object {
    const { kind, eventIndex, instrumentId, adapterTimestampNs, exchangeTimestampNs } = this
    return { kind, eventIndex, instrumentId, adapterTimestampNs, exchangeTimestampNs }
  }

  /** Every field as plain data, times as digits: JSON knows no bigint. */
  toJSON(): object {
    return digitsForBigints({ ...this.commonFields(), ...this.ownFields() })
  }

  [INSPECT](): object {
    return { ...this.commonFields(), ...this.ownFields() }
  }
}

function digitsForBigints(fields: object): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]: [string, unknown]) => [name, plainValue(value)]))
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(plainValue)
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
    ? digitsForBigints(value)
    : value
}

abstract class ChainedEventView extends EventView {
  get previousEventId(): string {
    return idTextAt(this.batch.previousEventId, this.index) ?? ''
  }

  get eventId(): string {
    return idTextAt(this.batch.eventId, this.index) ?? ''
  }

  get chainGap(): boolean {
    return ((this.batch.flags[this.index] as number) & EVENT_FLAGS.CHAIN_GAP) !== 0
  }

  protected override commonFields(): object {
    const { previousEventId, eventId, chainGap } = this
    return { ...super.commonFields(), previousEventId, eventId, chainGap }
  }
}

class SnapshotView extends ChainedEventView implements SnapshotEvent {
  get kind(): 'snapshot' {
    return 'snapshot'
  }

  get levels(): readonly LevelRow[] {
    return levelRows(this.batch, this.index)
  }

  get forceReset(): boolean | null {
    const flags = this.batch.flags[this.index] as number
    return (flags & EVENT_FLAGS.FORCE_RESET_GIVEN) === 0 ? null : (flags & EVENT_FLAGS.FORCE_RESET) !== 0
  }

  get made(): boolean {
    return ((this.batch.flags[this.index] as number) & EVENT_FLAGS.SEAM) !== 0
  }

  protected override ownFields(): object {
    return { forceReset: this.forceReset, made: this.made, levels: this.levels }
  }
}

class UpdateView extends ChainedEventView implements UpdateEvent {
  get kind(): 'update' {
    return 'update'
  }

  get levels(): readonly LevelRow[] {
    return levelRows(this.batch, this.index)
  }

  protected override ownFields(): object {
    return { levels: this.levels }
  }
}

class TradesView extends ChainedEventView implements TradesEvent {
  get kind(): 'trades' {
    return 'trades'
  }

  get trades(): readonly Trade[] {
    return tradeRows(this.batch, this.index)
  }

  protected override ownFields(): object {
    return { trades: this.trades }
  }
}

class StateView extends EventView implements StateEvent {
  get kind(): 'state' {
    return 'state'
  }

  get state(): string {
    return textAt(this.batch.text, this.batch.textStart[this.index] as number) ?? ''
  }

  get text(): string | null {
    const at = (this.batch.textStart[this.index] as number) + 1
    return at < (this.batch.textStart[this.index + 1] as number) ? textAt(this.batch.text, at) : null
  }

  protected override ownFields(): object {
    return { state: this.state, text: this.text }
  }
}

class TopOfBookView extends ChainedEventView implements TopOfBookEvent {
  get kind(): 'topOfBook' {
    return 'topOfBook'
  }

  get bid(): LevelRow | null {
    return this.firstRow('BID')
  }

  get ask(): LevelRow | null {
    return this.firstRow('ASK')
  }

  private firstRow(side: Side): LevelRow | null {
    const { batch, index } = this
    const end = batch.rowStart[index + 1] as number
    for (let row = batch.rowStart[index] as number; row < end; row++) {
      if (batch.side[row] === SIDE_CODES[side]) return levelRow(batch, row)
    }
    return null
  }

  protected override ownFields(): object {
    return { bid: this.bid, ask: this.ask }
  }
}

class MarkView extends ChainedEventView implements MarkEvent {
  get kind(): 'mark' {
    return 'mark'
  }

  get price(): Price {
    return priceAt(this.batch, this.batch.valueStart[this.index] as number)
  }

  get greeks(): Greeks | null {
    return greeksOf(this.batch, this.index)
  }

  protected override ownFields(): object {
    return { price: this.price, greeks: this.greeks }
  }
}

class IndexView extends ChainedEventView implements IndexEvent {
  get kind(): 'index' {
    return 'index'
  }

  get price(): Price {
    return priceAt(this.batch, this.batch.valueStart[this.index] as number)
  }

  protected override ownFields(): object {
    return { price: this.price }
  }
}

class FundingView extends ChainedEventView implements FundingEvent {
  get kind(): 'funding' {
    return 'funding'
  }

  get rate(): Decimal {
    return decimalAt(this.batch, this.batch.valueStart[this.index] as number) as Decimal
  }

  get nextFundingTimestampNs(): bigint | null {
    return epochNsOrNull(
      this.batch.values[(this.batch.valueStart[this.index] as number) + 1] as number, this.batch.epochDay,
    )
  }

  get predictedRate(): Decimal | null {
    const at = (this.batch.valueStart[this.index] as number) + 2
    return at < (this.batch.valueStart[this.index + 1] as number) ? decimalAt(this.batch, at) : null
  }

  protected override ownFields(): object {
    return { rate: this.rate, nextFundingTimestampNs: this.nextFundingTimestampNs, predictedRate: this.predictedRate }
  }
}

class LiquidationsView extends ChainedEventView implements LiquidationsEvent {
  get kind(): 'liquidations' {
    return 'liquidations'
  }

  get liquidations(): readonly Liquidation[] {
    return liquidationRows(this.batch, this.index)
  }

  protected override ownFields(): object {
    return { liquidations: this.liquidations }
  }
}

/**
 * Event `index` of a batch as a typed object. It reads the batch's columns when asked, so the batch must be the
 * caller's own (see `copyBatch`). `eventIndex` is the ordinal in the file.
 */
export function eventFromBatch(batch: EventBatch, index: number, eventIndex: number): TickEvent {
  switch (batch.kind[index]) {
    case EVENT_KINDS.snapshot:
      return new SnapshotView(batch, index, eventIndex)
    case EVENT_KINDS.update:
      return new UpdateView(batch, index, eventIndex)
    case EVENT_KINDS.trades:
      return new TradesView(batch, index, eventIndex)
    case EVENT_KINDS.state:
      return new StateView(batch, index, eventIndex)
    case EVENT_KINDS.topOfBook:
      return new TopOfBookView(batch, index, eventIndex)
    case EVENT_KINDS.mark:
      return new MarkView(batch, index, eventIndex)
    case EVENT_KINDS.index:
      return new IndexView(batch, index, eventIndex)
    case EVENT_KINDS.funding:
      return new FundingView(batch, index, eventIndex)
    default:
      return new LiquidationsView(batch, index, eventIndex)
  }
}
