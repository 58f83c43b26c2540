import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { Shelf, SoldInstrument } from './shelf.js'
import { SearchIndex, type SearchFilters } from './search-index.js'
import { plainWord } from './search-terms.js'
import { classesOf, nearestVenues, searchWords, venuesOf } from './search-words.js'
import type { ShopReply } from './shop-reply.js'

/** Results where the request does not say. */
const RESULTS_DEFAULT = 20
/** Words whose hits are looked for alone, where all together have none. */
const DROPS_MAX = 6

/** A search, understood: its conditions, each of which may be dropped, by their words. */
interface Conditions {
  readonly words: readonly string[]
  readonly venues: readonly string[]
  /** Classes that all conditions allow; null: every class. */
  readonly classes: readonly string[] | null
  readonly base: string | null
}

/** Searches over what is sold; the index is made when instruments change. */
export class ShopSearch {
  #index: SearchIndex | null = null
  #shelf: Shelf | null = null

  /** The answer to a search; it is refused for an unknown class alone. */
  answer(shelf: Shelf, query: Sent<'SearchQuery'>): ShopReply {
    const { q = '', venue, class: className, base, limit = RESULTS_DEFAULT } = query
    const asked = className === undefined ? null : classesOf(className)
    if (className !== undefined && asked === null)
      return { kind: 'refusal', error: 'unknownClass', details: { allowed: Object.keys(SHOP.classes) } }
    const index = this.#indexOf(shelf)
    const understood = searchWords(q, index)
    const conditions: Conditions = {
      words: understood.rest, venues: [venue ?? [], understood.venue ?? []].flat(),
      classes: inBoth(asked, understood.classes), base: base ?? null,
    }
    const [words, filters] = askedOf(index, conditions)
    const { total, ids } = index.find(words, filters, limit)
    const results = ids.flatMap((id) => {
      const sold = shelf.instrument(id)
      return sold === null ? [] : [hitOf(sold)]
    })
    const isUnderstood = understood.venue !== null || understood.classes !== null
    const interpretation = {
      ...understood.venue === null ? {} : { venue: understood.venue },
      ...understood.classes === null ? {} : { class: understood.classes }, rest: understood.rest.join(' '),
    }
    const body: Sent<'Search'> = {
      query: { ...query }, filters: filtersOf(conditions), total, results,
      ...isUnderstood ? { interpretation } : {},
      ...total > 0 ? {} : { did_you_mean: didYouMean(index, conditions, query) },
    }
    return { kind: 'json', status: 200, body }
  }

  #indexOf(shelf: Shelf): SearchIndex {
    if (this.#index === null || (shelf !== this.#shelf && !this.#index.isOf(shelf.instruments())))
      this.#index = new SearchIndex(shelf.instruments())
    this.#shelf = shelf
    return this.#index
  }
}

/** The classes that both lists have; null has all. */
function inBoth(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  return a === null || b === null ? a ?? b : a.filter((one) => b.includes(one))
}

function filtersOf({ venues: [venue], classes, base }: Conditions): Readonly<Record<string, unknown>> {
  return {
    ...venue === undefined ? {} : { venue }, ...classes === null ? {} : { class: classes },
    ...base === null ? {} : { base },
  }
}

/** Conditions as the index takes them. */
function askedOf(
  index: SearchIndex, { words, venues, classes, base }: Conditions,
): readonly [words: readonly string[], filters: SearchFilters] {
  return [words.map(plainWord), { classes, venues: venues.map((one) => venuesOf(index.venues, one)), base }]
}

/** With zero hits: the nearest venue codes, and each condition without which there are some. */
function didYouMean(
  index: SearchIndex, conditions: Conditions, query: Sent<'SearchQuery'>,
): Readonly<Record<string, unknown>> {
  const { words, venues, classes, base } = conditions
  const unknown = venues.filter((one) => venuesOf(index.venues, one).length === 0)
  const without: (readonly [word: string, left: Conditions])[] = [
    ...words.map((word, at): [string, Conditions] => [word, { ...conditions, words: words.toSpliced(at, 1) }]),
    ...venues.map((one, at): [string, Conditions] => [one, { ...conditions, venues: venues.toSpliced(at, 1) }]),
    ...classes === null ? [] : [[query.class ?? classes.join(' '), { ...conditions, classes: null }] as const],
    ...base === null ? [] : [[base, { ...conditions, base: null }] as const],
  ]
  const isFound = (left: Conditions): boolean => index.hasAny(...askedOf(index, left))
  const drop = without.slice(0, DROPS_MAX).filter(([, left]) => isFound(left)).map(([word]) => word)
  return { venues: nearestVenues(index.venues, [...unknown, ...words].slice(0, DROPS_MAX)), drop: [...new Set(drop)] }
}

function hitOf(sold: SoldInstrument): Sent<'SearchHit'> {
  const { id, code, type, exchangeCode, exchangeName, state, days, totalBytes } = sold
  return {
    instrument_id: id, code, type, exchange: { code: exchangeCode, name: exchangeName }, state,
    data: {
      days: days.length, first_day: days[0]?.date ?? null, last_day: days.at(-1)?.date ?? null,
      total_bytes: totalBytes,
    },
  }
}
