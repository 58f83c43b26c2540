import { type FeeSchedule, NO_FEES } from '../exchange/accounts/fees.js'
import { GENERIC_PROFILE, noPrediction, type VenueProfile } from '../exchange/profile/venue-profile.js'
import type { AccountConfig } from '../exchange/accounts/account-config.js'
import { plainDecimal } from '../model/decimal.js'
import { asChecked, fault, pathPart, type Fault } from '../model/fault.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { OrderLatency } from '../model/order-latency.js'
import { orderLatencyOf, type LatencyText } from './latency-options.js'
import { instrumentName } from '../model/instrument.js'
import type { WorldMoney } from '../exchange/accounts/world-money.js'
import { ratesOfData, type UsdRate } from '../model/usd-rate.js'
import { USD } from '../report/run-currency.js'
import { epochNsFromText, timeFromEpochNs } from '../model/time.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'
import { lastExpiry } from '../tickfile/lines/term-changes.js'

/** Money and fees of one account. */
export interface AccountOptions {
  /** Starting cash by the code of its underlying, decimal texts. */
  readonly balances?: Readonly<Record<string, string>>
  /** The fees of its fills; none by default. */
  readonly fees?: FeeSchedule
  /** Code of the exchange; may be left out where a run has instruments of one exchange alone. */
  readonly exchange?: string
  /** The venue: name of a built-in profile, path of your own (`./my.profile.json`), or a profile; default `generic`. */
  readonly profile?: string | VenueProfile
  /**
   * Code of the underlying, or USD, in which all money of the run is added up; default: the settlement underlying of
   * the derivatives that the run trades, else the counter of its spot markets, and USD where these differ.
   */
  readonly currency?: string
  /**
   * False: the strategies of the account trade on when its equity has come to 0, at which they are stopped else
   * (exchange rules 8.6).
   */
  readonly stopAtZero?: boolean
  /** As `requestLatency` of the assumptions, for this account alone: its venue may lie farther than others. */
  readonly requestLatency?: LatencyText | OrderLatency
  /** As `responseLatency` of the assumptions, for this account alone. */
  readonly responseLatency?: LatencyText | OrderLatency
}

/** The accounts of a run: `account` is the short form for one exchange, several are named. */
export interface AccountsOptions {
  /** The account of a run with one exchange; not together with `accounts`. */
  readonly account?: AccountOptions
  /** Accounts by the names that parameters use. */
  readonly accounts?: Readonly<Record<string, AccountOptions>>
}

/** Name of the account of the short form. */
export const ONLY_ACCOUNT = 'account'

/** The accounts that a run declares by their names, whichever form it takes. */
export function accountEntries({
  account = {}, accounts = { [ONLY_ACCOUNT]: account },
}: AccountsOptions): readonly (readonly [name: string, options: AccountOptions])[] {
  return Object.entries(accounts)
}

/** The path of an account in its options: `account`, or `accounts.NAME`. */
export function accountPath({ accounts }: AccountsOptions, name: string): string {
  return accounts === undefined ? 'account' : `accounts${pathPart(name)}`
}

function exchangeOf(
  { exchange }: AccountOptions, path: string, instruments: InstrumentDirectory, faults: Fault[],
): string | null {
  const codes = [...new Set(instruments.entries.map(({ instrument }) => instrument.exchangeCode))].sort()
  const [only = null, other] = codes
  if (exchange === undefined ? other === undefined : codes.includes(exchange)) return exchange ?? only
  faults.push(fault(`${path}.exchange`, `an exchange of the run's instruments (${codes.join(', ')})`, exchange))
  return null
}

function balancesOf(
  { balances = {} }: AccountOptions, path: string, { entries }: UnderlyingDirectory, faults: Fault[],
): Map<number, string> {
  const known = new Map<number, string>()
  for (const [code, amount] of Object.entries(balances)) {
    const underlying = entries.find((one) => one.code === code)
    if (underlying !== undefined) known.set(underlying.id, plainDecimal(amount) ?? amount)
    else {
      const expected = `an underlying of the run's instruments (${entries.map((one) => one.code).join(', ')})`
      faults.push(fault(`${path}.balances${pathPart(code)}`, expected, code))
    }
  }
  return known
}

/**
 * A profile of a prediction market makes contracts of the type perpetual ones that settle at 0 or 1: not those whose
 * master data contradict it.
 */
function kindFaults(
  { name, kind }: VenueProfile, path: string, exchangeCode: string | null, instruments: InstrumentDirectory,
): Fault[] {
  if (kind !== 'prediction') return []
  return instruments.entries.flatMap(({ instrument }) => {
    const isOwn = instrument.type === 'perpetual' && instrument.exchangeCode === exchangeCode
    const why = isOwn ? noPrediction(instrument) : null
    if (why === null) return []
    const found =
      `${name}, of a prediction market, and ${instrumentName(instrument)} is no prediction contract: ${why}`
    return [{ path: `${path}.profile`, expected: 'a profile of the venue that the data are of', found }]
  })
}

/** A latency of an account, in times of the run; nothing where it states none. */
function latencyOf(
  field: 'requestLatency' | 'responseLatency', option: LatencyText | OrderLatency | undefined, epochDay: number,
): Pick<AccountConfig, typeof field> {
  if (option === undefined) return {}
  const way = field === 'requestLatency' ? 'request' : 'response'
  const latency = typeof option === 'string' ? asChecked(orderLatencyOf(option, way)) : option
  return { [field]: latency.from?.(epochDay) ?? latency }
}

/**
 * Accounts with every name looked up; the options have passed `checkOptions`. A name that the run does not know, and a
 * profile of another kind of venue, are faults of the configuration.
 */
export function plannedAccounts(
  options: AccountsOptions, instruments: InstrumentDirectory, underlyings: UnderlyingDirectory,
  profiles: ReadonlyMap<string, VenueProfile>, epochDay: number, faults: Fault[],
): AccountConfig[] {
  return accountEntries(options).map(([accountId, own]) => {
    const path = accountPath(options, accountId)
    const exchangeCode = exchangeOf(own, path, instruments, faults)
    const balances = balancesOf(own, path, underlyings, faults)
    const profile = profiles.get(accountId) ?? GENERIC_PROFILE
    faults.push(...kindFaults(profile, path, exchangeCode, instruments))
    const atZero = own.stopAtZero === false ? 'note' : 'stop'
    return {
      accountId, exchangeCode: exchangeCode ?? '', balances, fees: own.fees ?? NO_FEES, profile, atZero,
      ...(own.currency === undefined ? {} : { currency: own.currency }),
      ...latencyOf('requestLatency', own.requestLatency, epochDay),
      ...latencyOf('responseLatency', own.responseLatency, epochDay),
    }
  })
}

/**
 * The currency that the accounts of a run state; null where none does. One that the data do not have, and another one
 * than that of an account before it, are faults of the configuration.
 */
export function statedCurrency(
  options: AccountsOptions, { entries }: UnderlyingDirectory, faults: Fault[],
): string | null {
  const codes = [...new Set([...entries.map(({ code }) => code), USD])]
  let stated: string | null = null
  for (const [name, { currency }] of accountEntries(options)) {
    if (currency === undefined) continue
    const path = `${accountPath(options, name)}.currency`
    if (!codes.includes(currency))
      faults.push(fault(path, `an underlying of the run's instruments (${codes.join(', ')})`, currency))
    else if (stated !== null && currency !== stated)
      faults.push(fault(path, `that of the accounts before it (${stated}), as a run has one total`, currency))
    stated ??= currency
  }
  return stated
}

/** Money that a run declares beside its accounts. */
export interface MoneyOptions {
  /**
   * Conversions by declared rates alone: USD for one unit, such as `{ "BTC/USD": "60000" }`; they win over the rates of
   * the files.
   */
  readonly rates?: Readonly<Record<string, string>>
  /**
   * The outcomes of prediction contracts, `"0"` or `"1"` by `exchange:code`, code or id; without it they are valued at
   * the last mark.
   */
  readonly outcomes?: Readonly<Record<string, string>>
}

/** Furthest end of a contract that a run can reach. */
const REACH_DAYS = 100

function usdRates(
  rates: Readonly<Record<string, string>>, underlyings: UnderlyingDirectory, faults: Fault[],
): Map<number, UsdRate> {
  const known = ratesOfData(underlyings.entries)
  const codes = underlyings.entries.map(({ code }) => code)
  for (const [pair, text] of Object.entries(rates)) {
    const [code, usd, more] = pair.split('/')
    const own = underlyings.entries.filter((underlying) => underlying.code === code)
    if (usd !== 'USD' || more !== undefined || own.length === 0)
      faults.push(fault(`rates${pathPart(pair)}`, `CODE/USD with a code of ${codes.join(', ')}`, pair))
    for (const { id } of own) known.set(id, { usd: plainDecimal(text) ?? text, declaredBy: 'run' })
  }
  return known
}

function outcomesById(
  outcomes: Readonly<Record<string, string>>, instruments: InstrumentDirectory, faults: Fault[],
): Map<number, string> {
  const byId = new Map<number, string>()
  for (const [name, outcome] of Object.entries(outcomes)) {
    const path = `outcomes${pathPart(name)}`
    const [only, other] = instruments.entries.filter(({ instrument }) =>
      [instrument.code, String(instrument.id), instrumentName(instrument)].includes(name),
    )
    if (only === undefined || other !== undefined) {
      faults.push(fault(path, 'one instrument of the run, as exchange:code, code or id', name))
      continue
    }
    const { instrument } = only
    const why = noPrediction(instrument)
    if (why !== null) {
      const found = `${instrumentName(instrument)}, which is none: ${why}`
      faults.push(fault(path, 'the outcome of a prediction contract', found))
    }
    byId.set(instrument.id, outcome)
  }
  return byId
}

function expiriesById(
  instruments: InstrumentDirectory, epochDay: number, laterTerms: readonly InstrumentTerms[],
): Map<number, number> {
  const byId = new Map<number, number>()
  for (const { instrument } of instruments.entries) {
    const { id, type } = instrument
    const expiry = lastExpiry(instrument, laterTerms, epochDay)
    if (expiry === null || type === 'spot') continue
    const epochNs = epochNsFromText(expiry, epochDay)
    const days = Number(epochNs / 86_400_000_000_000n) - epochDay
    if (days >= 0 && days < REACH_DAYS) byId.set(id, timeFromEpochNs(epochNs, epochDay))
  }
  return byId
}

/**
 * The money that a run declares, with every name looked up; the options have passed `checkOptions`. A name that the run
 * does not know is a fault of the configuration.
 */
export function worldMoney(
  { rates = {}, outcomes = {} }: MoneyOptions, instruments: InstrumentDirectory, underlyings: UnderlyingDirectory,
  epochDay: number, laterTerms: readonly InstrumentTerms[], faults: Fault[],
): WorldMoney {
  return {
    usdRates: usdRates(rates, underlyings, faults),
    outcomes: outcomesById(outcomes, instruments, faults),
    expiries: expiriesById(instruments, epochDay, laterTerms),
  }
}
