import { ENTRY_RULES, resultKey, type EntryKind, type EntryResult, type ReadEntry } from './order-entry-requests.js'

/** A response that is put together of the answers to its entries. */
interface OpenAnswer {
  readonly kind: EntryKind
  readonly results: (EntryResult | undefined)[]
  missing: number
}

const KINDS = Object.keys(ENTRY_RULES) as readonly EntryKind[]

/**
 * Answers of an adapter that come entry by entry, put together: one response to each request, its entries in the
 * request's order (wire decisions, "result entries of responses"). Bounded by the entries that wait.
 */
export class AnswerAssembly {
  readonly #waiting: Map<string, { readonly answer: OpenAnswer; readonly index: number }[]> = new Map()

  /** Takes a request with the entries that are refused already; the whole response where all are, else null. */
  open(kind: EntryKind, entries: readonly ReadEntry[]): readonly EntryResult[] | null {
    const results = entries.map((one) => ('refused' in one ? one.refused : undefined))
    const answer: OpenAnswer = { kind, results, missing: results.filter((one) => one === undefined).length }
    if (answer.missing === 0) return whole(answer)
    entries.forEach(({ key }, index) => {
      if (results[index] !== undefined) return
      const name = `${kind} ${key}`
      const waiting = this.#waiting.get(name)
      if (waiting === undefined) this.#waiting.set(name, [{ answer, index }])
      else waiting.push({ answer, index })
    })
    return null
  }

  /** Takes answers; the responses that are whole now, and answers that nobody waits for as they came. */
  take(kind: EntryKind, results: readonly EntryResult[]): readonly (readonly EntryResult[])[] {
    const done: (readonly EntryResult[])[] = []
    const unasked: EntryResult[] = []
    for (const result of results) {
      const name = `${kind} ${resultKey(kind, result)}`
      const waiting = this.#waiting.get(name)
      const place = waiting?.shift()
      if (waiting?.length === 0) this.#waiting.delete(name)
      if (place === undefined) {
        unasked.push(result)
        continue
      }
      const { answer, index } = place
      answer.results[index] = result
      if (--answer.missing === 0) done.push(whole(answer))
    }
    return unasked.length === 0 ? done : [...done, unasked]
  }

  /** Forgets everything. */
  clear(): void {
    this.#waiting.clear()
  }
}

function whole({ results }: OpenAnswer): readonly EntryResult[] {
  return results.filter((one) => one !== undefined)
}

/** The kind of request that a response answers; null for events. */
export function answeredKind(response: string): EntryKind | null {
  return KINDS.find((kind) => ENTRY_RULES[kind].response === response) ?? null
}
