import { expect, test } from 'vitest'
import { nearCallbacks } from '../../src/strategy/callback-names.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { recording, startFake } from '../support/recording-strategy.js'

/** A strategy with methods of these names. */
function withMethods(names: readonly string[]): Strategy {
  class Subject extends Strategy {}
  for (const name of names) Object.defineProperty(Subject.prototype, name, { value: () => undefined })
  return new Subject()
}

test.each([
  ['onTrade', 'onInstrumentTrades'], ['onTrades', 'onInstrumentTrades'], ['onInstrumentTrade', 'onInstrumentTrades'], ['oninstrumenttrades', 'onInstrumentTrades'], ['onFill', 'onOrderFill'], ['onFills', 'onOrderFill'],
  ['onOrderFilled', 'onOrderFill'], ['onOrderFills', 'onOrderFill'], ['onTopOfBook', 'onInstrumentTopOfBook'], ['onInstrumentTopofBook', 'onInstrumentTopOfBook'], ['onBook', 'onInstrumentSnapshot'],
  ['onSnapshot', 'onInstrumentSnapshot'], ['onDepth', 'onInstrumentSnapshot'], ['onOrder', 'onOrderUpdate'], ['onOrderUpdated', 'onOrderUpdate'], ['onError', 'onOrderError'], ['onPosition', 'onInstrumentPosition'],
  ['onMarkPrice', 'onInstrumentMarkPrice'], ['onFunding', 'onInstrumentFundingRate'], ['onFundingRate', 'onInstrumentFundingRate'], ['onLiquidation', 'onInstrumentLiquidations'], ['onMarketState', null],
  ['onInit', 'onStart'], ['onStarted', null], ['onStar', 'onStart'], ['OnStart', 'onStart'], ['onEnd', 'onStop'], ['onCancelAllOrdersResponse', 'onAccountCancelAllOrdersResponse'],
  // Swapped letters are one edit, where the name is long enough.
  ['onOrderFlil', 'onOrderFill'], ['onOrderErorr', 'onOrderError'], ['onSotp', null],
] as const)('%s is close to %s', (name, callback) => {
  expect(nearCallbacks(withMethods([name]))).toEqual(callback === null ? [] : [[name, callback]])
})

test('names that resemble none are no alarm', () => {
  const own = ['onStep', 'onSignal', 'onEntry', 'onExit', 'onTimer', 'onTick', 'onQuote', 'onRisk', 'onShop', 'onFile', 'onRate', 'requote', 'trade', 'fill', 'start', 'once', 'only', 'online', 'onward', 'onHedgeDone']
  expect(nearCallbacks(withMethods(own))).toEqual([])
})

test('callbacks themselves, their overrides and fields are none; a field that holds a function is one', () => {
  class Fields extends Strategy {
    readonly onTradeCount = 0
    readonly onFill = (): void => {}
    override onInstrumentTrades(): void {}
    override onOrderFill(): void {}
  }
  class Derived extends Fields {
    onTrade(): void {}
  }
  expect(nearCallbacks(new Derived())).toEqual([['onFill', 'onOrderFill'], ['onTrade', 'onInstrumentTrades']])
})

test('it is a warning once, before onStart, and not again where a run resumes', () => {
  class Subject extends recording(['onStart']) {
    onTrade(): void {}
  }
  const begun = startFake(Subject)
  expect(begun.warned).toEqual(['Subject.onTrade is no callback, so the run never calls it: onInstrumentTrades is one'])
  expect(startFake(Subject, { resume: begun.runtime.state() }).warned).toEqual([])
})
