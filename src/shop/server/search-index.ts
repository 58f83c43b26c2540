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
const NO_CLASS = CLASSES.length
const CLASS_PLACES: number = CLASSES.length + 1
/** Searches whose hits are kept. */
const ANSWERS_MAX = 1_000
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

/** {@link SearchFilters} as they are looked up. */
interface Flags {
  readonly classes: Uint8Array
  readonly venues: Uint8Array
  readonly base: number | null
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
  /** Instruments of each venue and class. */
  readonly #counts: Uint32Array
  readonly #base: Uint32Array
  /** Base assets, plain, by their place. */
  readonly #bases: ReadonlyMap<string, number>
  readonly #postings: SearchPostings
  /** Instruments that were found by the current word. */
  readonly #found: Uint32Array
  readonly #marks: Uint32Array
  /** The score of each by that word. */
  readonly #scores: Uint8Array
  #mark = 0
  /** Hits of searches: many people look for the same. */
  readonly #answered = new Map<string, SearchHits>()

  constructor(instruments: Iterable<GoodsInstrument>) {
    const sorted = [...instruments].sort(inOrder)
    this.#instruments = sorted
    this.#places = new Map(sorted.map(({ id }, place) => [id, place]))
    const names = new Map(sorted.map(({ exchangeCode, exchangeName }) => [exchangeCode, exchangeName]))
    this.venues = [...names].map(([code, name]) => ({ code, name })).sort((a, b) => (a.code < b.code ? -1 : 1))
    const venuePlaces = new Map(this.venues.map(({ code }, place) => [code, place]))
    this.#venue = Uint32Array.from(sorted, ({ exchangeCode }) => venuePlaces.get(exchangeCode) ?? 0)
    this.#class = Uint8Array.from(sorted, ({ type }) => CLASSES.includes(type) ? CLASSES.indexOf(type) : NO_CLASS)
    this.#counts = new Uint32Array(this.venues.length * CLASS_PLACES)
    for (const [place, venue] of this.#venue.entries()) {
      const at = venue * CLASS_PLACES + (this.#class[place] ?? 0)
      this.#counts[at] = (this.#counts[at] ?? 0) + 1
    }
    const bases = sorted.map(({ base }) => plainWord(base ?? ''))
    this.#bases = new Map([...new Set(bases)].map((base, place) => [base, place]))
    this.#base = Uint32Array.from(bases, (base) => this.#bases.get(base) ?? 0)
    this.#postings = postingsOf(sorted.map(termsOf))
    this.#found = new Uint32Array(sorted.length)
    this.#marks = new Uint32Array(sorted.length)
    this.#scores = new Uint8Array(sorted.length)
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
    const name = JSON.stringify([words, filters, limit])
    const found = this.#answered.get(name) ?? this.#find(words, filters, limit)
    // The newest stand last.
    this.#answered.delete(name)
    this.#answered.set(name, found)
    const [oldest] = this.#answered.keys()
    if (this.#answered.size > ANSWERS_MAX && oldest !== undefined) this.#answered.delete(oldest)
    return found
  }

  #find(words: readonly string[], filters: SearchFilters, limit: number): SearchHits {
    const hits = new BestHits(limit)
    // Without words all hits are equally good: the first ones are the best, and the others are counted already.
    const counted = words.length === 0 && filters.base === null ? this.#count(filters) : null
    this.#visit(words, filters, (place, score) => {
      hits.add(score, place)
      return counted === null || hits.total < limit
    })
    return { total: counted ?? hits.total, ids: hits.places().map((place) => this.#instruments[place]?.id ?? 0) }
  }

  /** True where {@link find} would find something. */
  hasAny(words: readonly string[], filters: SearchFilters): boolean {
    let isFound = false
    this.#visit(words, filters, () => {
      isFound = true
      return false
    })
    return isFound
  }

  /** Visits each hit with its score, until a visit returns false. */
  #visit(
    words: readonly string[], filters: SearchFilters, visit: (place: number, score: number) => boolean,
  ): void {
    const { classes, venues, base } = this.#flags(filters)
    const wanted = words.map((word) => this.#wanted(word)).sort((a, b) => a.count - b.count)
    const [rarest = this.#wantedBase(filters.base), ...others] = wanted
    const count = rarest === null ? this.#instruments.length : this.#collect(rarest)
    for (let at = 0; at < count; at++) {
      const place = rarest === null ? at : this.#found[at] ?? 0
      if (classes[this.#class[place] ?? 0] === 0 || venues[this.#venue[place] ?? 0] === 0) continue
      if (base !== null && this.#base[place] !== base) continue
      let score = words.length === 0 ? 0 : this.#scores[place] ?? 0
      for (const word of others) score += place === word.id ? 0 : this.#scoreOf(place, word)
      if (score < NO_SCORE && !visit(place, score)) return
    }
  }

  /** The filters as flags of classes and venues, and the place of the base asset; -1: no instrument has it. */
  #flags({ classes, venues, base }: SearchFilters): Flags {
    const isWanted = (venue: number): boolean => venues.every((list) => list.includes(venue))
    const wanted = new Uint8Array(CLASS_PLACES).fill(classes === null ? 1 : 0)
    for (const one of classes ?? []) wanted[CLASSES.indexOf(one)] = 1
    return {
      classes: wanted, venues: Uint8Array.from(this.venues, (_, venue) => isWanted(venue) ? 1 : 0),
      base: base === null ? null : this.#bases.get(plainWord(base)) ?? -1,
    }
  }

  /** The number of instruments of classes and venues. */
  #count(filters: SearchFilters): number {
    const { classes, venues } = this.#flags(filters)
    let total = 0
    for (const [at, count] of this.#counts.entries())
      if (classes[at % CLASS_PLACES] === 1 && venues[Math.floor(at / CLASS_PLACES)] === 1) total += count
    return total
  }

  /** The term of a base asset: all instruments that have it have that term. */
  #wantedBase(base: string | null): WantedWord | null {
    if (base === null) return null
    const { from, whole } = this.#wanted(plainWord(base))
    return { from, end: whole === -1 ? from : from + 1, whole, id: null, count: 0 }
  }

  #wanted(word: string): WantedWord {
    const { terms, termStart } = this.#postings
    const from = termPlace(terms, word)
    const end = termPlace(terms, `${word}\uffff`)
    const id = /^\d{1,16}$/.test(word) ? this.#places.get(Number(word)) ?? null : null
    const count = (termStart[end] ?? 0) - (termStart[from] ?? 0)
    return { from, end, whole: terms[from] === word ? from : -1, id, count }
  }

  /** Puts each instrument with a word into the found ones, once, with its best score; their number. */
  #collect({ from, end, whole, id }: WantedWord): number {
    const { termStart, ofTerm, ofTermKinds } = this.#postings
    const mark = this.#nextMark()
    let count = 0
    if (id !== null) {
      this.#marks[id] = mark
      this.#scores[id] = 0
      this.#found[count++] = id
    }
    for (let term = from; term < end; term++) {
      const more = term === whole ? 0 : PREFIX_SCORE
      for (let at = termStart[term] ?? 0; at < (termStart[term + 1] ?? 0); at++) {
        const place = ofTerm[at] ?? 0
        const score = (ofTermKinds[at] ?? 0) + more
        if (this.#marks[place] !== mark) {
          this.#marks[place] = mark
          this.#scores[place] = score
          this.#found[count++] = place
        } else if (score < (this.#scores[place] ?? 0)) this.#scores[place] = score
      }
    }
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
