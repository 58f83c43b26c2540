import { durationNsFromText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { foundText, kindOfFound } from '../model/fault.js'
import type { JsonObject } from '../model/json-object.js'
import { epochNsFromText, timeFromEpochNs } from '../model/time.js'
import { findInstrument, INSTRUMENT_REFERENCE, ValueRefusal } from '../strategy/instrument-reference.js'
import type { InstrumentDirectory } from '../venue/venue.js'

/** An action that cannot be done: its HTTP status, and what was expected where. */
export class ControlRefusal extends Error {
  constructor(
    readonly status: 400 | 404 | 409, readonly field: string, readonly expected: string, readonly found: string,
  ) {
    super(`${field === '' ? 'the action' : field}: expected ${expected}, found ${found}`)
  }
}

/** The names by which fields of a body are read. */
export interface BodyNames {
  readonly instruments: InstrumentDirectory
  readonly accounts: readonly string[]
  readonly markets: readonly string[]
  readonly epochDay: number
}

/** The names of a server without a replay, and of a configuration before its data are open. */
export const NO_NAMES: BodyNames = {
  instruments: { entries: [], get: () => undefined }, accounts: [], markets: [], epochDay: 0,
}

const DAY_NS = 86_400_000_000_000

/** The fields of an action; each reader refuses a value of another form. */
export class ControlBody {
  constructor(private readonly fields: JsonObject, private readonly names: BodyNames) {}

  has(name: string): boolean {
    return this.fields[name] !== undefined
  }

  /** The value as it stands. */
  value(name: string): unknown {
    return this.fields[name]
  }

  text(name: string, expected: string): string {
    const value = this.fields[name]
    return typeof value === 'string' && value !== '' ? value : this.refuse(name, expected)
  }

  choice<Word extends string>(name: string, words: readonly Word[], otherwise: Word): Word {
    const value = this.fields[name] ?? otherwise
    return words.find((word) => word === value) ?? this.refuse(name, `one of ${words.join(', ')}`)
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.fields[name] ?? otherwise
    return typeof value === 'boolean' ? value : this.refuse(name, 'true or false')
  }

  count(name: string, [least, most]: readonly [number, number], otherwise: number): number {
    const value = this.fields[name] ?? otherwise
    return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? value
      : this.refuse(name, `a whole number from ${String(least)} to ${String(most)}`)
  }

  /** Nanoseconds of a duration such as `2s`, at most a day. */
  durationNs(name: string, otherwise: string): number {
    const value = this.fields[name] ?? otherwise
    if (typeof value !== 'string') return this.refuse(name, 'a duration such as 10ms, 30s or 1h')
    return durationNsFromText(value, { mostNs: DAY_NS }, (expected) => this.refusal(name, expected))
  }

  /** A time of the clock, nanoseconds. */
  timeNs(name: string): number {
    const text = this.text(name, 'a time: 12:00, ISO-8601 or digits of epoch nanoseconds')
    try {
      return timeFromEpochNs(epochNsFromText(text, this.names.epochDay), this.names.epochDay)
    } catch (error) {
      if (error instanceof BacktapeError) return this.refuse(name, error.place.expected ?? 'a time')
      throw error
    }
  }

  /** The id of an instrument, which is named by its id, `exchange:code` or code. */
  instrumentId(name = 'instrument'): number {
    const value = this.fields[name]
    const text = typeof value === 'number' ? String(value) : this.text(name, INSTRUMENT_REFERENCE)
    try {
      return findInstrument(this.names.instruments, text).instrument.id
    } catch (error) {
      if (error instanceof ValueRefusal) return this.refuse(name, error.expected)
      throw error
    }
  }

  /** The account that is named; null: all. */
  account(): string | null {
    return this.#named('account', this.names.accounts)
  }

  /** The market that is named; null: all. */
  market(): string | null {
    return this.#named('market', this.names.markets)
  }

  refusal(name: string, expected: string): ControlRefusal {
    const found = foundText(this.fields[name])
    return new ControlRefusal(400, name, expected, /key/i.test(name) ? kindOfFound(found) : found)
  }

  refuse(name: string, expected: string): never {
    throw this.refusal(name, expected)
  }

  #named(name: string, known: readonly string[]): string | null {
    const value = this.fields[name] ?? null
    if (value === null) return null
    return known.find((one) => one === value) ?? this.refuse(name, `one of ${known.join(', ')}`)
  }
}
