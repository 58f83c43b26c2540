import { BacktapeError } from './error.js'

/** The signal that long work listens to in order to stop: an `AbortSignal` is one. */
export interface StopSignal {
  /** True once the work should stop. */
  readonly aborted: boolean
  /** Why it should stop: the cause of the STOPPED that follows. */
  readonly reason?: unknown
  /** Calls the listener once when the work should stop. */
  addEventListener(type: 'abort', listener: () => void): void
  /** Removes a listener that was added. */
  removeEventListener(type: 'abort', listener: () => void): void
}

/** True for what can be listened to in order to stop. */
export function isStopSignal(value: unknown): value is StopSignal {
  return typeof value === 'object' && value !== null && 'addEventListener' in value
}

/** Throws OPTION_INVALID for a signal of a program without types that is none. */
export function refuseNoSignal(signal: unknown, work: string): void {
  if (signal === undefined || isStopSignal(signal)) return
  const [expected, found] = ['an AbortSignal', signal === null ? 'null' : typeof signal]
  const sentence = `Cannot ${work}: signal must be ${expected}, found ${found}`
  throw new BacktapeError('OPTION_INVALID', sentence, { field: 'signal', expected, found })
}

/** The error of work on `name` that was stopped; its cause is the reason of the signal. */
export function stoppedError(name: string, signal: StopSignal | undefined): BacktapeError {
  return new BacktapeError('STOPPED', `Cannot finish ${name}: it was stopped`, { file: name }, signal?.reason)
}

/** The result of `work`, or STOPPED as soon as the signal fires; the work itself goes on, and nobody waits for it. */
export function unlessStopped<T>(work: Promise<T>, signal: StopSignal | undefined, name: string): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = (): void => { reject(stoppedError(name, signal)) }
    signal.addEventListener('abort', stop)
    const release = (): void => { signal.removeEventListener('abort', stop) }
    work.then(resolve, reject).finally(release)
    if (signal.aborted) stop()
  })
}

/** True once `work` is done; false where it was stopped. */
export async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof BacktapeError && error.code === 'STOPPED') return false
    throw error
  }
}

/** Throws STOPPED once the signal has fired. */
export function refuseStopped(signal: StopSignal | undefined, name: string): void {
  if (signal?.aborted === true) throw stoppedError(name, signal)
}
