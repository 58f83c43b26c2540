import type { FeeSchedule } from '../exchange/fees.js'
import { NO_FEES } from '../exchange/fees.js'
import { GENERIC_PROFILE } from '../exchange/generic-profile.js'
import type { AccountConfig } from '../exchange/account-config.js'
import type { VenueProfile } from '../exchange/venue-profile.js'
import { Decimal, plainDecimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import { readAll, Refusals } from './refusals.js'
import { noPrediction } from './venue-kinds.js'

/** Money and fees of one account. */
export interface AccountOptions {
  /** Starting cash by the code of its underlying, decimal texts. */
  readonly balances?: Readonly<Record<string, string>>
  readonly fees?: FeeSchedule
  /** Code of the exchange; may be left out where a run has instruments of one exchange alone. */
  readonly exchange?: string
  /** The venue: name of a built-in profile, path of your own (`./my.profile.json`), or a profile; default `generic`. */
  readonly profile?: string | VenueProfile
}

/** The accounts of a run: `account` is the short form for one exchange, several are named. */
export interface AccountsOptions {
  readonly account?: AccountOptions
  readonly accounts?: Readonly<Record<string, AccountOptions>>
}

/** Name of the account of the short form. */
export const ONLY_ACCOUNT = 'account'

function exchangeOf(name: string, options: AccountOptions, instruments: InstrumentDirectory): string {
  const codes = [...new Set(instruments.entries.map(({ instrument }) => instrument.exchangeCode))].sort()
  const [only, other] = codes
  const known = codes.join(', ')
  if (options.exchange !== undefined) {
    if (codes.includes(options.exchange)) return options.exchange
    throw new BacktapeError('OPTION_INVALID', `Cannot open account ${name}: the run has no instrument of exchange ${options.exchange}; it has ${known}`, {
      field: 'exchange', expected: known, found: options.exchange,
    })
  }
  if (only !== undefined && other === undefined) return only
  throw new BacktapeError('OPTION_INVALID', `Cannot open account ${name}: say its exchange, the run has instruments of ${known}`, { field: 'exchange', expected: known, found: 'none' })
}

function balancesOf(name: string, options: AccountOptions, underlyings: UnderlyingDirectory): Map<number, string> {
  const known = underlyings.entries.map((one) => one.code).join(', ')
  return new Map(readAll(Object.entries(options.balances ?? {}).map(([code, amount]) => (): readonly [number, string] => {
    const underlying = underlyings.entries.find((one) => one.code === code)
    const plain = typeof amount === 'string' ? plainDecimal(amount) : null
    if (underlying === undefined) {
      throw new BacktapeError('OPTION_INVALID', `Cannot open account ${name}: balances names ${code}, which no instrument of the run uses; they use ${known}`, {
        field: `balances.${code}`, expected: known, found: code,
      })
    }
    if (plain === null) {
      throw new BacktapeError('OPTION_INVALID', `Cannot open account ${name}: balances.${code} must be a decimal in quotes, found ${JSON.stringify(amount)}`, {
        field: `balances.${code}`, expected: 'a decimal text', found: amount,
      })
    }
    if (plain.startsWith('-') && !new Decimal(plain).isZero()) {
      throw new BacktapeError('OPTION_INVALID', `Cannot open account ${name}: balances.${code} must not be below 0, found ${JSON.stringify(amount)}`, {
        field: `balances.${code}`, expected: 'a decimal text, not below 0', found: amount,
      })
    }
    return [underlying.id, plain]
  })))
}

/** The schedule of an account. Rates of the value are parts of it: a fee of all that was dealt, or a rebate of it, is a slip of the pen. */
function feesOf(name: string, { fees = NO_FEES }: AccountOptions): FeeSchedule {
  if ((fees.by ?? 'value') !== 'value') return fees
  const rates = (['maker', 'taker'] as const).flatMap((kind): (readonly [field: string, rate: string])[] => {
    const rate = fees[kind]
    return typeof rate === 'string' ? [[`fees.${kind}`, rate]] : [[`fees.${kind}.buy`, rate.buy], [`fees.${kind}.sell`, rate.sell]]
  })
  readAll(rates.map(([field, rate]) => (): null => {
    const plain = plainDecimal(rate)
    if (plain === null || new Decimal(plain).abs().lt(1)) return null
    throw new BacktapeError('OPTION_INVALID', `Cannot open account ${name}: ${field} must be a part of the value, above -1 and below 1, found ${JSON.stringify(rate)}`, {
      field, expected: 'a decimal text above -1 and below 1', found: rate,
    })
  }))
  return fees
}

/** A profile of a prediction market makes contracts of the type perpetual ones that settle at 0 or 1: not those whose master data contradict it. */
function checkKind(accountId: string, { name, kind }: VenueProfile, exchangeCode: string | null, instruments: InstrumentDirectory): void {
  if (kind !== 'prediction') return
  for (const { instrument } of instruments.entries) {
    const why = instrument.type === 'perpetual' && instrument.exchangeCode === exchangeCode ? noPrediction(instrument) : null
    if (why === null) continue
    const found = `${instrument.exchangeCode}:${instrument.code}`
    throw new BacktapeError('OPTION_INVALID', `Cannot open account ${accountId}: its venue profile ${name} is of a prediction market, and ${found} is no prediction contract: ${why}`, {
      field: 'profile', expected: 'a profile of the venue that the data are of', found: name,
    })
  }
}

/** Accounts with every name looked up. */
export function accountsFromOptions(
  { account, accounts }: AccountsOptions, instruments: InstrumentDirectory, underlyings: UnderlyingDirectory, profiles: ReadonlyMap<string, VenueProfile>,
): AccountConfig[] {
  if (account !== undefined && accounts !== undefined) {
    throw new BacktapeError('OPTION_INVALID', 'Cannot open accounts: give `account` (one exchange) or `accounts` (several), not both', { field: 'accounts' })
  }
  return readAll(Object.entries(accounts ?? { [ONLY_ACCOUNT]: account ?? {} }).map(([accountId, options]) => (): AccountConfig => {
    const refusals = new Refusals()
    const exchangeCode = refusals.read(() => exchangeOf(accountId, options, instruments))
    const balances = refusals.read(() => balancesOf(accountId, options, underlyings))
    const profile = profiles.get(accountId) ?? GENERIC_PROFILE
    const fees = refusals.read(() => feesOf(accountId, options))
    refusals.read(() => checkKind(accountId, profile, exchangeCode, instruments))
    refusals.end()
    return { accountId, exchangeCode: exchangeCode ?? '', balances: balances ?? new Map<number, string>(), fees: fees ?? NO_FEES, profile }
  }))
}
