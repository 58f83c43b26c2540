import { showAsText } from './display.js'
import type { RandomNumbers } from './random.js'
import { uuidFromRandom, uuidWords } from './uuid.js'

/**
 * The id of an order, a fill or a request: the text that came from outside, or one that this run has drawn. As a text
 * (`String(id)`) both are the same; one id is one object in a run, so both are keys of a Map.
 */
export type Id = string | DrawnId

/** True for an id. */
export function isId(value: unknown): value is Id {
  return typeof value === 'string' || value instanceof DrawnId
}

/** Whoever numbers ids; the number of one that it has numbered lies in the id. */
export type IdNumbering = object

/**
 * An id that a run has drawn: a UUID that is a pure function of the seed, the purpose and a counter. Nearly all ids of
 * a run go from hand to hand and are read by nobody, so the text is made when somebody looks.
 *
 * @example
 * ```ts
 * import { RandomNumbers } from 'backtape'
 * import { DrawnId } from 'backtape/columns'
 * const id = new DrawnId(new RandomNumbers(7, 'id maker', 0), 0)
 * console.log(`${id}`, JSON.stringify({ id }))
 * ```
 */
export class DrawnId {
  #text: string | null = null
  #numbering: IdNumbering | null = null
  #number = 0

  constructor(
    /** The random numbers that it is one of. */
    readonly source: RandomNumbers,
    /** Its number among the ids of its source. */
    readonly count: number,
  ) {}

  /** The UUID, in lower case. */
  toString(): string {
    return (this.#text ??= uuidFromRandom(this.source, this.count))
  }

  /** The same, for JSON. */
  toJSON(): string {
    return this.toString()
  }

  /** The UUID as four numbers of 32 bits. */
  words(into: Uint32Array): void {
    uuidWords(this.source, this.count, into)
  }

  /**
   * The number that a numbering has given it last; 0 where another one has, or none.
   *
   * @internal
   */
  numberIn(numbering: IdNumbering): number {
    return this.#numbering === numbering ? this.#number : 0
  }

  /**
   * Notes the number that a numbering gives it.
   *
   * @internal
   */
  takeNumber(numbering: IdNumbering, number: number): void {
    this.#numbering = numbering
    this.#number = number
  }
}

showAsText(DrawnId.prototype, (id) => id.toString())
