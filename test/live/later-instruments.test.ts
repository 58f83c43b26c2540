import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DirectoryInstrument, DirectoryReading } from '../../src/feed/instrument-directory-client.js'
import { directoryEntries } from '../../src/live/directory-entries.js'
import { DirectoryRefresh } from '../../src/live/directory-refresh-client.js'
import { runLive } from '../../src/live/run-live.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { datasetsFolder } from '../support/datasets-folder.ts'

const row = (instrumentId: number, more: Partial<DirectoryInstrument> = {}): DirectoryInstrument => ({
  instrumentId, code: `C${String(instrumentId)}`, type: 'perpetual', baseUnderlying: null, counterUnderlying: null, state: 'open', tickSize: '0.1', lotSize: '1', contractValue: null, multiplier: '1', minOrder: null, maxOrder: null, exchangeId: 1,
  exchangeCode: 'x_swap', master: null, ...more,
})
const reading = (generatedAt: string, ...instruments: DirectoryInstrument[]): DirectoryReading => ({ generatedAt, market: 'x_swap', instruments })

describe('the directory is asked again', () => {
  beforeEach(() => { vi.useFakeTimers() })
  afterEach(() => { vi.useRealTimers() })

  test('what has changed each five minutes, all once a day; a directory that is away is noted once', async () => {
    const { instruments, take } = directoryEntries([reading('t0', row(1))])
    const [before] = instruments.entries
    const asked: (string | undefined)[] = []
    const notes: string[] = []
    let answer: () => DirectoryReading = () => reading('t1', row(1, { tickSize: '0.5' }), row(2))
    const refresh = new DirectoryRefresh({
      readings: [reading('t0', row(1))], take, onNote: (note) => notes.push(note),
      read: (_market, since) => {
        asked.push(since)
        return Promise.resolve().then(answer)
      },
    })
    await vi.advanceTimersByTimeAsync(299_000)
    expect(asked).toEqual([])
    await vi.advanceTimersByTimeAsync(1_001)
    expect([asked, notes]).toEqual([['t0'], ['Directory of x_swap: listed C2']])
    // The new one is known; the old one stays as it was.
    expect([instruments.entries.map(({ instrument }) => instrument.id), instruments.get(2)?.instrument.code, instruments.get(1) === before]).toEqual([[1, 2], 'C2', true])
    answer = () => { throw new Error('away') }
    await vi.advanceTimersByTimeAsync(900_000)
    expect([asked, notes.slice(1)]).toEqual([['t0', 't1', 't1', 't1'], ['Directory of x_swap: away']])
    answer = () => reading('t2')
    await vi.advanceTimersByTimeAsync(300_000)
    expect(notes.slice(2)).toEqual(['Directory of x_swap: read again'])
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(asked.filter((since) => since === undefined)).toHaveLength(1)
    const count = asked.length
    refresh.stop()
    await vi.advanceTimersByTimeAsync(900_000)
    expect(asked).toHaveLength(count)
  })

  test('an answer that comes behind the stop changes nothing', async () => {
    const { instruments, take } = directoryEntries([reading('t0', row(1))])
    let answer: (found: DirectoryReading) => void = () => undefined
    const refresh = new DirectoryRefresh({ readings: [reading('t0')], take, onNote: () => { throw new Error('noted') }, read: () => new Promise((resolve) => { answer = resolve }) })
    await vi.advanceTimersByTimeAsync(300_001)
    refresh.stop()
    answer(reading('t1', row(2)))
    await vi.advanceTimersByTimeAsync(1)
    expect(instruments.entries).toHaveLength(1)
  })
})

let serving: Serving | null = null
afterEach(async () => {
  await serving?.close()
  serving = null
})

test.each(['json', 'sbe'] as const)('an instrument that no parameter names is subscribed by its strategy: PENDING, READY, lines (%s)', { timeout: 60_000 }, async (encoding) => {
  const server = serving = await openServing({
    data: ['swap', 'spot'].map((kind) => join(datasetsFolder, `synthetic_${kind}-XRPUSDT-2026-07-01.txt.zst`)), from: '23:58', httpPort: 0, replay: { speed: 60 },
    accounts: { paper: { exchange: 'synthetic_swap', balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } } },
  })
  const seen: string[] = []
  class Later extends Strategy {
    override onStart(): void { this.after(1_000, () => {
      this.subscribeInstrument('synthetic_swap:XRPUSDT')
      this.subscribeInstrument('synthetic_swap:NOWHERE')
    }) }
    override onMarketDataState(instrument: { readonly code: string }, state: string): void { seen.push(`${instrument.code} ${state}`) }
    override onInstrumentTopOfBook(): void {
      seen.push('top')
      this.stop()
    }
  }
  void server.run()
  const { feeds, http, keys } = server.addresses
  const { reason, summary } = await runLive({ strategy: Later, feed: feeds.map((one) => ({ url: one[encoding] })), apiKey: keys[0], backend: http, accountId: 'paper' })
  expect(reason).toBe('stopped by the strategy')
  expect(seen.filter((text) => text !== 'top')).toEqual(['XRPUSDT PENDING', 'NOWHERE PENDING', 'NOWHERE FAILED', 'XRPUSDT READY'])
  expect(seen).toContain('top')
  expect(summary.markets.map(({ instrument }) => instrument)).toEqual(['synthetic_swap:XRPUSDT'])
})
