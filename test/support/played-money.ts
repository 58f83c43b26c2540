import type { Account } from '../../src/exchange/accounts/account.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import type { PlannedAction } from '../../src/exchange/accounts/corporate-actions.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { MoneyEvent } from '../../src/exchange/accounts/money-event.js'
import type { WorldAssumptions } from '../../src/exchange/world-config.js'
import type { WorldMoney } from '../../src/exchange/accounts/world-money.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry, type BenchCommand } from './exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from './market-lines.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

const BRACKETS = [{ upTo: '1000', initialRate: '0.1', maintenanceRate: '0.05', deduction: '0' }, { upTo: '5000', initialRate: '0.2', maintenanceRate: '0.1', deduction: '50' }]

/** A profile with two brackets: 10 % and 5 % up to 1000, 20 % and 10 % - 50 up to 5000, and a liquidation fee of 1 %. */
export function marginProfile(modes: readonly ('cross' | 'isolated')[], more: Partial<VenueProfile> = {}): VenueProfile {
  return { ...GENERIC_PROFILE, name: 'margined', margin: { modes, brackets: BRACKETS, liquidationFeeRate: '0.01' }, ...more }
}

export const book = (timeNs: number, bid: number, ask: number, quantity = 1000): MarketLine => ({ kind: 'snapshot', timeNs, rows: [[0, bid, quantity], [1, ask, quantity]] })
export const mark = (timeNs: number, value: number): MarketLine => ({ kind: 'mark', timeNs, value })
export const index = (timeNs: number, value: number): MarketLine => ({ kind: 'index', timeNs, value })
/** A rate in ten-thousandths. */
export const funding = (timeNs: number, value: number, nextFundingNs: number): MarketLine => ({ kind: 'funding', timeNs, value, valueScale: 4, nextFundingNs })
export const place = (timeNs: number, side: 'BID' | 'ASK', totalQuantity: number, price: number, more: Partial<PlaceEntry> = {}): BenchCommand => ({
  timeNs, send: (entry) => entry.place([placeEntry(`o${timeNs}`, { side, totalQuantity, price, ...more })]),
})

/** What a played page of money left. */
export interface PlayedMoney {
  readonly bench: ExchangeBench
  readonly events: MoneyEvent[]
  readonly messages: ClientMessage[]
  readonly account: Account
}

/** Plays one instrument on one account `A` with 100 of underlying 2 and no fees, where nothing else is said; prices are whole ticks. What is still owed costs interest until `untilNs`. */
export function playMoney(lines: readonly MarketLine[], commands: readonly BenchCommand[], config: Partial<AccountConfig> = {}, instrument: Partial<Instrument> = {}, money?: WorldMoney, assumptions: Partial<WorldAssumptions> = {}, untilNs = Infinity, corporateActions: readonly PlannedAction[] = []): PlayedMoney {
  const made = madeInstrument(instrument)
  const priceScale = made.tickSize?.split('.')[1]?.length ?? 0
  const events: MoneyEvent[] = []
  const messages: ClientMessage[] = []
  const codes = new Map([[1, 'COIN'], [2, 'CASH']])
  const underlying = (id: number) => {
    const code = codes.get(id)
    return code === undefined ? undefined : { id, code, name: null, type: null, fxRate: id === 2 ? '1' : '100', fxTime: null }
  }
  const bench = new ExchangeBench({
    instruments: [{ instrument: made, priceScale, batches: lines.length === 0 ? [] : [lineBatch(lines, { instrument: made, priceScale })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, ...config }],
    underlyings: { entries: [underlying(1)!, underlying(2)!], get: underlying },
    ...(money === undefined ? {} : { money }),
    assumptions,
    corporateActions,
    observer: () => ({ money: (event) => void events.push(event) }),
    delivered: (_world, _client, _timeNs, message) => void messages.push(message),
  })
  bench.run(commands, untilNs)
  return { bench, events, messages, account: bench.worlds[0]!.accounts.get('A')! }
}

/** Events in a line each. */
export function shortly({ events }: PlayedMoney): string[] {
  return events.map(({ kind, exchangeTimeNs, amount, atPrice, markedBy, leg }) => [kind, exchangeTimeNs, amount, atPrice, markedBy, leg].filter((word) => word !== undefined).join(' '))
}

/** Errors of place and amend answers. */
export function refusals({ messages }: PlayedMoney): string[] {
  return messages.flatMap((message) => (message.kind === 'placeResponse' || message.kind === 'amendResponse' ? message.results.flatMap(({ ownOrderId, error }) => (error === undefined ? [] : [`${String(ownOrderId)} ${error.type} ${error.source}`])) : []))
}
