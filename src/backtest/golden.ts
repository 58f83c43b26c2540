import { createHash } from 'node:crypto'
import type { CanonicalValue } from '../model/canonical-json.js'
import { SEGMENT_LINES } from '../report/journal.js'

/** One world of a run as it was when its golden was made. */
export interface GoldenWorld {
  readonly fingerprint: string
  readonly configDigest: string
  readonly journalDigest: string
  readonly journalLineCount: number
  /** Digests of the journal's segments of 4,096 lines, in order; the last may be shorter. */
  readonly journalSegments: readonly string[]
  readonly summary: CanonicalValue
  /** Its configuration; absent in goldens of earlier builds. */
  readonly inputs?: Readonly<Record<string, CanonicalValue>>
}

/** A run as it was when its golden was made; the journals lie beside it. */
export interface Golden {
  readonly golden: 1
  /** One for each parameter set. */
  readonly worlds: readonly GoldenWorld[]
}

/**
 * Where everything of a run file `maker.run.json` lies: `maker.golden.json`, `maker.golden.jsonl.gz`,
 * `maker.new.jsonl`.
 */
export interface GoldenPaths {
  readonly golden: string
  readonly journals: readonly string[]
  readonly newJournals: readonly string[]
}

/** The names beside a run file; several worlds have a journal each, told apart by their number. */
export function goldenPaths(runFile: string, worldCount: number): GoldenPaths {
  const stem = runFile.replace(/(\.run)?\.json$/, '')
  const numbers = Array.from({ length: worldCount }, (_, number) => (worldCount === 1 ? '' : `.${number}`))
  return {
    golden: `${stem}.golden.json`,
    journals: numbers.map((number) => `${stem}.golden${number}.jsonl.gz`),
    newJournals: numbers.map((number) => `${stem}.new${number}.jsonl`),
  }
}

/**
 * Chains digests over lines as the journal does: the digest of a segment is that of the digest before it and its lines.
 */
export class SegmentChain {
  readonly #digests: string[] = []
  #hash = createHash('sha256')
  #lineCount = 0

  add(line: string): void {
    this.#hash.update(line).update('\n')
    if (++this.#lineCount % SEGMENT_LINES === 0) this.#close()
  }

  /** Digests of all segments, an open one closed as it is; at least one. To be called once, at the end. */
  end(): readonly string[] {
    if (this.#digests.length === 0 || this.#lineCount % SEGMENT_LINES > 0) this.#close()
    return this.#digests
  }

  #close(): void {
    const digest = this.#hash.digest('hex')
    this.#digests.push(digest)
    this.#hash = createHash('sha256').update(digest)
  }
}

/** A place in which two plain values differ. */
export interface ValueDifference {
  readonly path: string
  readonly expected: string
  readonly found: string
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** The first place in which two JSON values differ, null where they are equal; the order of keys never counts. */
export function firstDifference(expected: unknown, found: unknown, path = ''): ValueDifference | null {
  if (isTree(expected) && isTree(found) && Array.isArray(expected) === Array.isArray(found)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    for (const key of Array.isArray(expected) ? keys : keys.sort()) {
      const at = Array.isArray(expected) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
      const difference = firstDifference(expected[key], found[key], at)
      if (difference !== null) return difference
    }
    return null
  }
  return expected === found
    ? null
    : { path, expected: JSON.stringify(expected) ?? 'nothing', found: JSON.stringify(found) ?? 'nothing' }
}
