import { expect, test } from 'vitest'
import { OrderRecorder } from '../../src/report/order-recorder.js'
import { RowBudget } from '../../src/report/packed-rows.js'
import { fakeEntry } from '../support/fake-market.js'
import { reportOf } from '../support/fake-venue.js'
import { placeEntry } from '../support/exchange-bench.ts'

const NO_MID = (): { value: number, scale: number } => ({ value: NaN, scale: 0 })

test('an order that the exchange ended keeps the error that its update says', () => {
  const recorder = new OrderRecorder({ entries: [fakeEntry()], get: () => fakeEntry() }, new RowBudget(), NO_MID)
  const queue = { entryQuantityAhead: NaN, touchedByGap: false }
  const error = { type: 'SELF_TRADE', message: 'no', source: 'EXCHANGE' } as const
  for (const id of ['a', 'b']) recorder.placed({ clientId: 'c', accountId: 'A' }, placeEntry(id, {}), 1)
  recorder.changed({ ...reportOf(placeEntry('a', {})), state: 'CANCELED', exchangeTimeNs: 2, error }, queue, 1)
  recorder.changed({ ...reportOf(placeEntry('b', {})), state: 'CANCELED', exchangeTimeNs: 2 }, queue, 1)
  expect(recorder.rows.all().map(({ state, endedNs, error: ended }) => [state, endedNs, ended])).toEqual([['CANCELED', 2, error], ['CANCELED', 2, null]])
})

test('a replacement of an order that has just ended takes its terms, also after a checkpoint', () => {
  const directory = { entries: [fakeEntry()], get: () => fakeEntry() }
  const [sender, queue] = [{ clientId: 'c', accountId: 'A' }, { entryQuantityAhead: NaN, touchedByGap: false }]
  const first = new OrderRecorder(directory, new RowBudget(), NO_MID)
  const entry = placeEntry('a', { side: 'ASK', price: 103, totalQuantity: 7, postOnly: false })
  first.placed(sender, entry, 1)
  first.changed({ ...reportOf(entry), executedQuantity: 3, state: 'CANCELED', exchangeTimeNs: 2 }, queue, 1)
  const second = new OrderRecorder(directory, new RowBudget(), NO_MID)
  second.restore(JSON.parse(JSON.stringify(first.state())) as ReturnType<OrderRecorder['state']>)
  for (const recorder of [first, second]) {
    recorder.replaced(sender, { currentOwnOrderId: 'a', newOwnOrderId: 'b', currentClientOrderId: 'a', newClientOrderId: 'b' }, 3)
    expect(recorder.rows.at(recorder.rows.length - 1)).toMatchObject({ ownOrderId: 'b', replaces: 'a', instrumentId: 1, side: 'ASK', postOnly: false, price: 103, totalQuantity: 4 })
  }
})
