import { BacktapeError } from '../../model/error.js'
import { epochDayFromText } from '../../model/time.js'
import type { ReadOptions } from '../../tickfile/archive/read-options.js'
import { dataFromText, type InstrumentDays } from '../../tickfile/data-input.js'
import type { SelectionOptions } from '../../tickfile/data-selection-reader.js'

/** The words typed after the command's name, checked: every option is known and has a value of its type. */
export class Arguments {
  /** The words without an option in front. */
  readonly words: readonly string[]
  /** Set off by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  private readonly values: Readonly<Record<string, unknown>>

  constructor(words: readonly string[], values: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    this.words = words
    this.signal = signal
    this.values = values
  }

  /** True where an option was typed. */
  has(name: string): boolean {
    return this.values[name] !== undefined
  }

  flag(name: string): boolean {
    return this.values[name] === true
  }

  text(name: string): string | undefined {
    const value = this.values[name]
    if (Array.isArray(value)) throw optionError(name, 'given once', `${String(value.length)} of them`)
    if (value === '') throw optionError(name, 'followed by a value', 'nothing')
    return value as string | undefined
  }

  /** All values of an option that may be repeated, as they were typed. */
  list(name: string): string[] | undefined {
    const value = this.values[name] as string | string[] | undefined
    if (value === undefined) return undefined
    const texts = [value].flat()
    if (texts.includes('')) throw optionError(name, 'followed by a value', 'nothing')
    return texts
  }

  /** All values of an option that may be repeated; commas separate too. */
  texts(name: string): string[] | undefined {
    const value = this.values[name] as string | string[] | undefined
    if (value === undefined) return undefined
    const texts = [value].flat().flatMap((item) => item.split(','))
    return texts.map((text) => text.trim()).filter((text) => text !== '')
  }

  /** A whole number of at least `least`. */
  count(name: string, least = 1): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    if (value >= least) return value
    throw optionError(name, `a whole number from ${String(least)} upwards`, JSON.stringify(text))
  }

  /** The words as names of data. */
  data(): (string | InstrumentDays)[] {
    return this.words.map(dataFromText)
  }

  /** The options of `READ_OPTIONS` and `PREFER_OPTION` in command-options. */
  selectionOptions(): ReadOptions & Pick<SelectionOptions, 'prefer'> {
    const prefer = this.text('prefer')
    return { ...this.readOptions(), ...(prefer === undefined ? {} : { prefer }) }
  }

  /** The options of `READ_OPTIONS` in command-options. */
  readOptions(): ReadOptions {
    const day = this.text('day')
    if (day !== undefined && epochDayFromText(day) === null)
      throw optionError('day', 'a day as YYYY-MM-DD', JSON.stringify(day))
    const onDamage = this.text('onDamage') as 'stop' | 'count' | 'skip' | undefined
    const zstd = this.text('zstd') as 'auto' | 'native' | 'wasm' | 'fzstd' | undefined
    return {
      signal: this.signal, ...(day === undefined ? {} : { day }), ...(onDamage === undefined ? {} : { onDamage }),
      ...(zstd === undefined ? {} : { zstd }),
    }
  }
}

/** An option as it is typed: `checkpointEvery` is `--checkpoint-every`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The error for an option whose value means nothing. */
export function optionError(name: string, expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot use --${kebab(name)}: it must be ${expected}, found ${found}`, {
    field: name, expected, found: found.slice(0, 80),
  })
}

const HIGHEST_PORT = 65_535

/** The port that an option states. Throws OPTION_INVALID. */
export function portOf(args: Arguments, name: string): number | undefined {
  const port = args.count(name, 0)
  if (port === undefined || port <= HIGHEST_PORT) return port
  throw optionError(name, `a port from 0 to ${String(HIGHEST_PORT)}`, String(port))
}
