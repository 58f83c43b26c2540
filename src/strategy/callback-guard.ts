import { brandedPrototype } from '../model/brand.js'
import { BacktapeError } from '../model/error.js'
import { isoFromTime } from '../model/time.js'
import type { Clock } from '../venue/venue.js'
import { foundText } from '../model/fault.js'
import type { Strategy } from './strategy.js'
import { userStack } from './user-stack.js'

/** Sees each call of a strategy's code begin and end; those inside of another one are part of it. */
export interface CallbackWatch {
  /** A call begins. */
  began(): void
  /** It ends, also where it threw. */
  ended(): void
}

/** Callbacks of an order or of an instrument: they come with every message. */
type OrderCallback = 'onOrderUpdate' | 'onOrderFill' | 'onOrderFillUpdate' | 'onInstrumentPosition'

/** The same methods, seen as what JavaScript may return from them. */
type OrderCallbacks = { readonly [K in OrderCallback]: (subject: Parameters<Strategy[K]>[0]) => unknown }

/** The name of a strategy in the errors of its code: its class and what tells it from others of the class. */
export function titleOf(name: string, origin: string | undefined): string {
  return origin === undefined ? name : `${name} ${origin}`
}

/**
 * Stands between the venue and a strategy's code: what it throws ends the run with its place in market time, what it
 * returns must not be a promise, and once it has stopped nothing calls it any more.
 */
export class CallbackGuard {
  readonly strategyName: string
  /** The name of the strategy in the errors of its code. */
  readonly title: string
  /**
   * True from the moment at which the strategy asked to stop; `onStop` follows when the callback at hand has returned.
   */
  isStopping = false
  /** True once `onStop` was called, or the strategy failed: no callback after it. */
  isOver = false
  /** True while `onStop` runs: what it publishes is the last of the strategy. */
  isInStop = false
  /** True where anything waits to be sent before the next callback. */
  hasNews = false
  stopReason: string | null = null
  /** The count of callbacks so far, by which one is known from the next. */
  callCount = 0
  #depth = 0
  /** The class whose callbacks do nothing; null where it is not known. */
  readonly #base: OrderCallbacks | null

  /** `onStop` receives the reason why the strategy, or what watches over it, asked for its end. */
  constructor(
    private readonly strategy: Strategy,
    private readonly clock: Clock,
    private readonly onStop: (reason: string) => void = (): void => undefined,
    origin?: string,
    private readonly watch: CallbackWatch | null = null,
  ) {
    this.strategyName = strategy.constructor.name
    this.title = titleOf(this.strategyName, origin)
    this.#base = brandedPrototype(strategy, 'Strategy') as OrderCallbacks | null
  }

  /** True where the strategy may be called now. */
  get isOpen(): boolean {
    return !this.isStopping && !this.isOver
  }

  /** Asks for the end: at once where no callback runs, else when the one at hand has returned. */
  stop(reason: string): void {
    if (!this.isOpen) return
    this.onStop(reason)
    this.end(reason)
  }

  /** The same from outside: the data have ended, say, which is no decision of anybody's. */
  end(reason: string): void {
    if (!this.isOpen) return
    this.stopReason = reason
    this.isStopping = true
    if (this.#depth === 0) this.finish()
  }

  /** Calls the strategy's code, for callbacks that are not hot. */
  run(name: string, callback: () => unknown): void {
    if (!this.isOpen) return
    this.enter()
    this.#call(name, callback)
    this.leave()
  }

  /** Calls back for an order or an instrument. A callback that the strategy does not override costs nothing. */
  tell<Name extends OrderCallback>(name: Name, subject: Parameters<Strategy[Name]>[0]): void {
    const strategy: OrderCallbacks = this.strategy
    const callback = callbackOf(strategy, name)
    if (callback === (this.#base === null ? undefined : callbackOf(this.#base, name)) || !this.isOpen) return
    this.enter()
    try {
      const result = callback.call(strategy, subject)
      if (result !== undefined) this.refuse(name, result)
    } catch (error) {
      this.fail(name, error)
    }
    this.leave()
  }

  /** Before a callback; the hot ones call it themselves. */
  enter(): void {
    this.callCount++
    if (this.#depth++ === 0 && this.watch !== null) this.watch.began()
  }

  /** After a callback that neither threw nor returned anything. */
  leave(): void {
    if (--this.#depth === 0 && this.watch !== null) this.watch.ended()
    if (this.isStopping) this.finish()
  }

  /** Refuses a value that a callback returned: a promise is refused, anything else is nobody's. */
  refuse(name: string, result: unknown): void {
    if (!isThenable(result)) return
    result.then(undefined, () => undefined)
    throw this.#failure(
      name,
      'returned a promise: callbacks run in market time and must return at once; do what has to wait before the ' +
        'run, or use timers (every, after)',
      undefined,
      'a promise',
    )
  }

  /** Ends the run for what a callback threw. */
  fail(name: string, error: unknown): never {
    this.isOver = true
    this.#depth = 0
    if (error instanceof BacktapeError && error.code === 'STRATEGY_FAILED') throw error
    throw this.#failure(name, `threw ${wordsOf(error)}`, error)
  }

  finish(): void {
    if (this.isOver || this.#depth > 0) return
    this.isOver = true
    this.callCount++
    this.isInStop = true
    this.watch?.began()
    try {
      this.#call('onStop', () => this.strategy.onStop())
    } finally {
      this.isInStop = false
    }
    this.watch?.ended()
  }

  #call(name: string, callback: () => unknown): void {
    try {
      const result = callback()
      if (result !== undefined) this.refuse(name, result)
    } catch (error) {
      this.fail(name, error)
    }
  }

  #failure(name: string, what: string, cause: unknown, found: string = wordsOf(cause)): BacktapeError {
    this.isOver = true
    const at = isoFromTime(this.clock.nowNs(), this.clock.epochDay)
    const stack = cause instanceof Error && cause.stack !== undefined ? `\n${userStack(cause.stack)}` : ''
    return new BacktapeError(
      'STRATEGY_FAILED', `Cannot go on with ${this.title} at ${at}: ${name} ${what}${stack}`,
      { field: name, found: found.slice(0, 80) }, cause,
    )
  }
}

/** A callback by its name. (Found by a name that varies it would be looked up each time.) */
function callbackOf<Name extends OrderCallback>(of: OrderCallbacks, name: Name): OrderCallbacks[Name] {
  switch (name) {
    case 'onOrderUpdate': return of.onOrderUpdate as OrderCallbacks[Name]
    case 'onOrderFill': return of.onOrderFill as OrderCallbacks[Name]
    case 'onOrderFillUpdate': return of.onOrderFillUpdate as OrderCallbacks[Name]
    case 'onInstrumentPosition': return of.onInstrumentPosition as OrderCallbacks[Name]
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : foundText(error)
}
