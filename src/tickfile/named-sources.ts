import { BacktapeError } from '../model/error.js'
import { isSkippedMember, openSources } from './archive/source-reader.js'
import type { SkippedMember, TickSource } from './archive/tick-source.js'
import { isInstrumentDays, type DataInput } from './data-input.js'
import { isWide, selectedSources, type RefusedSource, type SelectionOptions } from './data-selection-reader.js'

/**
 * The inputs of one command or run, each tick file named once: as a path in any spelling, as a member, with its whole
 * archive, or by a folder, a pattern or its instrument.
 */
export class NamedSources {
  /** Name by place. */
  readonly #names: Map<string, string> = new Map()
  readonly #options: SelectionOptions

  constructor(options: SelectionOptions = {}) {
    this.#options = options
  }

  /**
   * The tick files of one input, as {@link openSources} and {@link selectedSources} give them; where an input before
   * this one named the same file, its refusal stands in its place. An archive may hold two members of one name. Throws
   * as those do.
   */
  async *open(input: DataInput): AsyncGenerator<TickSource | SkippedMember | RefusedSource, void, undefined> {
    const own = new Map<string, string>()
    const isSelection = isInstrumentDays(input) || (typeof input === 'string' && (await isWide(input)))
    const found = isSelection ? selectedSources(input, this.#options) : openSources(input, this.#options)
    try {
      for await (const one of found) {
        if (!('error' in one) && !isSkippedMember(one) && one.place !== undefined) {
          own.set(one.place, one.name)
          yield this.#twiceNamed(one.place, one.name) ?? one
        } else yield one
      }
    } finally {
      for (const [place, name] of own) this.#names.set(place, name)
    }
  }

  #twiceNamed(place: string, name: string): RefusedSource | null {
    const before = this.#names.get(place)
    if (before === undefined) return null
    const other = before === name ? '' : `: ${before} is the same file`
    const error = new BacktapeError('OPTION_INVALID', `${name} is named twice${other}; name each file once`, {
      file: name, field: 'inputs', found: before,
    })
    return { name, error }
  }
}
