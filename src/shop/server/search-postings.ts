import type { SearchTerm } from './search-terms.js'

/** Terms and instruments, each by its place: lists that begin where `...Start` says, and end where the next begins. */
export interface SearchPostings {
  /** Ascending; `<` has the order. */
  readonly terms: readonly string[]
  readonly termStart: Uint32Array
  /** The best kind of a term. */
  readonly termKinds: Uint8Array
  /** The instruments of a term, ascending. */
  readonly ofTerm: Uint32Array
  /** The kind that each of them has the term by. */
  readonly ofTermKinds: Uint8Array
  readonly ownStart: Uint32Array
  /** The terms of an instrument. */
  readonly ownTerms: Uint32Array
  /** The kinds of them. */
  readonly ownKinds: Uint8Array
}

/** The tables of instruments with these terms. */
export function postingsOf(own: readonly (readonly SearchTerm[])[]): SearchPostings {
  const found = new Set<string>()
  for (const terms of own) for (const [term] of terms) found.add(term)
  // Without a comparison the order is that of the code units, as `<` has it.
  const terms = [...found].sort()
  const placeOf = new Map(terms.map((term, place) => [term, place]))
  const count = own.reduce((sum, { length }) => sum + length, 0)
  const ownStart = new Uint32Array(own.length + 1)
  const [ownTerms, ownKinds] = [new Uint32Array(count), new Uint8Array(count)]
  const termStart = new Uint32Array(terms.length + 1)
  const termKinds = new Uint8Array(terms.length).fill(0xff)
  let at = 0
  for (const [place, list] of own.entries()) {
    for (const [term, kind] of list) {
      const termPlace = placeOf.get(term) ?? 0
      ownTerms[at] = termPlace
      ownKinds[at++] = kind
      termKinds[termPlace] = Math.min(kind, termKinds[termPlace] ?? kind)
      termStart[termPlace + 1] = (termStart[termPlace + 1] ?? 0) + 1
    }
    ownStart[place + 1] = at
  }
  for (let place = 0; place < terms.length; place++)
    termStart[place + 1] = (termStart[place + 1] ?? 0) + (termStart[place] ?? 0)
  const byOwn = { terms, termStart, termKinds, ownStart, ownTerms, ownKinds }
  return { ...byOwn, ...byTerm(byOwn) }
}

function byTerm(
  { termStart, ownStart, ownTerms, ownKinds }: Omit<SearchPostings, 'ofTerm' | 'ofTermKinds'>,
): Pick<SearchPostings, 'ofTerm' | 'ofTermKinds'> {
  const [ofTerm, ofTermKinds] = [new Uint32Array(ownTerms.length), new Uint8Array(ownTerms.length)]
  const next = termStart.slice()
  for (let place = 0; place < ownStart.length - 1; place++) {
    for (let at = ownStart[place] ?? 0; at < (ownStart[place + 1] ?? 0); at++) {
      const term = ownTerms[at] ?? 0
      const free = next[term] ?? 0
      ofTerm[free] = place
      ofTermKinds[free] = ownKinds[at] ?? 0
      next[term] = free + 1
    }
  }
  return { ofTerm, ofTermKinds }
}

/** The first of ascending terms that is not before a word. */
export function termPlace(terms: readonly string[], word: string): number {
  let low = 0
  let high = terms.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((terms[middle] ?? '') < word) low = middle + 1
    else high = middle
  }
  return low
}
