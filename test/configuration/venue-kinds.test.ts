import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())
beforeAll(() => {
  folder.write('subject.ts', strategyModule(`  override onStart(): void { this.after(2000, () => this.take()) }
  take(): void {
    const { bestAsk } = this.instrument
    this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: bestAsk.price, timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false })
  }`))
})

const SWAP = { account: { balances: { USDT: '5000' } } }
const BET = { data: [join(datasetsFolder, 'synthetic_prediction-BTC-ABOVE-65000-2026-07-01.txt.zst')], parameters: { instrument: 'BTC-ABOVE-65000' }, account: { balances: { USD: '1000' } } }
const COIN = { data: [join(datasetsFolder, 'synthetic_coin_swap-ETHUSD-2026-07-01.txt.zst')], parameters: { instrument: 'ETHUSD' }, account: { balances: { ETH: '10' } } }
const SPOT = { data: [join(datasetsFolder, 'synthetic_spot-SOLUSDT-2025-07-01.txt.zst')], parameters: { instrument: 'SOLUSDT' }, account: { balances: { USDT: '5000' } } }

/** What a run is refused with, or its notes of profiles and kinds of contracts. */
async function told(more: object, account: object = {}): Promise<string | readonly string[]> {
  const own = (more as { account: object }).account
  const path = folder.write('kinds.run.json', runContent({ ...more, assumptions: { staleAfter: 'off' }, account: { ...own, ...account } }))
  return runRunFile(await readRunFile(path)).then(
    ([result]) => {
      expect(result!.summary.fillCount).toBeGreaterThan(0)
      return result!.summary.moneyNotes.filter((note) => /venue profile (?!declares)|taken for/.test(note))
    },
    (error: unknown) => (error as Error).message.replace(`Cannot run ${path}: `, ''),
  )
}

const profile = (kind: string): object => ({ name: `my-${kind}`, kind, capabilities: { orderTypes: ['LIMIT'], timeInForces: ['IMMEDIATE_OR_CANCEL'] } })
const BRACKET = { upTo: null, initialRate: '0.1', maintenanceRate: '0.05', deduction: '0' }

describe('an outcome', () => {
  test.each([
    ['a perpetual that pays funding', SWAP, 'XRPUSDT', 'synthetic_swap:XRPUSDT, which is none: it pays funding'],
    ['an inverse contract', COIN, 'ETHUSD', 'synthetic_coin_swap:ETHUSD, which is none: it is inverse'],
    ['a spot pair', SPOT, 'SOLUSDT', 'synthetic_spot:SOLUSDT, which is none: its type is spot'],
  ])('of %s is refused', async (_name, more, code, found) => {
    expect(await told({ ...more, outcomes: { [code]: '1' } })).toBe(`outcomes.${code}: expected the outcome of a prediction contract, found ${JSON.stringify(found)}`)
  })

  test('of a contract that may be one makes it one, and the result says so', async () => {
    expect(await told({ ...BET, outcomes: { 'BTC-ABOVE-65000': '1' } })).toEqual(["synthetic_prediction:BTC-ABOVE-65000: taken for a prediction contract, as the run's outcomes say; its master data call it perpetual"])
    expect(await told(BET)).toEqual([])
  })
})

describe('the profile of another venue', () => {
  test('of a prediction market refuses perpetuals that are none; for what may be one the result names it', async () => {
    expect(await told(SWAP, { profile: 'polymarket' })).toBe('account.profile: expected a profile of the venue that the data are of, found polymarket, of a prediction market, and synthetic_swap:XRPUSDT is no prediction contract: it pays funding')
    expect(await told(BET, { profile: 'polymarket' })).toEqual(['synthetic_prediction:BTC-ABOVE-65000: taken for a prediction contract, as the venue profile polymarket says; its master data call it perpetual'])
  })

  test('of any other kind is named in the result', async () => {
    const other = (name: string, kind: string, code: string): string => `account account: its venue profile ${name} is of the kind ${kind}, and ${code} is not: what the profile says may not hold there`
    expect(await told(SWAP, { profile: 'bybit-spot' })).toEqual([other('bybit-spot', 'spot', 'synthetic_swap:XRPUSDT')])
    expect(await told(SPOT, { profile: 'bybit-spot' })).toEqual([])
    for (const kind of ['usdtPerpetual', 'coinPerpetual', 'options', 'spot', 'generic']) {
      const path = folder.write(`${kind}.profile.json`, profile(kind))
      const notes = (fits: boolean, code: string): readonly string[] => (fits ? [] : [other(`my-${kind}`, kind, code)])
      expect(await told(SWAP, { profile: path })).toEqual(notes(['usdtPerpetual', 'generic'].includes(kind), 'synthetic_swap:XRPUSDT'))
      expect(await told(COIN, { profile: path })).toEqual(notes(['coinPerpetual', 'generic'].includes(kind), 'synthetic_coin_swap:ETHUSD'))
    }
  })
})

test('brackets of other instruments alone: the result says that the general ones hold', async () => {
  const with_ = (code: string): string => folder.write(`margin-${code}.profile.json`, { ...profile('usdtPerpetual'), margin: { modes: ['cross'], brackets: [BRACKET], instruments: { [code]: [BRACKET] } } })
  expect(await told(SWAP, { profile: with_('XRPUSD') })).toEqual(['synthetic_swap:XRPUSDT: margin.instruments of the venue profile my-usdtPerpetual does not name it, so the general brackets hold'])
  expect(await told(SWAP, { profile: with_('XRPUSDT') })).toEqual([])
})
