import { BacktapeError } from '../model/error.js'
import type { Fault } from '../model/fault.js'
import type { SignalRow, SignalValue } from '../model/signal-row.js'
import { isoFromEpochNs, NS_PER_DAY } from '../model/time.js'
import { CHANNEL_MESSAGE_BYTES_MAX, CHANNEL_NAME_MAX } from '../venue/channels.js'
import { RECORD_COLUMNS, recordFault } from './message-columns.js'
import { rowRefusal, type RowBatch, type RowColumn } from '../tables/reading/row-file.js'
import type { OpenRowFile } from '../tables/reading/row-file-reader.js'

/** The terms by which a file is played as a signal. */
export interface SignalTerms {
  readonly name: string
  /** The file as a sentence names it. */
  readonly path: string
  /** Name of the column of the times. */
  readonly time: string
  /** Name of the column with the time of the newest input. */
  readonly known?: string
  readonly delayNs: bigint
  /** The length of one step of times that are integers. */
  readonly unitNs?: bigint
  /**
   * The channel on which its rows are messages, by the columns of {@link MESSAGE_COLUMNS}; absent: they are none. Where
   * the file has a column {@link CHANNEL_COLUMN}, rows of other channels are passed.
   */
  readonly channel?: string
}

/** Columns of a file whose rows are messages of a channel: texts. */
export const MESSAGE_COLUMNS = ['origin', 'message'] as const

/** Column of a file that holds the messages of several channels: texts. */
export const CHANNEL_COLUMN = 'channel'

/** The place up to which a signal was played, plain data. */
export interface SignalPlace {
  /** Rows that lie before the run. */
  readonly skippedCount: number
  /** Rows up to the place, skipped ones included. */
  readonly passedCount: number
}

/** Rows in hand, with the times of the run at which they are due. */
interface DueRows {
  readonly batch: RowBatch
  readonly dueNs: Float64Array
}

/** Rows of one instant that are held at once. */
const INSTANT_ROWS_MAX = 100_000

/** Bounds of 64 bits of nanoseconds: 1677-09-21 to 2262-04-11. */
const LATEST_NS = 9_223_372_036_854_775_807n
const EARLIEST_NS = -9_223_372_036_854_775_808n

/**
 * The rows of one signal in the order of their file, each due at its time and delay. It reads ahead by batches, and
 * gives a row when it is taken, never one behind it.
 */
export class SignalFeed {
  /** When the next row is due, in the time of the run; Infinity where none is in hand. */
  nextNs: number = Infinity
  skippedCount: number = 0
  passedCount: number = 0
  readonly #midnightNs: bigint
  /** The place of the column that says the channel of a row; -1 where all are of the one that is played. */
  readonly #channelAt: number
  #rows: DueRows[] = []
  #index = 0
  #loadedCount = 0
  #loadedNs = -Infinity
  #isEnded = false
  #lastTimeNs: bigint = EARLIEST_NS
  #instantCount = 0

  /** `epochDay` is the first day of the run. */
  constructor(readonly terms: SignalTerms, readonly file: OpenRowFile, epochDay: number) {
    this.#midnightNs = BigInt(epochDay) * BigInt(NS_PER_DAY)
    this.#channelAt = terms.channel === undefined ? -1 : file.columns.findIndex(({ name }) => name === CHANNEL_COLUMN)
  }

  /** True once the file has been read to its end. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Rows that are due before this time are in hand; Infinity once all are. */
  get horizonNs(): number {
    return this.#isEnded ? Infinity : this.#loadedNs
  }

  place(): SignalPlace {
    return { skippedCount: this.skippedCount, passedCount: this.passedCount }
  }

  /**
   * Reads the next rows; false at the end of the file. Throws ROW_INVALID, LIMIT_EXCEEDED, and the errors of the file.
   */
  async load(): Promise<boolean> {
    const batch = await this.file.next()
    if (batch === null) {
      this.#isEnded = true
      await this.file.verify()
      return false
    }
    const dueNs = this.#dueTimes(batch)
    this.#rows.push({ batch, dueNs })
    this.#loadedCount += batch.rowCount
    this.#loadedNs = dueNs[batch.rowCount - 1] as number
    this.#look()
    return true
  }

  /** Passes the rows that are due before the begin of the run. */
  async begin(fromNs: number): Promise<void> {
    while (!this.#isEnded && this.#loadedNs < fromNs) {
      this.#passAll()
      await this.load()
    }
    while (this.nextNs < fromNs) this.#pass()
    this.skippedCount = this.passedCount
  }

  /** Goes to a place of a run before. */
  async resume({ skippedCount, passedCount }: SignalPlace): Promise<void> {
    while (!this.#isEnded && this.#loadedCount < passedCount) {
      this.#passAll()
      await this.load()
    }
    while (this.passedCount < passedCount && this.#rows.length > 0) this.#pass()
    this.skippedCount = skippedCount
  }

  /** The next row; to be called where one is in hand. */
  take(): SignalRow {
    const { batch } = this.#rows[0] as DueRows
    const row: Record<string, SignalValue> = {}
    const { columns } = this.file
    for (let at = 0; at < columns.length; at++)
      row[(columns[at] as RowColumn).name] = batch.columns[at]?.[this.#index] ?? null
    this.#pass()
    return Object.freeze(row)
  }

  #passAll(): void {
    this.passedCount = this.#loadedCount
    this.#rows = []
    this.#index = 0
    this.#look()
  }

  #pass(): void {
    this.#goOn()
    this.#look()
  }

  #goOn(): void {
    this.passedCount++
    if (++this.#index < (this.#rows[0] as DueRows).batch.rowCount) return
    this.#rows.shift()
    this.#index = 0
  }

  #look(): void {
    while (this.#isForeign()) this.#goOn()
    const [first] = this.#rows
    this.nextNs = first === undefined ? Infinity : (first.dueNs[this.#index] as number)
  }

  /** True where the next row is of another channel. */
  #isForeign(): boolean {
    const [first] = this.#rows
    return this.#channelAt >= 0 && first !== undefined &&
      first.batch.columns[this.#channelAt]?.[this.#index] !== this.terms.channel
  }

  /** The times of a batch in the time of the run, Infinity where it lies more than 104 days behind its begin. */
  #dueTimes(batch: RowBatch): Float64Array {
    const { time, known, delayNs, channel } = this.terms
    if (channel !== undefined) this.#checkMessages(batch)
    const { columns } = this.file
    const times = batch.columns[columns.findIndex(({ name }) => name === time)] ?? []
    const inputs = known === undefined ? null : (batch.columns[columns.findIndex(({ name }) => name === known)] ?? [])
    return Float64Array.from({ length: batch.rowCount }, (_, at) => {
      const row = this.#loadedCount + at + 1
      const timeNs = this.#timeOf(time, row, times[at] ?? null)
      if (inputs !== null && known !== undefined) this.#checkKnown(known, row, inputs[at] ?? null, timeNs)
      this.#checkOrder(row, timeNs)
      const due = Number(timeNs + delayNs - this.#midnightNs)
      return Number.isSafeInteger(due) ? due : Math.sign(due) * Infinity
    })
  }

  /** Messages have an origin and a text, as those that come over a wire; those of a broker may have no text. */
  #checkMessages(batch: RowBatch): void {
    const { columns, rowCount } = batch
    const { path } = this.terms
    const record = this.file.columns.flatMap(({ name }, at) => {
      const kind = Object.entries(RECORD_COLUMNS).find(([one]) => one === name)?.[0]
      return kind === undefined ? [] : [{ name: kind, values: batch.columns[at] ?? [] }]
    })
    for (const { name, values } of record)
      for (let at = 0; at < rowCount; at++) {
        const expected = recordFault(name, values[at] ?? null)
        if (expected !== null)
          throw rowRefusal(path, this.#loadedCount + at + 1, JSON.stringify(name), expected, String(values[at]))
      }
    for (const column of MESSAGE_COLUMNS) {
      const values = columns[this.file.columns.findIndex(({ name }) => name === column)] ?? []
      for (let at = 0; at < rowCount; at++) {
        const value = (values[at] ?? null) as string | null
        const isHeld = value === null ? column === 'message' && record.length > 0
          : column === 'message' ? hasRoom(value) : value.length > 0 && value.length <= CHANNEL_NAME_MAX
        if (isHeld) continue
        const expected = column === 'message'
          ? `a text of at most ${CHANNEL_MESSAGE_BYTES_MAX} bytes` : `a text of 1 to ${CHANNEL_NAME_MAX} characters`
        throw rowRefusal(
          path, this.#loadedCount + at + 1, JSON.stringify(column), expected,
          value === null ? 'null' : `${value.length} characters`,
        )
      }
    }
  }

  #timeOf(column: string, row: number, value: SignalValue): bigint {
    const { path, unitNs = 1n } = this.terms
    if (value === null) throw rowRefusal(path, row, JSON.stringify(column), 'a time', 'null')
    const timeNs = BigInt(value as bigint | number) * unitNs
    if (timeNs >= EARLIEST_NS && timeNs <= LATEST_NS) return timeNs
    throw rowRefusal(path, row, JSON.stringify(column), 'a time from 1678 to 2261', String(value))
  }

  #checkKnown(column: string, row: number, value: SignalValue, timeNs: bigint): void {
    const knownNs = this.#timeOf(column, row, value)
    if (knownNs <= timeNs) return
    throw rowRefusal(
      this.terms.path, row, JSON.stringify(column), `at most its ${this.terms.time}, ${isoFromEpochNs(timeNs)}`,
      `${isoFromEpochNs(knownNs)}: the row is from the future`,
    )
  }

  #checkOrder(row: number, timeNs: bigint): void {
    const { path, time } = this.terms
    const before = this.#lastTimeNs
    this.#instantCount = timeNs === before ? this.#instantCount + 1 : 1
    this.#lastTimeNs = timeNs
    if (timeNs < before)
      throw rowRefusal(
        path, row, JSON.stringify(time), `at or after that of the row before, ${isoFromEpochNs(before)}`,
        isoFromEpochNs(timeNs),
      )
    if (this.#instantCount <= INSTANT_ROWS_MAX) return
    throw new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot read row ${row} of ${path}: at most ${INSTANT_ROWS_MAX} rows may have one time, found more`,
      { file: path, row, expected: `at most ${INSTANT_ROWS_MAX} rows of one time`, found: 'more' },
    )
  }
}

/** True for a text of which a message holds every byte. */
function hasRoom(text: string): boolean {
  return text.length * 3 <= CHANNEL_MESSAGE_BYTES_MAX ||
    new TextEncoder().encode(text).length <= CHANNEL_MESSAGE_BYTES_MAX
}

/** The faults of a signal that the columns of its file show; their paths are relative to the signal. */
export function signalFaults(terms: SignalTerms, columns: readonly RowColumn[]): Fault[] {
  return [...timeFaults(terms, columns), ...(terms.channel === undefined ? [] : messageFaults(columns))]
}

function messageFaults(columns: readonly RowColumn[]): Fault[] {
  const names = columns.some(({ name }) => name === CHANNEL_COLUMN)
    ? [...MESSAGE_COLUMNS, CHANNEL_COLUMN] : MESSAGE_COLUMNS
  const missing = names.flatMap((name) => {
    const column = columns.find((one) => one.name === name)
    if (column?.kind === 'text') return []
    const found = column === undefined ? 'none' : `one of ${column.kind ?? 'text'}s`
    return [{ path: 'file', expected: `a column ${JSON.stringify(name)} of texts, as a channel is stated`, found }]
  })
  const wrong = Object.entries(RECORD_COLUMNS).flatMap(([name, kind]) => {
    const column = columns.find((one) => one.name === name)
    if (column === undefined || column.kind === kind) return []
    const expected = `a column ${JSON.stringify(name)} of ${kind}s, as a channel is stated`
    return [{ path: 'file', expected, found: `one of ${column.kind ?? 'text'}s` }]
  })
  return [...missing, ...wrong]
}

function timeFaults({ time, known, unitNs }: SignalTerms, columns: readonly RowColumn[]): Fault[] {
  return Object.entries({ time, ...(known === undefined ? {} : { known }) }).flatMap(([path, name]) => {
    const column = columns.find((one) => one.name === name)
    if (column === undefined) {
      const names = columns.map((one) => one.name).join(', ').slice(0, 200)
      return [{ path, expected: `a column of the file (${names})`, found: JSON.stringify(name) }]
    }
    const kind = unitNs === undefined ? 'timestamp' : 'integer'
    if (column.kind === kind) return []
    const advice = unitNs === undefined ? ', or integers and their unit' : ', as a unit is stated'
    const found = `${JSON.stringify(name)} of ${column.kind ?? 'text'}s`
    return [{ path, expected: `a column of ${kind}s${advice}`, found }]
  })
}
