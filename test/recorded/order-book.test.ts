import { describe, expect, test } from 'vitest'
import { OrderBook } from '../../src/book/order-book.js'
import { openSources, isSkippedMember } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { NaiveBook } from '../support/naive-book.js'
import { repeated } from '../support/repetitions.ts'
import { bundleFiles, dayFiles, hasSharedData } from '../support/shared-data.js'

/** Windows of which the small ones move hundreds of times a minute. */
const WINDOWS = [64, 1024, 65_536]

/** The level counts, and whether each best price is the naive book's: it stands there, and no row of this event is better. */
function expectTouch(books: OrderBook[], naive: NaiveBook, batch: EventBatch, index: number): void {
  const [first] = books as [OrderBook]
  for (const book of books) {
    if (book.bidLevelCount !== naive.sides[0].size || book.askLevelCount !== naive.sides[1].size) expect.fail(`level counts after event ${index}`)
    if (!Object.is(book.bestBidPrice, first.bestBidPrice) || !Object.is(book.bestAskPrice, first.bestAskPrice)) expect.fail(`touch after event ${index}`)
  }
  for (let row = batch.rowStart[index]!; row < batch.rowStart[index + 1]!; row++) {
    const code = batch.side[row] === 1 ? 1 : 0
    const price = batch.price[row]!
    const stands = naive.sides[code].get(price) ?? 0
    const isBetter = stands !== 0 && (code === 0 ? price > first.bestBidPrice : price < first.bestAskPrice)
    if (isBetter || books.some((book) => book.quantityAt(code === 0 ? 'BID' : 'ASK', price) !== stands)) expect.fail(`row ${row} of event ${index}`)
  }
}

function expectWhole(books: OrderBook[], naive: NaiveBook): void {
  const columns = (code: 0 | 1) => ({ prices: naive.levels(code).map((level) => level[0]), quantities: naive.levels(code).map((level) => level[1]) })
  const { priceScale, quantityScale, suspect } = naive
  for (const book of books) expect(book.state()).toEqual({ priceScale, quantityScale, suspect, bids: columns(0), asks: columns(1) })
}

describe.skipIf(!hasSharedData)('equals the naive book after every event', () => {
  // By day a day of each market; the bundle has the second year of one.
  test.each([...repeated(dayFiles, (path) => /spot|ETHUSDT-2024/.test(path)), ...repeated(bundleFiles, (path) => path.includes('deribit'))])('%s', { timeout: 180_000 }, async (path) => {
    for await (const source of openSources(path)) {
      if (isSkippedMember(source)) continue
      const books = WINDOWS.map((windowTicks) => new OrderBook({ windowTicks }))
      const naive = new NaiveBook()
      let bookEvents = 0
      for await (const batch of (await readTickFile(source)).batches()) {
        for (let i = 0; i < batch.count; i++) {
          if (batch.kind[i]! > 5) continue
          naive.apply(batch, i)
          for (const book of books) book.apply(batch, i)
          if (batch.kind[i]! > 1) continue
          expectTouch(books, naive, batch, i)
          if (++bookEvents % 1000 === 1) expectWhole(books, naive)
        }
      }
      expectWhole(books, naive)
    }
  })
})
