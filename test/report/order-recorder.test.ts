import { expect, test } from 'vitest'
import { OrderRecorder } from '../../src/report/order-recorder.js'
import { RowBudget } from '../../src/report/row-budget.js'
import { fakeEntry } from '../support/fake-market.js'
import { reportOf } from '../support/fake-venue.js'
import { placeEntry } from '../support/exchange-bench.ts'

test('an order that the exchange ended keeps the error that its update says', () => {
  const recorder = new OrderRecorder({ entries: [fakeEntry()], get: () => fakeEntry() }, new RowBudget())
  const queue = { entryQuantityAhead: NaN, touchedByGap: false }
  const error = { type: 'SELF_TRADE', message: 'no', source: 'EXCHANGE' } as const
  for (const id of ['a', 'b']) recorder.placed({ clientId: 'c', accountId: 'A' }, placeEntry(id, {}), 1)
  recorder.changed({ ...reportOf(placeEntry('a', {})), state: 'CANCELED', exchangeTimeNs: 2, error }, queue, 1)
  recorder.changed({ ...reportOf(placeEntry('b', {})), state: 'CANCELED', exchangeTimeNs: 2 }, queue, 1)
  expect(recorder.rows.map(({ state, endedNs, error: ended }) => [state, endedNs, ended])).toEqual([['CANCELED', 2, error], ['CANCELED', 2, null]])
})
