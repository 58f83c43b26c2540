import type { CanonicalValue } from '../model/canonical-json.js'

/** One world of a run as it was when its golden was made. */
export interface GoldenWorld {
  readonly fingerprint: string
  readonly configDigest: string
  readonly journalDigest: string
  readonly journalLineCount: number
  /** Digests of the journal's segments of at most 4,096 lines, in order. */
  readonly journalSegments: readonly string[]
  readonly summary: CanonicalValue
  /** Its configuration; absent in goldens of earlier builds. */
  readonly inputs?: Readonly<Record<string, CanonicalValue>>
}

/** A run as it was when its golden was made; the journals lie beside it. */
export interface Golden {
  readonly golden: 1
  /** Number of the format of the journal's records, which digests and fingerprints cover; absent in earlier builds. */
  readonly journalFormat?: number
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
