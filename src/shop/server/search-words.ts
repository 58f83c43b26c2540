import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { SearchIndex, SearchVenue } from './search-index.js'
import { plainWord } from './search-terms.js'

/** The words of a `q`, understood. */
export interface SearchWords {
  /** The venue that a word of it names; null: none does. */
  readonly venue: string | null
  /** The classes that words of it name; null: none does. */
  readonly classes: readonly string[] | null
  /** The words that are left, as they came. */
  readonly rest: readonly string[]
}

/** Words of a search that are looked up; those behind them are left out. */
const WORDS_MAX = 16

/** The classes of a class word; null: it is none. */
export function classesOf(word: string): readonly string[] | null {
  const known: Readonly<Record<string, readonly string[]>> = SHOP.classes
  const small = word.toLowerCase()
  return Object.hasOwn(known, small) ? known[small] ?? null : null
}

/**
 * The venues of a code, of the name of an exchange, or of a family: the code up to an underscore. Places among those of
 * the index.
 */
export function venuesOf(venues: readonly SearchVenue[], word: string): readonly number[] {
  const small = word.toLowerCase()
  return venues.flatMap(({ code, name }, place) => {
    const one = code.toLowerCase()
    return small !== '' && (one === small || one.startsWith(`${small}_`) || name.toLowerCase() === small) ? [place] : []
  })
}

/**
 * Class and venue words of a `q`, and the rest. A word alone that is the whole code or asset of an instrument stays
 * itself; so does a second venue.
 */
export function searchWords(q: string, index: SearchIndex): SearchWords {
  const words = q.split(/[\s,;]+/).filter((word) => word !== '').slice(0, WORDS_MAX)
  const [only] = words
  if (words.length === 1 && only !== undefined && index.isWhole(plainWord(only)))
    return { venue: null, classes: null, rest: words }
  let venue: string | null = null
  const classes = new Set<string>()
  const rest: string[] = []
  for (const word of words) {
    const named = classesOf(word)
    if (named !== null) for (const one of named) classes.add(one)
    else if (venue === null && venuesOf(index.venues, word).length > 0) venue = word.toLowerCase()
    else rest.push(word)
  }
  return { venue, classes: classes.size === 0 ? null : [...classes], rest }
}

/** Letters that two words may differ in, and be taken for each other. */
const DISTANCE_MAX = 2
const SUGGESTIONS = 3

/** The venue codes that are nearest to words: they begin alike, or differ in two letters at most. */
export function nearestVenues(venues: readonly SearchVenue[], words: readonly string[]): readonly string[] {
  const near = venues.flatMap(({ code }) => {
    const small = code.toLowerCase()
    const [family = small] = small.split('_')
    const distances = words.map((word) => nearness(word.toLowerCase(), small, family))
    const least = Math.min(...distances)
    return least <= DISTANCE_MAX ? [{ code, least }] : []
  })
  near.sort((a, b) => a.least - b.least || (a.code < b.code ? -1 : 1))
  return near.slice(0, SUGGESTIONS).map(({ code }) => code)
}

function nearness(word: string, code: string, family: string): number {
  if (word.length >= 3 && code.startsWith(word)) return 0
  const least = Math.min(letterDistance(word, code), letterDistance(word, family))
  // A word of few letters is near to everything.
  return least < word.length / 2 ? least : Infinity
}

/** Letters to change, add and take away; Infinity where it is surely more than {@link DISTANCE_MAX}. */
function letterDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > DISTANCE_MAX) return Infinity
  let before = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let at = 1; at <= b.length; at++) {
      const changed = (before[at - 1] ?? 0) + (a[row - 1] === b[at - 1] ? 0 : 1)
      current.push(Math.min(changed, (before[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1))
    }
    before = current
  }
  return before[b.length] ?? Infinity
}
