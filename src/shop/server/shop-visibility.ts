import { instrumentName } from '../../model/instrument.js'
import type { StoredVisibility } from '../store/shop-store-writer.js'

/**
 * The instruments that are not shown: those of the settings, and those that were hidden since. Hidden ones answer as
 * unknown ones; whoever bought a day before it was hidden keeps it.
 */
export class ShopVisibility {
  /** Rises with every change. */
  revision = 0
  readonly #configured: ReadonlySet<string>
  readonly #kept: Map<number, StoredVisibility> = new Map()

  /** `configured`: `exchange:CODE` or an id. */
  constructor(configured: readonly (string | number)[] = [], kept: Iterable<StoredVisibility> = []) {
    this.#configured = new Set(configured.map(String))
    for (const one of kept) this.#kept.set(one.instrumentId, one)
  }

  /** Since when an instrument is hidden, epoch milliseconds; -Infinity: the settings say so; null: it is shown. */
  hiddenSinceMs(instrumentId: number, exchangeCode: string, code: string): number | null {
    const kept = this.#kept.get(instrumentId)
    if (kept !== undefined) return kept.isHidden ? kept.sinceMs : null
    const isConfigured = this.#configured.size > 0 && (this.#configured.has(String(instrumentId)) ||
      this.#configured.has(instrumentName({ exchangeCode, code })))
    return isConfigured ? -Infinity : null
  }

  /** Hides an instrument, or shows it. */
  change(kept: StoredVisibility): void {
    this.#kept.set(kept.instrumentId, kept)
    this.revision++
  }
}
