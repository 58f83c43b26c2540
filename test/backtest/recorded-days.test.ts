import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { repeated } from '../support/repetitions.ts'
import { hasSharedData, dayFiles } from '../support/shared-data.ts'

/** Asks for nothing, or looks at everything that it hears: best prices, levels, counts, state. */
class Quiet extends Strategy {}
class Loud extends Strategy {
  declare instrument: DataInstrument
  seen = 0
  sum = 0
  override onInstrumentSnapshot(): void { this.look() }
  override onInstrumentTopOfBook(): void { this.look() }
  override onInstrumentTrades(): void { this.sum += this.instrument.getLastTrades().length }
  override onStop(): void { this.log(`saw ${String(this.seen)} lines, ${String(this.sum)}`) }

  look(): void {
    const { view } = this.instrument
    const { book } = view
    for (const price of [view.bestBidPrice, view.bestAskPrice, book.bestBidPrice, book.bestAskPrice]) if (!Number.isNaN(price)) this.sum = (this.sum * 31 + price) % 1_000_003
    this.sum = (this.sum * 31 + view.bestBidQuantity + view.bestAskQuantity + book.bestBidQuantity + book.bestAskQuantity + book.priceScale + Number(book.suspect)) % 1_000_003
    // Levels now and then, so that books lag and are brought up again.
    if (++this.seen % 997 < 3) this.sum = (this.sum * 31 + book.bidLevelCount * 7 + book.askLevelCount + book.quantityAt('BID', book.bestBidPrice - 3)) % 1_000_003
  }
}
Parameter(DataInstrument)(Loud.prototype, 'instrument')

const cache = mkdtempSync(join(tmpdir(), 'backtape-days-'))
afterAll(() => rmSync(cache, { recursive: true, force: true }))
const codeOf = (path: string): string => /-(.*)-\d{4}-\d\d-\d\d/.exec(basename(path))![1]!

describe.skipIf(!hasSharedData)('every recorded day', () => {
  test.each(repeated(dayFiles.map((path) => [basename(path), path] as const), ([name]) => /coin_swap|2023/.test(name)))('%s is played to its end, with the same result from the cache', async (_name, path) => {
    const { journalLineCount } = await runBacktest({ strategy: Quiet, data: [path], account: {} })
    // Who asks for no instrument is told nothing.
    expect(journalLineCount).toBe(0)
    const loud = async (more: object): Promise<string> => (await runBacktest({ strategy: Loud, data: [path], parameters: { instrument: codeOf(path) }, account: {}, ...more })).fingerprint
    const plain = await loud({})
    for (let i = 0; i < 2; i++) expect(await loud({ cache })).toBe(plain)
    // Lines that were heard before midnight among them.
    expect(await loud({ cache, assumptions: { feedLatency: 'constant 1ms' } })).toBe(await loud({ assumptions: { feedLatency: 'constant 1ms' } }))
  }, 180_000)
})
