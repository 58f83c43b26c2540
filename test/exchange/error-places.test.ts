import { Amount } from '../../src/model/amount.js'
import { expect, test } from 'vitest'
import { BookSampler } from '../../src/measures/book-sampler.js'
import { OrderBook } from '../../src/book/order-book.js'
import { Account } from '../../src/exchange/accounts/account.js'
import { checkFees } from '../../src/exchange/accounts/fees.js'
import { LatencyQueue, constantLatency, interpolatedLatency } from '../../src/exchange/adapter/order-latency.js'
import { powerQueue } from '../../src/exchange/matching/queue-model.js'
import { madeOrder } from '../support/made-orders.ts'
import { checkGrowth } from '../../src/exchange/market/touch-book.js'
import type { ErrorPlace } from '../../src/model/error.js'
import { RandomNumbers } from '../../src/model/random.js'
import { depthBatch } from '../support/depth-batch.ts'
import { ExchangeBench, NOBODY } from '../support/exchange-bench.ts'
import { madeInstrument } from '../support/market-lines.ts'

const instrument = madeInstrument()
const entry = { instrument, priceScale: 0, quantityScale: 0 }
const fees = { maker: '0', taker: '0.001' }
const ask = (price: number, scale: number) => depthBatch([{ kind: 'snapshot', rows: [[1, price, 3]] }], { priceScale: scale })
const bids = (count: number) => depthBatch([{ kind: 'snapshot', rows: Array.from({ length: count }, (_, at) => [0, 1 + at, 1] as const) }])
const asks = (count: number) => depthBatch([{ kind: 'update', rows: Array.from({ length: count }, (_, at) => [1, 1 + at, 1] as const) }])
const world = () => new ExchangeBench({ instruments: [{ instrument, batches: [] }], accounts: ['A', 'B'].map((accountId) => ({ accountId, exchangeCode: 'test', balances: new Map(), fees })) }).worlds[0]!
const moved = (from: number, to: number, price: number): void => {
  const book = new OrderBook()
  book.apply(ask(price, from), 0)
  book.rescale({ instrument, priceScale: to, quantityScale: 0 })
}

test.each<[work: string, code: string, place: ErrorPlace, message: string, () => unknown]>([
  ['a book with an odd window', 'OPTION_INVALID', { field: 'windowTicks' }, 'Cannot make a book: windowTicks must be a multiple of 32 up to 2^24, found 33', () => new OrderBook({ windowTicks: 33 })],
  ['a sampler that stands still', 'OPTION_INVALID', { field: 'everyNs', found: '0' }, 'Cannot sample a book: everyNs must be a positive integer, found 0', () => new BookSampler(new OrderBook(), { everyNs: 0 })],
  ['too many bids', 'LIMIT_EXCEEDED', { field: 'bids', expected: 'at most 2 levels a side', found: '3' }, 'Cannot apply a book event: a side may hold 2 levels, found more', () => new OrderBook({ levelLimit: 2 }).apply(bids(3), 0)],
  ['too many asks', 'LIMIT_EXCEEDED', { field: 'asks', expected: 'at most 2 levels a side', found: '4' }, 'Cannot apply a book event: a side may hold 2 levels, found more', () => new OrderBook({ levelLimit: 2 }).apply(asks(4), 0)],
  ['a level that finer digits cannot hold', 'VALUE_INEXACT', { field: 'price', expected: 'an integer of at most 2^53 - 1 at the new scale', found: '9007199254740991 at scale 1' },
    'Cannot move a price of the book from scale 1 to 2: 9007199254740991 does not fit', () => moved(1, 2, Number.MAX_SAFE_INTEGER)],
  ['a level that coarser digits cannot hold', 'VALUE_INEXACT', { field: 'price', expected: 'an integer of at most 2^53 - 1 at the new scale', found: '1205 at scale 3' },
    'Cannot move a price of the book from scale 3 to 1: 1205 does not fit', () => moved(3, 1, 1205)],
  ['a market at coarser prices', 'VALUE_INEXACT', { field: 'priceScale', expected: 'scales that only grow', found: '1 and 3' }, 'Cannot apply TEST at scales 1 and 3: its market is at 2 and 3 already', () => checkGrowth({ instrument, priceScale: 1, quantityScale: 3 }, 2, 3)],
  ['a market at coarser quantities', 'VALUE_INEXACT', { field: 'priceScale', expected: 'scales that only grow', found: '2 and 2' }, 'Cannot apply TEST at scales 2 and 2: its market is at 2 and 3 already', () => checkGrowth({ instrument, priceScale: 2, quantityScale: 2 }, 2, 3)],
  ['a sum that must not be rounded', 'VALUE_INEXACT', { field: 'a fee', found: '1.000000000000000000000000000000000000001' }, 'Cannot post a fee: it needs more than 39 digits', () => Amount.from(`1.${'0'.repeat(38)}1`).posted('a fee')],
  ['a sum whose digits are too many to print', 'VALUE_INEXACT', { field: 'a fee', found: `1.${'0'.repeat(78)}` }, 'Cannot post a fee: it needs more than 39 digits', () => Amount.from(`1.${'0'.repeat(98)}1`).posted('a fee')],
  ['a recording without a row', 'OPTION_INVALID', { field: 'latency' }, 'Cannot interpolate latencies: the recording has no rows', () => interpolatedLatency([], 'response')],
  ['a latency that goes back in time', 'OPTION_INVALID', { field: 'latency', expected: 'whole nanoseconds from 0 to 1h', found: '-1' }, 'Cannot send a message with the latency constant -1ns: it must give whole nanoseconds from 0 to 1h, found -1',
    () => new LatencyQueue(new RandomNumbers(1, 'lane', 0)).carry(constantLatency(-1), 0, 0, 1)],
  ['a power that is none', 'OPTION_INVALID', { field: 'queue' }, 'Cannot make a queue model: the exponent must be a whole number from 1 to 64, found 0.5', () => powerQueue(0.5)],
  ['fees that nobody can value', 'OPTION_INVALID', { field: 'fees', expected: 'fees by quantity or by fill', found: 'fees by value' }, 'Cannot charge account A fees by value on test:TEST: its fee underlying 77 is neither base nor counter',
    () => checkFees('A', fees, madeInstrument({ feeUnderlyingId: 77 }))],
  ['an account of another exchange', 'OPTION_INVALID', { field: 'account', expected: 'test', found: 'other' }, 'Cannot trade test:TEST on account A: it belongs to other',
    () => new Account({ accountId: 'A', exchangeCode: 'other', balances: new Map(), fees }).prospect(entry)],
  ['an account that nobody has', 'OPTION_INVALID', { field: 'account', expected: 'A, B', found: 'X' }, 'Cannot log in to account "X": it must be one of A, B', () => world().connect('c', 'X', NOBODY, () => 0)],
  ['an order that does not rest', 'LIMIT_EXCEEDED', {}, 'Cannot remove order o: it does not rest', () => world().traded(1)!.orders.remove(madeOrder({}))],
  ['a client that is there already', 'OPTION_INVALID', { field: 'clientId', expected: 'another name', found: 'c' }, 'Cannot log in "c" to account "A": a client of this name is logged in already', () => world().connect('c', 'A', NOBODY, () => 0)],
])('%s is refused with its code, its place and a sentence', (_work, code, place, message, work) => {
  expect(work).toThrow(expect.objectContaining({ code, place, message }))
})
