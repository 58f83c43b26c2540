import { expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned, plannedRun } from '../support/planned-run.ts'
import { marginProfile } from '../support/played-money.ts'

const S = 1e9

/** Opens an isolated long and a net short, sees a higher price, and says what the account says. */
class Hedging extends Planned {
  override onStart(): void {
    const { instrument } = this
    this.after(1500, () => { instrument.placeOrder({ type: 'MARKET', side: 'BID', quantity: instrument.quantity('10'), openClose: 'OPEN' }) })
    this.after(2500, () => { instrument.placeOrder({ type: 'MARKET', side: 'ASK', quantity: instrument.quantity('4'), openClose: 'OPEN' }) })
    this.after(5500, () => { this.say() })
    this.after(6500, () => { instrument.placeOrder({ type: 'MARKET', side: 'ASK', quantity: instrument.quantity('10'), openClose: 'CLOSE' }) })
    this.after(7500, () => { instrument.placeOrder({ type: 'MARKET', side: 'BID', quantity: instrument.quantity('4'), openClose: 'CLOSE' }) })
    this.after(8500, () => { this.say() })
  }

  say(): void {
    const { account, id } = this.instrument
    this.log(JSON.stringify({ equity: account.equity?.toFixed() ?? null, free: account.available('CASH').toFixed(), own: account.wallet('CASH')?.cashBalance, isolated: account.wallet('CASH', id)?.cashBalance ?? null, none: account.wallet('CASH', 99) ?? null, all: account.wallets.map(({ type }) => type ?? 'ACCOUNT') }))
  }
}

const lines: MarketLine[] = Array.from({ length: 12 }, (_, at): MarketLine => ({ kind: 'snapshot', timeNs: at * S, rows: [[0, 99 + at, 500], [1, 101 + at, 500]] }))
const profile = (walletTypes: readonly string[]): VenueProfile => marginProfile(['cross', 'isolated'], { capabilities: { ...GENERIC_PROFILE.capabilities, walletTypes } })

async function said(walletTypes: readonly string[]): Promise<Record<string, unknown>[]> {
  const journal: string[] = []
  const account = { balances: { CASH: '10000' }, fees: { maker: '0', taker: '0.001' }, profile: profile(walletTypes) }
  await plannedRun({ files: [lines], plans: [[]], options: { strategy: Hedging, account, journal: () => ({ write: (line) => void journal.push(line) }) } })
  return journal.map((line) => JSON.parse(line) as { readonly kind: string, readonly text?: string }).filter(({ kind }) => kind === 'log').map(({ text }) => JSON.parse(text!) as Record<string, unknown>)
}

test('a strategy sees isolated margin in its own wallet, with the same equity and the same to spend', async () => {
  const [apart, together] = [await said(['ACCOUNT', 'ISOLATED']), await said(['ACCOUNT'])]
  // 10 at 102 and 4 at 101 are 1020 and 404: the first in the step of 20 %, the second of 10 %.
  expect(apart).toHaveLength(2)
  expect(apart[0]).toMatchObject({ isolated: '244.4', none: null, all: ['ACCOUNT', 'ISOLATED'] })
  expect(together[0]).toMatchObject({ isolated: null, all: ['ACCOUNT'] })
  expect(apart[1]).toMatchObject({ isolated: null, all: ['ACCOUNT'] })
  expect(apart.map(({ equity, free }) => [equity, free])).toEqual(together.map(({ equity, free }) => [equity, free]))
  expect(apart[0]!['equity']).not.toBeNull()
  expect(Number(apart[0]!['own']) + 244.4).toBeCloseTo(Number(together[0]!['own']), 9)
})
