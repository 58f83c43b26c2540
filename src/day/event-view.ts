import type { Decimal } from '../model/decimal.js'
import { idTextAt, textAt } from '../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS, EVENT_KIND_NAMES, type EventKind } from '../model/event-kind.js'
import type { ChainedEvent, LevelRow, TickEvent } from '../model/events.js'
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

type FieldReader<T> = (batch: EventBatch, index: number) => T

/** The reader of each field that only events of one type have, in the order in which they print. */
type OwnFields<Event extends TickEvent> = {
  readonly [Name in Exclude<keyof Event, keyof ChainedEvent | 'kind'>]: FieldReader<Event[Name]>
}

const firstValue: FieldReader<Price> = (batch, index) => priceAt(batch, batch.valueStart[index] as number)

function firstRow(batch: EventBatch, index: number, side: Side): LevelRow | null {
  const end = batch.rowStart[index + 1] as number
  for (let row = batch.rowStart[index] as number; row < end; row++) {
    if (batch.side[row] === SIDE_CODES[side]) return levelRow(batch, row)
  }
  return null
}

function forceReset(batch: EventBatch, index: number): boolean | null {
  const flags = batch.flags[index] as number
  return (flags & EVENT_FLAGS.FORCE_RESET_GIVEN) === 0 ? null : (flags & EVENT_FLAGS.FORCE_RESET) !== 0
}

function stateText(batch: EventBatch, index: number): string | null {
  const at = (batch.textStart[index] as number) + 1
  return at < (batch.textStart[index + 1] as number) ? textAt(batch.text, at) : null
}

function predictedRate(batch: EventBatch, index: number): Decimal | null {
  const at = (batch.valueStart[index] as number) + 2
  return at < (batch.valueStart[index + 1] as number) ? decimalAt(batch, at) : null
}

const OWN_FIELDS: { readonly [Kind in EventKind]: OwnFields<Extract<TickEvent, { readonly kind: Kind }>> } = {
  snapshot: {
    forceReset,
    made: ({ flags }, index) => ((flags[index] as number) & EVENT_FLAGS.SEAM) !== 0,
    levels: levelRows,
  },
  update: { levels: levelRows },
  trades: { trades: tradeRows },
  state: { state: ({ text, textStart }, index) => textAt(text, textStart[index] as number) ?? '', text: stateText },
  topOfBook: {
    bid: (batch, index) => firstRow(batch, index, 'BID'),
    ask: (batch, index) => firstRow(batch, index, 'ASK'),
  },
  mark: { price: firstValue, greeks: greeksOf },
  index: { price: firstValue },
  funding: {
    rate: (batch, index) => decimalAt(batch, batch.valueStart[index] as number) as Decimal,
    nextFundingTimestampNs: ({ values, valueStart, epochDay }, index) =>
      epochNsOrNull(values[(valueStart[index] as number) + 1] as number, epochDay),
    predictedRate,
  },
  liquidations: { liquidations: liquidationRows },
}

type ViewClass = new (batch: EventBatch, index: number, eventIndex: number) => EventView

function viewOf(kind: EventKind): ViewClass {
  const fields: [name: string, read: FieldReader<unknown>][] = Object.entries(OWN_FIELDS[kind])
  class View extends (kind === 'state' ? EventView : ChainedEventView) {
    get kind(): EventKind {
      return kind
    }

    protected override ownFields(): object {
      return Object.fromEntries(fields.map(([name, read]) => [name, read(this.batch, this.index)]))
    }
  }
  for (const [name, read] of fields) {
    Object.defineProperty(View.prototype, name, {
      get(this: View) {
        return read(this.batch, this.index)
      },
    })
  }
  return View
}

const VIEWS: ViewClass[] = []
for (const kind of EVENT_KIND_NAMES) VIEWS[EVENT_KINDS[kind]] = viewOf(kind)

/**
 * Event `index` of a batch as a typed object. It reads the batch's columns when asked, so the batch must be the
 * caller's own (see `copyBatch`). `eventIndex` is the ordinal in the file.
 */
export function eventFromBatch(batch: EventBatch, index: number, eventIndex: number): TickEvent {
  const View = VIEWS[batch.kind[index] as number] as ViewClass
  return new View(batch, index, eventIndex) as unknown as TickEvent
}
