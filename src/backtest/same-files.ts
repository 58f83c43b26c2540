import { BacktapeError } from '../model/error.js'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { instrumentName } from '../model/instrument.js'
import type { InstrumentDirectory } from '../venue/venue.js'

/** The files of a world as its configuration states them, and all else. */
interface ReadFiles extends Readonly<Record<string, CanonicalValue | object>> {
  readonly inputs: readonly {
    readonly instrumentId: number
    readonly days: readonly string[]
    /** SHA-256 of each, or words where it was not read to its end. */
    readonly files: readonly string[]
  }[]
}

const DIGEST = /^[0-9a-f]{64}$/

/**
 * Sees that all worlds of a run have read the same files, profiles and recordings: passes, and threads, read them anew,
 * and results of one list are compared with each other.
 */
export class SameFiles {
  /** Digests by instrument and place. */
  readonly #digests: Map<string, string> = new Map()
  /** The configuration of the first world without what is each world's own; null before it. */
  #common: string | null = null

  /** Throws FILE_UNREADABLE where a file was another one for a world before. */
  check(configuration: CanonicalValue, instruments: InstrumentDirectory): void {
    const { inputs, parameters: _, warmUp: __, ...rest } = configuration as unknown as ReadFiles
    const common = canonicalJson(rest as CanonicalValue)
    this.#common ??= common
    if (common !== this.#common)
      throw new BacktapeError(
        'FILE_UNREADABLE',
        'Cannot compare parameter sets: a venue profile, a recording of latencies or a signal changed between two ' +
          'passes over the data; run them again when nobody writes to it',
      )
    for (const { instrumentId, days, files } of inputs) {
      for (const [place, digest] of files.entries()) {
        const key = `${instrumentId} ${place}`
        const known = this.#digests.get(key) ?? digest
        if (!DIGEST.test(digest)) continue
        this.#digests.set(key, digest)
        if (known === digest) continue
        const instrument = instruments.get(instrumentId)?.instrument
        const name = [instrument === undefined ? '' : instrumentName(instrument), days[place] ?? ''].join(' ').trim()
        throw new BacktapeError(
          'FILE_UNREADABLE',
          `Cannot compare parameter sets: the file of ${name} changed between two passes over it; run them again ` +
            'when nobody writes to it',
          { file: name, expected: known, found: digest },
        )
      }
    }
  }
}
