import type { DayStates } from './day-states.js'
import type { ShelfKeeper } from './shelf.js'
import type { ShopStore } from '../store/shop-store-writer.js'
import type { ShopTime } from './shop-settings.js'
import type { ShopVisibility } from './shop-visibility.js'

/** The parts that actions on goods need. */
export interface ControlParts {
  readonly store: ShopStore
  readonly shelves: ShelfKeeper
  readonly states: DayStates
  readonly visibility: ShopVisibility
  readonly time: ShopTime
}

/** Actions of the control port on goods. An instrument is an id or `exchange:CODE`, hidden ones too. */
export class ShopControl {
  readonly #parts: ControlParts

  constructor(parts: ControlParts) {
    this.#parts = parts
  }

  /** Makes a day cold at once, or all of them; the number of days that are cold then, null: no such instrument. */
  freeze(instrument: number | string, date: string | null): Promise<number | null> {
    return this.#cause(instrument, date, 'freeze', 'cold')
  }

  /** Makes a day ready at once, or all of them; the number of days that are ready then. */
  thaw(instrument: number | string, date: string | null): Promise<number | null> {
    return this.#cause(instrument, date, 'thaw', 'ready')
  }

  /** Hides an instrument, or shows it; its id, null: no such instrument. */
  async setHidden(instrument: number | string, isHidden: boolean): Promise<number | null> {
    const { store, shelves, visibility, time } = this.#parts
    const found = (await shelves.look()).anyInstrument(instrument)
    if (found === null) return null
    const isNow = visibility.hiddenSinceMs(found.id, found.exchangeCode, found.code) !== null
    if (isNow === isHidden) return found.id
    const kept = { instrumentId: found.id, isHidden, sinceMs: time.nowMs() }
    store.changeVisibility(kept)
    visibility.change(kept)
    return found.id
  }

  async #cause(
    instrument: number | string, date: string | null, event: 'freeze' | 'thaw', wanted: 'cold' | 'ready',
  ): Promise<number | null> {
    const { shelves, states } = this.#parts
    const found = (await shelves.look()).anyInstrument(instrument)
    const days = found?.days.filter((day) => date === null || day.date === date) ?? []
    if (found === null || (date !== null && days.length === 0)) return null
    const after = states.cause(days.map((day) => ({ instrumentId: found.id, date: day.date })), event)
    return after.filter((state) => state === wanted).length
  }
}
