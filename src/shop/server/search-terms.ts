import type { GoodsInstrument } from './shop-goods.js'

/** The kinds of terms, the best first: a hit by its code stands before one by its base asset. */
const TERM_KINDS = ['code', 'pair', 'base', 'counter', 'part'] as const

/** A word by which an instrument is found, with the place of its kind among the kinds; the least is the best. */
export type SearchTerm = readonly [word: string, kind: number]

/** The kind of a part of a code. */
export const PART_KIND: number = TERM_KINDS.indexOf('part')

/** The number that is added to the kind of a term that begins with a word, and goes on. */
export const PREFIX_SCORE: number = TERM_KINDS.length

/**
 * A word as the index has it: small letters and digits. A word without any stays as it is, in small letters.
 *
 * @example `plainWord('BTC/USDT')` is `btcusdt`
 */
export function plainWord(word: string): string {
  const small = word.normalize('NFKC').toLowerCase()
  const plain = small.replace(/[^\p{L}\p{N}]/gu, '')
  return plain === '' ? small : plain
}

/** The terms of an instrument: code, pair, base, counter asset, and the parts of its code. */
export function termsOf({ code, base, counter }: GoodsInstrument): readonly SearchTerm[] {
  const plain = plainWord(code)
  const pair = base === null || counter === null ? '' : plainWord(base + counter)
  // `1000PEPE_24SEP` has the parts `1000pepe`, `pepe`, `24sep` and `sep`: where digits end or begin a word may begin.
  const pieces = code.normalize('NFKC').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const parts = pieces.flatMap((piece) => [...piece.matchAll(/\p{L}+|\p{N}+/gu)].map(({ index }) => piece.slice(index)))
  const words: SearchTerm[] = [
    [plain, 0], [pair, 1], [plainWord(base ?? ''), 2], [plainWord(counter ?? ''), 3],
    ...parts.map((part): SearchTerm => [part, PART_KIND]),
  ]
  const best = new Map<string, number>()
  for (const [word, kind] of words) if (word !== '' && !best.has(word)) best.set(word, kind)
  return [...best]
}
