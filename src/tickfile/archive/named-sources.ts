import { BacktapeError } from '../../model/error.js'
import { isSkippedMember, openSources } from './source-reader.js'
import type { SkippedMember, TickInput, TickSource } from './tick-source.js'
import type { ReadOptions } from './read-options.js'

/** A tick file that an input before names too. */
export interface TwiceNamed {
  readonly name: string
  /** OPTION_INVALID. */
  readonly error: BacktapeError
}

/**
 * The inputs of one command or run, each tick file named once: as a path in any spelling, as a member, or with its
 * whole archive.
 */
export class NamedSources {
  /** Name by place. */
  readonly #names: Map<string, string> = new Map()
  readonly #options: Pick<ReadOptions, 'signal'>

  constructor(options: Pick<ReadOptions, 'signal'> = {}) {
    this.#options = options
  }

  /**
   * The tick files of one input, as {@link openSources} gives them; where an input before this one named the same file,
   * its refusal stands in its place. An archive may hold two members of one name. Throws as {@link openSources} does.
   */
  async *open(input: TickInput): AsyncGenerator<TickSource | SkippedMember | TwiceNamed, void, undefined> {
    const own = new Map<string, string>()
    try {
      for await (const found of openSources(input, this.#options)) {
        if (!isSkippedMember(found) && found.place !== undefined) {
          own.set(found.place, found.name)
          yield this.#twiceNamed(found.place, found.name) ?? found
        } else yield found
      }
    } finally {
      for (const [place, name] of own) this.#names.set(place, name)
    }
  }

  #twiceNamed(place: string, name: string): TwiceNamed | null {
    const before = this.#names.get(place)
    if (before === undefined) return null
    const other = before === name ? '' : `: ${before} is the same file`
    const error = new BacktapeError('OPTION_INVALID', `${name} is named twice${other}; name each file once`, {
      file: name, field: 'inputs', found: before,
    })
    return { name, error }
  }
}
