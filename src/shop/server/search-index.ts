import { SHOP } from '../../protocol/shop/shop-tables.js'
import { BestHits } from './search-hits.js'
import { postingsOf, type SearchPostings, termPlace } from './search-postings.js'
import { PART_KIND, plainWord, PREFIX_SCORE, termsOf } from './search-terms.js'
import type { GoodsInstrument } from './shop-goods.js'

/** The fields by which an instrument is found and put in order. */
const FIELDS = ['code', 'type', 'base', 'counter', 'exchangeCode', 'exchangeName'] as const

/** Each class that instruments have, once. */
const CLASSES: readonly string[] = [...new Set<string>(Object.values(SHOP.classes).flat())]
/** The class of an instrument of another type. */
const NO_CLASS = 31
/** The score of an instrument without a word. */
const NO_SCORE = 1 << 20

/** The conditions of a search beside its words; null: none. */
export interface SearchFilters {
  readonly classes: readonly string[] | null
  /** Places among {@link SearchIndex.venues}, of each condition a list: a venue must be in all of them. */
  readonly venues: readonly (readonly number[])[]
  readonly base: string | null
}

/** Hits of a search: all are counted, the best have their instruments. */
export interface SearchHits {
  readonly total: number
  /** Ids, the best first. */
  readonly ids: readonly number[]
}

/** An exchange. */
export interface SearchVenue {
  readonly code: string
  readonly name: string
}

/** A word of a search: the terms that begin with it, and the instrument of which it is the id. */
interface WantedWord {
  readonly from: number
  readonly end: number
  /** The term that is the word itself; -1: there is none. */
  readonly whole: number
  readonly id: number | null
  /** Postings of its terms. */
  readonly count: number
}

/**
 * An index over instruments: terms in their order, each with its instruments, in typed arrays. The words of a search
 * are beginnings of terms; the one with the fewest hits is looked up, and the others are looked for there.
 */
export class SearchIndex {
  readonly venues: readonly SearchVenue[]
  /** In the order of hits that are equally good: short codes first. */
  readonly #instruments: readonly GoodsInstrument[]
  readonly #places: ReadonlyMap<number, number>
  readonly #class: Uint8Array
  readonly #venue: Uint32Array
  readonly #base: readonly string[]
  readonly #postings: SearchPostings
  /** Instruments that were found by the current word. */
  readonly #found: Uint32Array
  readonly #marks: Uint32Array
  #mark = 0

  constructor(instruments: Iterable<GoodsInstrument>) {
    const sorted = [...instruments].sort(inOrder)
    this.#instruments = sorted
    this.#places = new Map(sorted.map(({ id }, place) => [id, place]))
    const names = new Map(sorted.map(({ exchangeCode, exchangeName }) => [exchangeCode, exchangeName]))
    this.venues = [...names].map(([code, name]) => ({ code, name })).sort((a, b) => (a.code < b.code ? -1 : 1))
    const venuePlaces = new Map(this.venues.map(({ code }, place) => [code, place]))
    this.#venue = Uint32Array.from(sorted, ({ exchangeCode }) => venuePlaces.get(exchangeCode) ?? 0)
    this.#class = Uint8Array.from(sorted, ({ type }) => CLASSES.includes(type) ? CLASSES.indexOf(type) : NO_CLASS)
    this.#base = sorted.map(({ base }) => plainWord(base ?? ''))
    this.#postings = postingsOf(sorted.map(termsOf))
    this.#found = new Uint32Array(sorted.length)
    this.#marks = new Uint32Array(sorted.length)
  }

  /** True where an index over these instruments would find the same. */
  isOf(instruments: Iterable<GoodsInstrument>): boolean {
    let count = 0
    for (const one of instruments) {
      const known = this.#instruments[this.#places.get(one.id) ?? -1]
      if (known === undefined || (known !== one && FIELDS.some((field) => known[field] !== one[field]))) return false
      count++
    }
    return count === this.#instruments.length
  }

  /** True where a plain word is a code, a pair or an asset, whole. */
  isWhole(word: string): boolean {
    const { terms, termKinds } = this.#postings
    const place = termPlace(terms, word)
    return terms[place] === word && (termKinds[place] ?? PART_KIND) < PART_KIND
  }

  /** The instruments that have every word, plain ones, and the best of them; a number is an id too. */
  find(words: readonly string[], filters: SearchFilters, limit: number): SearchHits {
    const isThrough = this.#filter(filters)
    const hits = new BestHits(limit)
    const wanted = words.map((word) => this.#wanted(word)).sort((a, b) => a.count - b.count)
    const [rarest] = wanted
    const count = rarest === undefined ? this.#instruments.length : this.#collect(rarest)
    for (let at = 0; at < count; at++) {
      const place = rarest === undefined ? at : this.#found[at] ?? 0
      if (!isThrough(place)) continue
      let score = 0
      for (const word of wanted) score += place === word.id ? 0 : this.#scoreOf(place, word)
      if (score < NO_SCORE) hits.add(score, place)
    }
    return { total: hits.total, ids: hits.places().map((place) => this.#instruments[place]?.id ?? 0) }
  }

  #filter({ classes, venues, base }: SearchFilters): (place: number) => boolean {
    const bits = classes?.reduce((all, name) => all | (1 << CLASSES.indexOf(name)), 0) ?? -1
    const isWanted = Uint8Array.from(this.venues, (_, venue) => venues.every((list) => list.includes(venue)) ? 1 : 0)
    const wantedBase = base === null ? null : plainWord(base)
    return (place) => (bits >>> (this.#class[place] ?? 0) & 1) === 1 && isWanted[this.#venue[place] ?? 0] === 1 &&
      (wantedBase === null || this.#base[place] === wantedBase)
  }

  #wanted(word: string): WantedWord {
    const { terms, termStart } = this.#postings
    const from = termPlace(terms, word)
    const end = termPlace(terms, `${word}\uffff`)
    const id = /^\d{1,16}$/.test(word) ? this.#places.get(Number(word)) ?? null : null
    const count = (termStart[end] ?? 0) - (termStart[from] ?? 0)
    return { from, end, whole: terms[from] === word ? from : -1, id, count }
  }

  /** Puts each instrument with a word into the found ones, once; their number. */
  #collect({ from, end, id }: WantedWord): number {
    const { termStart, ofTerm } = this.#postings
    const mark = this.#nextMark()
    let count = 0
    const take = (place: number): void => {
      if (this.#marks[place] === mark) return
      this.#marks[place] = mark
      this.#found[count++] = place
    }
    if (id !== null) take(id)
    for (let at = termStart[from] ?? 0; at < (termStart[end] ?? 0); at++) take(ofTerm[at] ?? 0)
    return count
  }

  #nextMark(): number {
    if (this.#mark === 0xffff_ffff) this.#marks.fill(this.#mark = 0)
    return ++this.#mark
  }

  /** The best score of an instrument's terms that begin with a word. */
  #scoreOf(place: number, { from, end, whole }: WantedWord): number {
    const { ownStart, ownTerms, ownKinds } = this.#postings
    let best = NO_SCORE
    for (let at = ownStart[place] ?? 0; at < (ownStart[place + 1] ?? 0); at++) {
      const term = ownTerms[at] ?? 0
      if (term < from || term >= end) continue
      const score = (ownKinds[at] ?? 0) + (term === whole ? 0 : PREFIX_SCORE)
      if (score < best) best = score
    }
    return best
  }
}

/** Short codes first, then by code, exchange and id. */
function inOrder(a: GoodsInstrument, b: GoodsInstrument): number {
  if (a.code.length !== b.code.length) return a.code.length - b.code.length
  if (a.code !== b.code) return a.code < b.code ? -1 : 1
  if (a.exchangeCode !== b.exchangeCode) return a.exchangeCode < b.exchangeCode ? -1 : 1
  return a.id - b.id
}
