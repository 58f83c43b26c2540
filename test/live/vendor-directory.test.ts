import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { directoryEntries } from '../../src/live/directory-entries.js'
import type { LiveResult } from '../../src/live/live-options.js'
import { runLive } from '../../src/live/run-live.js'
import type { DirectoryInstrument } from '../../src/feed/instrument-directory-client.js'
import { openServing } from '../../src/serve/open-serving.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { fakeEntry } from '../support/fake-market.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/average-cross/average-cross.run.json')
const SPAN = { from: '23:58', to: '24:00' }

/** A directory that has the columns of spec 1 alone, as the vendor's: ours, without the terms of line 1. */
async function bareDirectory(backend: string): Promise<{ readonly url: string, close(): void }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', backend)
    url.searchParams.delete('master')
    void fetch(url, { headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] => (/^(host|connection)$/.test(name) ? [] : [[name, String(value)]])) })
      .then(async (answer) => { response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()) })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The example in lock-step with such a directory. */
async function played(terms: readonly string[]): Promise<{ readonly result: LiveResult, readonly kinds: readonly string[] }> {
  const { options: { strategy, parameters, ...rest } } = await readRunFile(EXAMPLE)
  const serving = await openServing({ ...rest, ...SPAN, httpPort: 0, replay: { speed: 'lockstep' } })
  const directory = await bareDirectory(serving.addresses.http)
  const kinds: string[] = []
  try {
    const end = serving.run()
    const result = await runLive({
      strategy: strategy as new () => Strategy, parameters: parameters as ParameterConfig, feed: serving.addresses.feeds[0]!.json, apiKey: serving.addresses.keys[0], backend: serving.addresses.http,
      directory: directory.url, accountId: serving.addresses.accounts, seed: 1, terms, journal: { write: (line) => kinds.push((JSON.parse(line) as { kind: string }).kind) },
    })
    await end
    return { result, kinds }
  } finally {
    directory.close()
    await serving.close()
  }
}

test('a directory without terms: orders are sent, fills stand in the journal, money is what wallets state, and a sentence says so', { timeout: 120_000 }, async () => {
  const { result, kinds } = await played([])
  expect(kinds.filter((kind) => kind === 'fill').length).toBeGreaterThan(4)
  expect([result.fills.rowCount, result.summary.fillCount, result.summary.money.map(({ turnover, realizedPnl }) => [turnover, realizedPnl])]).toEqual([0, 0, [['0', '0']]])
  expect(result.summary.moneyEvents.map(({ kind }) => kind)).toEqual(['walletChange'])
  expect(result.orders.rows.filter(({ state }) => state === 'FILLED').length).toBeGreaterThan(4)
  expect(result.summary.warnings).toContainEqual(expect.stringContaining('its directory does not state its terms, so its fills stand in the journal alone'))
})

test('with a tick file that states them, the tables are those of the backtest', { timeout: 120_000 }, async () => {
  const { options } = await readRunFile(EXAMPLE)
  const backtest = await runBacktest({ ...options, ...SPAN, parameters: options.parameters as ParameterConfig })
  const { result } = await played(options.data as string[])
  expect(result.fills.rows).toEqual(backtest.fills.rows.map((row) => ({ ...row, cause: null })))
  expect([result.summary.total, result.summary.money]).toEqual([backtest.summary.total, backtest.summary.money])
  await expect(played([join(import.meta.dirname, 'nothing-*.txt.zst')])).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
})

describe('terms of a file beside a row of a directory', () => {
  const { instrument } = fakeEntry({ tickSize: '0.5', lotSize: '0.01', state: null })
  const row: DirectoryInstrument = {
    instrumentId: 1, code: 'BTCUSDT', type: 'perpetual', baseUnderlying: 'BTC', counterUnderlying: 'USDT', state: 'open', tickSize: '0.1', lotSize: null, contractValue: '1', multiplier: null,
    minOrder: null, maxOrder: null, exchangeId: 7, exchangeCode: 'swap', master: null,
  }
  const underlyings = [{ id: 20, code: 'USDT', name: null, type: null, fxRate: null, fxTime: null }]
  const entriesOf = (known?: { instrument: typeof instrument, underlyings: typeof underlyings, text: string }, more: Partial<DirectoryInstrument> = {}): ReturnType<typeof directoryEntries> => (
    directoryEntries([{ generatedAt: '', market: 'swap', instruments: [{ ...row, ...more }] }], known === undefined ? new Map() : new Map([[1, known]])))

  test.each([
    ['the directory states a newer tick size, and no lot size', entriesOf({ instrument, underlyings, text: '' }), { tickSize: '0.1', lotSize: '0.01', state: 'open', counterUnderlyingId: 20 }, 1],
    ['nothing but the directory', entriesOf(), { tickSize: '0.1', lotSize: null, counterUnderlyingId: null }, 0],
    ['a directory that states all terms wins', entriesOf({ instrument: { ...instrument, counterUnderlyingId: 99 }, underlyings: [], text: '' }, { master: { instrument, underlyings, text: '' } }), { tickSize: '0.5', counterUnderlyingId: 20 }, 1],
  ])('%s', (_what, { instruments, underlyings: found }, expected, count) => {
    expect(instruments.get(1)?.instrument).toMatchObject(expected)
    expect(found.entries).toHaveLength(count)
  })
})
