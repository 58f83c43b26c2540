import { shownState, stateAfter, type ShopTimes } from '../../protocol/shop/shop-states.js'
import type { ShopEvent } from '../../protocol/shop/shop-transitions.js'
import type { ShopStore } from '../store/shop-store-writer.js'
import type { StoredDay, StoredRecord } from '../store/stored-rows.js'
import type { ShopTime } from './shop-settings.js'
import { dayEndMs } from './sold-days.js'

/** The state of a day as it is shown. */
export type ShownDayState = 'ready' | 'pending' | 'cold'

/** A day of an instrument. */
export interface FileDay {
  readonly instrumentId: number
  readonly date: string
}

/** The states of days. Only those that something has happened to are kept; of the others time alone decides. */
export class DayStates {
  readonly #store: ShopStore
  readonly #time: ShopTime
  readonly #times: ShopTimes
  /** By instrument and date. */
  readonly #kept = new Map<number, Map<string, StoredRecord<'dayFile'>>>()

  constructor(store: ShopStore, time: ShopTime, times: ShopTimes) {
    this.#store = store
    this.#time = time
    this.#times = times
    for (const { instrumentId, date, record } of store.days()) this.#remember(instrumentId, date, record)
  }

  /** The states of days now. */
  shown(days: readonly FileDay[]): readonly ShownDayState[] {
    return this.#after(days, 'time')
  }

  /** The states of days after an event. */
  cause(days: readonly FileDay[], event: ShopEvent<'dayFile'>): readonly ShownDayState[] {
    return this.#after(days, event)
  }

  #after(days: readonly FileDay[], event: ShopEvent<'dayFile'> | 'time'): readonly ShownDayState[] {
    const nowMs = this.#time.nowMs()
    const changed: StoredDay[] = []
    const states = days.map(({ instrumentId, date }) => {
      const kept = this.#kept.get(instrumentId)?.get(date)
      const endMs = dayEndMs(date)
      const known = kept ?? { state: 'ready', startMs: endMs, sinceMs: endMs }
      const before = stateAfter('dayFile', known, 'time', nowMs, this.#times)
      const record = event === 'time' ? before : stateAfter('dayFile', before, event, nowMs, this.#times)
      // A day that became cold by time alone needs no row: time says it again.
      if (record !== before || (kept !== undefined && record !== kept)) changed.push({ instrumentId, date, record })
      return wordOf(record)
    })
    if (changed.length > 0) this.#store.together(() => { for (const one of changed) this.#store.changeDay(one) })
    for (const { instrumentId, date, record } of changed) this.#remember(instrumentId, date, record)
    return states
  }

  #remember(instrumentId: number, date: string, record: StoredRecord<'dayFile'>): void {
    const days = this.#kept.get(instrumentId) ?? new Map<string, StoredRecord<'dayFile'>>()
    days.set(date, record)
    this.#kept.set(instrumentId, days)
  }
}

function wordOf({ state }: StoredRecord<'dayFile'>): ShownDayState {
  const word = shownState('dayFile', state)
  return word === 'ready' || word === 'cold' ? word : 'pending'
}
