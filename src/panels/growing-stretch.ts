import type {
  EventColumns, FillRows, InstrumentColumns, OrderRows, OwnOrder, StretchColumns,
} from './stretch-columns.js'

/**
 * The part that follows a stretch: the rows of later events, by the columns that they are added to. Its instruments
 * are all of them, in their order, at the scales of those before.
 */
export interface StretchPart {
  readonly events: EventColumns
  readonly instruments: readonly InstrumentColumns[]
  /** Later orders. */
  readonly orders: readonly OwnOrder[]
  readonly orderRows: OrderRows
  readonly fills: FillRows
  /** Receipts of fills that stand before this part, by their places. */
  readonly receipts: { readonly event: readonly number[]; readonly fill: readonly number[] }
  readonly lines: StretchColumns['lines']
  /** As in a stretch, from its begin on. */
  readonly unseenCount: number
}

/** A place in a stretch, up to which somebody has it: counts of rows. */
export interface StretchPlace {
  readonly event: number
  readonly order: number
  readonly orderRow: number
  readonly fill: number
  readonly receipt: number
  readonly line: number
  /** Of each instrument: rows of levels, trades and states. */
  readonly instruments: readonly (readonly [levels: number, trades: number, states: number])[]
}

type Columns = object

/** Adds the rows of columns to those of the same names. */
function add(target: Columns, rows: Columns): void {
  for (const [name, column] of Object.entries(target) as [string, unknown[]][]) {
    // A spread of arguments has a limit.
    for (const value of (rows as Record<string, readonly unknown[]>)[name] ?? []) column.push(value)
  }
}

/** The rows of columns from one on. */
function from<Rows extends Columns>(columns: Rows, row: number): Rows {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => (
    [name, (column as readonly unknown[]).slice(row)]))) as Rows
}

const copy = <Rows extends Columns>(columns: Rows): Rows => from(columns, 0)

function copiedInstrument({ levels, trades, states, ...head }: InstrumentColumns): InstrumentColumns {
  return { ...head, levels: copy(levels), trades: copy(trades), states: copy(states) }
}

/**
 * A stretch that goes on: parts are added to it, and whoever has it up to a place gets what follows. The columns are
 * its own; they are the same objects for as long as it lives.
 *
 * @example `new GrowingStretch(columns).add(part)`
 */
export class GrowingStretch {
  readonly columns: StretchColumns
  readonly #orders: OwnOrder[]
  readonly #instruments: InstrumentColumns[]
  readonly #receipts: { readonly event: number[]; readonly fill: number[] } = { event: [], fill: [] }
  #unseenCount: number

  constructor(columns: StretchColumns) {
    const { events, orderRows, fills, lines, unseenCount } = columns
    this.#orders = [...columns.orders]
    this.#instruments = columns.instruments.map(copiedInstrument)
    this.#unseenCount = unseenCount
    this.columns = {
      ...columns, events: copy(events), instruments: this.#instruments, orders: this.#orders,
      orderRows: copy(orderRows), fills: copy(fills), lines: copy(lines),
    }
  }

  /** Rows of all kinds. */
  get rowCount(): number {
    const { events, orderRows, fills, lines } = this.columns
    const own = events.kind.length + orderRows.event.length + fills.event.length + lines.event.length
    return this.#instruments.reduce((sum, { levels, trades, states }) => (
      sum + levels.event.length + trades.event.length + states.event.length), own)
  }

  /** Where it ends. */
  get place(): StretchPlace {
    const { events, orderRows, fills, lines } = this.columns
    return {
      event: events.kind.length, order: this.#orders.length, orderRow: orderRows.event.length,
      fill: fills.event.length, receipt: this.#receipts.event.length, line: lines.event.length,
      instruments: this.#instruments.map(({ levels, trades, states }) => (
        [levels.event.length, trades.event.length, states.event.length])),
    }
  }

  /** Adds what follows. Throws RangeError where its instruments are not those of the stretch at their scales. */
  add(part: StretchPart): void {
    for (const [at, known] of this.#instruments.entries()) {
      const now = part.instruments[at]
      const isSame = now?.name === known.name && now.priceScale === known.priceScale &&
        now.quantityScale === known.quantityScale
      if (!isSame) throw new RangeError(`A part has other scales of ${known.name} than its stretch`)
    }
    const { events, orderRows, fills, lines } = this.columns
    add(events, part.events)
    add(orderRows, part.orderRows)
    add(fills, part.fills)
    add(lines, part.lines)
    for (const [at, one] of part.instruments.entries()) {
      const known = this.#instruments[at]
      if (known === undefined) this.#instruments.push(copiedInstrument(one))
      else for (const name of ['levels', 'trades', 'states'] as const) add(known[name], one[name])
    }
    this.#orders.push(...part.orders)
    add(this.#receipts, part.receipts)
    const receipt = fills.receipt as number[]
    for (const [at, fill] of part.receipts.fill.entries()) receipt[fill] = part.receipts.event[at] as number
    this.#unseenCount = part.unseenCount
  }

  /** The part that follows a place of it. */
  since(place: StretchPlace): StretchPart {
    const { events, orderRows, fills, lines } = this.columns
    return {
      events: from(events, place.event), orders: this.#orders.slice(place.order),
      orderRows: from(orderRows, place.orderRow), fills: from(fills, place.fill),
      receipts: from(this.#receipts, place.receipt), lines: from(lines, place.line), unseenCount: this.#unseenCount,
      instruments: this.#instruments.map((one, at) => {
        const [levels, trades, states] = place.instruments[at] ?? []
        return {
          ...one, levels: from(one.levels, levels ?? 0), trades: from(one.trades, trades ?? 0),
          states: from(one.states, states ?? 0),
        }
      }),
    }
  }
}
