import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { TriggerReference } from '../../src/model/order.js'
import type { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { madeOrder } from '../support/made-orders.ts'
import { StopTriggers, isReached } from '../../src/exchange/market/stop-triggers.js'
import { book, place, playMoney, type PlayedMoney } from '../support/played-money.ts'
import type { MarketLine } from '../support/market-lines.ts'

describe('whether a trigger is reached', () => {
  test.each(['BID', 'ASK'] as const)('%s: exact over any two scales, values between two units and below 0 too', (side) => {
    const wrong: string[] = []
    for (const triggerScale of [0, 1, 2]) {
      for (const scale of [0, 1, 2]) {
        // Both in hundredths.
        const [triggerUnit, unit] = [10 ** (2 - triggerScale), 10 ** (2 - scale)]
        for (let trigger = -3; trigger <= 3; trigger++) {
          for (let value = -35; value <= 35; value++) {
            const expected = side === 'BID' ? value * unit >= trigger * triggerUnit : value * unit <= trigger * triggerUnit
            if (isReached(side, trigger, triggerScale, { value, scale }) !== expected) wrong.push(`${trigger} of scale ${triggerScale} by ${value} of scale ${scale}`)
          }
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('not by a price that is not known', () => {
    expect([isReached('BID', 1, 0, { value: NaN, scale: 0 }), isReached('ASK', 1, 0, { value: NaN, scale: 0 })]).toEqual([false, false])
  })

  const by = (defaultTrigger: TriggerReference): VenueProfile => ({ ...GENERIC_PROFILE, name: 'by', orders: { ...GENERIC_PROFILE.orders, defaultTrigger } })
  const triggered = ({ messages }: PlayedMoney): string[] => messages.flatMap((message) => (message.kind === 'orderUpdate' ? message.orders.filter((order) => order.triggered).map(({ ownOrderId }) => `${message.adapterTimeNs} ${String(ownOrderId)}`) : []))
  const stops = [place(2, 'BID', 1, 50, { type: 'STOP_LIMIT', triggerPrice: 105 }), place(3, 'ASK', 1, 150, { type: 'STOP_LIMIT', triggerPrice: 95 })]

  test.each(['mark', 'index'] as const)('a %s in hundredths reaches a trigger in units at the trigger, not a hundredth before', (kind) => {
    const at = (timeNs: number, value: number): MarketLine => ({ kind, timeNs, value, valueScale: 2 })
    const run = playMoney([book(1, 100, 101), at(1, 10_050), at(4, 10_499), at(5, 9501), at(6, 10_500), at(7, 10_050), at(8, 9499)], stops, { profile: by(kind) })
    expect(triggered(run)).toEqual(['6 o2', '8 o3'])
  })
})

describe('stop orders that wait', () => {
  const order = (ownOrderId: string, side: 'BID' | 'ASK', triggerPrice: number, triggerReference?: TriggerReference): OrderAtExchange => (
    madeOrder({ ownOrderId, side, triggerPrice, ...(triggerReference === undefined ? {} : { triggerReference }) })
  )
  const reached = (waiting: StopTriggers, prices: Partial<Record<TriggerReference, number>>): string[] => (
    waiting.takeReached(0, (reference) => ({ value: prices[reference] ?? NaN, scale: 0 })).map(({ ownOrderId }) => String(ownOrderId))
  )

  test('each waits for its own reference, the last trade where it names none', () => {
    const waiting = new StopTriggers()
    for (const one of [order('mark', 'BID', 105, 'mark'), order('index', 'BID', 105, 'index'), order('trade', 'BID', 105), order('later', 'BID', 106, 'mark'), order('down', 'ASK', 95, 'mark')]) waiting.add(one)
    expect([waiting.size, [...waiting.orders()].map(({ ownOrderId }) => ownOrderId)]).toEqual([5, ['mark', 'later', 'down', 'index', 'trade']])
    expect(reached(waiting, { mark: 104, index: 105, lastTrade: 104 })).toEqual(['index'])
    expect(reached(waiting, { mark: 95, index: 999, lastTrade: 105 })).toEqual(['down', 'trade'])
    expect([waiting.size, reached(waiting, { mark: 106 }), waiting.size]).toEqual([2, ['mark', 'later'], 0])
  })

  test('one that was taken out is not reached any more, and no stranger is taken out', () => {
    const waiting = new StopTriggers()
    const [near, far] = [order('near', 'BID', 105, 'mark'), order('far', 'BID', 107, 'mark')]
    for (const one of [near, far]) waiting.add(one)
    expect([waiting.remove(order('near', 'BID', 105, 'mark')), waiting.remove(near), waiting.remove(near)]).toEqual([false, true, false])
    expect([reached(waiting, { mark: 106 }), reached(waiting, { mark: 107 })]).toEqual([[], ['far']])
  })
})
