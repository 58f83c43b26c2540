import { afterMs } from '../../model/wall-client.js'
import { stoppedError, type StopSignal } from '../../model/stop-signal.js'

/** The time by which a client waits. */
export interface ShopClock {
  /** Epoch milliseconds. */
  nowMs(): number
  /** Calls back after some milliseconds; the function returned takes that back. */
  afterMs(ms: number, callback: () => void): () => void
}

/** The clock of the wall. */
export const WALL_CLOCK: ShopClock = { nowMs: () => Date.now(), afterMs }

/** Waits some milliseconds. Throws STOPPED, which names `place`, as soon as the signal fires. */
export function waited(clock: ShopClock, ms: number, place: string, signal?: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const release = (): void => { signal?.removeEventListener('abort', stop) }
    const cancel = clock.afterMs(ms, () => {
      release()
      resolve()
    })
    const stop = (): void => {
      cancel()
      release()
      reject(stoppedError(place, signal))
    }
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) stop()
  })
}
