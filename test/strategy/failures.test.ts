import { describe, expect, test } from 'vitest'
import { BacktapeError } from '../../src/model/error.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { startStrategy } from '../../src/strategy/runtime.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { topLine } from '../support/fake-market.js'
import { FakeVenue, fillOf } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'

function place(strategy: RecordingStrategy, venue: FakeVenue): FakeVenue['entry']['placed'][number] {
  strategy.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') })
  return venue.entry.placed[0]!
}

/** Every callback, and what makes the venue call it. */
const CALLS: readonly (readonly [callback: keyof Strategy, call: (venue: FakeVenue, strategy: RecordingStrategy) => void])[] = [
  ['onMarketDataState', (venue) => venue.subscriptions[0]!.listener.onState(1, 'ERROR', '')],
  ['onInstrumentSnapshot', (venue) => venue.line(0)],
  ['onInstrumentTopOfBook', topLine(6, [1, 1], null)],
  ['onInstrumentTrades', (venue) => venue.line(2)],
  ['onInstrumentLiquidations', (venue) => venue.line(17)],
  ['onInstrumentMarkPrice', (venue) => venue.line(7)],
  ['onInstrumentIndexPrice', (venue) => venue.line(8)],
  ['onInstrumentFundingRate', (venue) => venue.line(9)],
  ['onOrderUpdate', (venue, strategy) => venue.entry.confirm(place(strategy, venue))],
  ['onOrderError', (venue, strategy) => venue.entry.reject(place(strategy, venue))],
  ['onOrderFill', (venue, strategy) => venue.entry.listener.onFill([fillOf(place(strategy, venue), 1)], 0)],
  ['onOrderFillUpdate', (venue, strategy) => venue.entry.listener.onFill([fillOf(place(strategy, venue), 1, { update: true })], 0)],
  ['onInstrumentPosition', (venue) => venue.entry.position({ instrumentId: 1, longPosition: 1, shortPosition: 0 })],
  ['onOrderEntryState', (venue) => venue.entry.listener.onAccountStatus({ ...venue.entry.initial, status: 'BLOCKED' })],
  ['onAccountCancelAllOrdersResponse', (venue) => venue.entry.listener.onCancelAllResponse({ requestId: '', adapterTimeNs: 0 })],
]

interface Failure {
  readonly error: BacktapeError
  readonly again: () => void
  readonly strategy: RecordingStrategy
}

function failureOf(callback: keyof Strategy, call: (typeof CALLS)[number][1], reaction: () => unknown): Failure {
  const { venue, strategy, runtime } = startFake(recording([callback, 'onStop']))
  venue.clock.advanceTo(3_600_000_000_123)
  strategy.reactions.set(callback, reaction)
  let error: unknown
  try {
    call(venue, strategy)
  } catch (thrown) {
    error = thrown
  }
  expect(runtime.isOver).toBe(true)
  return { error: error as BacktapeError, again: () => call(venue, strategy), strategy }
}

describe('a callback that throws', () => {
  test.each(CALLS)('%s ends the run with its place in market time', (callback, call) => {
    const cause = new RangeError('my mistake')
    const { error, again, strategy } = failureOf(callback, call, () => { throw cause })
    expect(error).toMatchObject({ code: 'STRATEGY_FAILED', cause, place: { field: callback } })
    expect(error.message).toContain(`at 1970-01-01T01:00:00.000000123Z: ${callback} threw RangeError: my mistake`)
    expect(error.message).toContain('failures.test.ts')
    again()
    expect(strategy.received).toHaveLength(1)
  })

  test.each<readonly [thrown: unknown, words: string]>([['text', '"text"'], [undefined, 'nothing'], [null, 'null'], [7n, '7n'], [{ why: 1 }, '{"why":1}']])('what is thrown need not be an Error: %s', (thrown, words) => {
    const { error } = failureOf('onInstrumentTrades', (venue) => venue.line(2), () => { throw thrown as Error })
    expect(error.message.split(' threw ')[1]).toBe(words)
    expect(error.place).toEqual({ field: 'onInstrumentTrades', found: words })
  })

  test('an error without a stack, and one of many words', () => {
    const bare = Object.assign(new Error('no'), { stack: undefined })
    expect(failureOf('onInstrumentTrades', (venue) => venue.line(2), () => { throw bare }).error.message).toMatch(/onInstrumentTrades threw Error: no$/)
    expect(failureOf('onInstrumentTrades', (venue) => venue.line(2), () => { throw new Error('o'.repeat(200)) }).error.place.found).toBe(`Error: ${'o'.repeat(73)}`)
  })

  test('a strategy of several sets is named with its own', () => {
    class Broken extends Strategy { override onStart(): void { throw new Error('no') } }
    class Unmade extends Strategy { readonly field = ((): never => { throw new Error('no') })() }
    const options = { venue: new FakeVenue(), clientId: 'c', accounts: [] }
    for (const strategy of [Broken, Unmade]) {
      const start = (origin?: string) => () => startStrategy({ ...options, strategy, ...(origin === undefined ? {} : { origin }) })
      expect(start('of parameters[3] {"size":"1"}')).toThrow(new RegExp(`^Cannot (go on with|make) ${strategy.name} of parameters\\[3\\] \\{"size":"1"\\} at `))
      expect(start()).toThrow(new RegExp(`^Cannot (go on with|make) ${strategy.name} at `))
    }
  })

  test('a failure that comes from within passes as it is', () => {
    const inner = new BacktapeError('STRATEGY_FAILED', 'Cannot go on with another one')
    expect(failureOf('onInstrumentTrades', (venue) => venue.line(2), () => { throw inner }).error).toBe(inner)
  })

  test('a fault of placeOrder that nobody catches names both', () => {
    const { error } = failureOf('onInstrumentTrades', (venue) => venue.line(2), () => { throw new BacktapeError('OPTION_INVALID', 'Cannot place an order') })
    expect(error.code).toBe('STRATEGY_FAILED')
    expect((error.cause as BacktapeError).code).toBe('OPTION_INVALID')
  })
})

/** A promise where nothing is expected: what the compiler lets pass in JavaScript. */
const promising = (() => Promise.resolve()) as () => void

describe('a callback that returns a promise', () => {
  test.each(CALLS)('%s is refused', (callback, call) => {
    const { error } = failureOf(callback, call, () => Promise.reject(new Error('nobody waits for it')))
    expect(error).toMatchObject({ code: 'STRATEGY_FAILED', place: { field: callback, found: 'a promise' } })
    expect(error.message).toContain(`: ${callback} returned a promise: callbacks run in market time and must return at once`)
  })

  test.each<readonly [unknown]>([[7], [null], [{}], [{ then: 5 }], ['then'], [() => undefined]])('any other value is let pass: %j', (value) => {
    const { venue, strategy } = startFake(recording(['onInstrumentTrades']))
    strategy.reactions.set('onInstrumentTrades', () => value)
    venue.line(2)
    expect(strategy.received).toHaveLength(1)
  })

  test('onStart, timers and onStop', () => {
    class Starts extends Strategy {
      override onStart = promising
    }
    expect(() => startFake(Starts, { parameters: {} })).toThrow(/onStart returned a promise/)
    class Ticks extends Strategy {
      override onStart(): void {
        this.every(1, promising, { name: 'tick' })
      }
    }
    const ticking = startFake(Ticks, { parameters: {} })
    expect(() => ticking.venue.clock.advanceTo(1e6)).toThrow(/timer "tick" returned a promise/)
    class Stops extends Strategy {
      override onStop = promising
    }
    const stopping = startFake(Stops, { parameters: {} })
    expect(() => stopping.runtime.stop('end')).toThrow(/onStop returned a promise/)
  })
})

describe('a strategy that cannot start', () => {
  const options = { venue: new FakeVenue(), clientId: 'c', accounts: [] }

  test('its constructor throws', () => {
    class Broken extends Strategy {
      constructor() {
        super()
        throw new Error('no')
      }
    }
    expect(() => startStrategy({ ...options, strategy: Broken })).toThrow(expect.objectContaining({ code: 'STRATEGY_FAILED' }))
  })

  test('its constructor asks for what is only there from onStart on', () => {
    class Early extends Strategy {
      readonly at = this.nowNs()
    }
    expect(() => startStrategy({ ...options, strategy: Early })).toThrow(/from onStart on, not in its constructor/)
  })

  test.each<readonly [strategy: unknown, name: string]>([[Map, 'Map'], [{}, '[object Object]'], [undefined, 'undefined']])('%s is no strategy', (strategy, found) => {
    const error = expect.objectContaining({ code: 'OPTION_INVALID', place: { field: 'strategy', expected: 'a class that extends Strategy', found } }) as Error
    expect(() => startStrategy({ ...options, strategy: strategy as never })).toThrow(error)
    expect(() => startStrategy({ ...options, strategy: strategy as never })).toThrow(/must be a class that extends Strategy/)
  })

  test.each<readonly [thrown: unknown, words: RegExp]>([
    [Object.assign(new Error('bare'), { stack: undefined }), /its constructor threw\nbare$/], [new Error('no'), /its constructor threw\nError: no\n +at /], ['text', /its constructor threw\ntext$/],
  ])('its constructor throws %s', (thrown, words) => {
    class Broken extends Strategy {
      constructor() {
        super()
        throw thrown as Error
      }
    }
    expect(() => startStrategy({ ...options, strategy: Broken })).toThrow(words)
    expect(() => startStrategy({ ...options, strategy: Broken })).toThrow(expect.objectContaining({ place: { field: 'constructor' } }) as Error)
  })

  test('its parameters are faulty', () => {
    expect(() => startFake(recording([]), { parameters: { instrument: 'XRP', size: 1 } })).toThrow(/2 faults/)
  })
})

describe('the end', () => {
  test('stop in a callback: onStop when it has returned, once, and nothing after', () => {
    const { venue, strategy, runtime } = startFake(recording(['onInstrumentTrades', 'onStop']))
    strategy.reactions.set('onInstrumentTrades', () => {
      strategy.stop('done')
      strategy.stop('again')
      strategy.received.push('still here')
    })
    venue.line(2)
    venue.line(2)
    runtime.stop('from outside')
    expect(strategy.received).toEqual(['onInstrumentTrades(at 0)', 'still here', 'onStop()'])
    expect(runtime.stopReason).toBe('done')
  })

  test('in onStop orders can be cancelled, but none placed', () => {
    const { venue, strategy, runtime } = startFake(recording(['onStop']))
    const entry = place(strategy, venue)
    venue.entry.confirm(entry)
    strategy.reactions.set('onStop', () => {
      for (const order of strategy.instrument.openOrders) order.cancel()
      expect(strategy.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('1'), price: Price.from('1') }).discardReason).toBe('STOPPED')
    })
    runtime.stop('end')
    expect(venue.entry.requests.map(({ kind }) => kind)).toEqual(['place', 'cancel'])
  })

  test('the log goes to the sink', () => {
    const { strategy, logged } = startFake(recording([]))
    strategy.log('a line')
    expect(logged).toEqual(['a line'])
  })

  test.each<readonly [value: unknown, found: string]>([
    [undefined, 'nothing'], [null, 'null'], [5n, '5n'], [NaN, 'NaN'], [7, '7'], [Symbol('s'), 'Symbol(s)'], [{ a: 1 }, '{"a":1}'], [Quantity.from('0.5'), '"0.5"'], [() => 1, '() => 1'],
  ])('what is no text is neither logged nor a reason to stop: %s', (value, found) => {
    const { strategy, logged } = startFake(recording([]))
    const refused = (verb: string): object => expect.objectContaining({ code: 'OPTION_INVALID', message: `Cannot ${verb} ${found}: it must be a text, as String(value) makes one` }) as object
    expect(() => strategy.log(value as string)).toThrow(refused('log'))
    if (value !== undefined) expect(() => strategy.stop(value as string)).toThrow(refused('stop for'))
    expect(logged).toEqual([])
  })
})
