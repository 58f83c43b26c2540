import type { FeeSchedule } from '../exchange/accounts/fees.js'
import { NO_FEES } from '../exchange/accounts/fees.js'
import { GENERIC_PROFILE } from '../exchange/profile/generic-profile.js'
import type { AccountConfig } from '../exchange/accounts/account-config.js'
import type { VenueProfile } from '../exchange/profile/venue-profile.js'
import { Decimal, plainDecimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../strategy/parameter-fault.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import { accountFaults, hasFields } from './account-validation.js'
import { readAll, Refusals } from './refusals.js'
import type { RunFileFault } from './run-file-fault.js'
import { noPrediction } from '../exchange/profile/venue-kinds.js'

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
   * False: the strategies of the account trade on when its equity has come to 0, at which they are stopped else
   * (exchange rules 8.6).
   */
  readonly stopAtZero?: boolean
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

/**
 * The accounts that a run declares by their names, whichever form it takes. What is no object has nothing in it here;
 * {@link accountsFromOptions} refuses it.
 */
export function accountEntries({
  account = {}, accounts = { [ONLY_ACCOUNT]: account },
}: AccountsOptions): readonly (readonly [name: string, options: AccountOptions])[] {
  return (hasFields(accounts) ? Object.entries(accounts) : []).map(([name, options]) => [
    name, hasFields(options) ? options : {},
  ])
}

function refusedAccount(name: string, { path, expected, found }: RunFileFault): BacktapeError {
  const place = { field: path === '' ? 'account' : path, expected, found }
  return new BacktapeError(
    'OPTION_INVALID', `Cannot open account ${name}: ${path === '' ? 'it' : path} must be ${expected}, found ${found}`,
    place,
  )
}

function exchangeOf(name: string, options: AccountOptions, instruments: InstrumentDirectory): string {
  const codes = [...new Set(instruments.entries.map(({ instrument }) => instrument.exchangeCode))].sort()
  const [only, other] = codes
  const known = codes.join(', ')
  if (options.exchange !== undefined) {
    if (codes.includes(options.exchange)) return options.exchange
    throw new BacktapeError(
      'OPTION_INVALID',
      `Cannot open account ${name}: the run has no instrument of exchange ${options.exchange}; it has ${known}`,
      {
        field: 'exchange', expected: known, found: options.exchange,
      },
    )
  }
  if (only !== undefined && other === undefined) return only
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot open account ${name}: say its exchange, the run has instruments of ${known}`,
    { field: 'exchange', expected: known, found: 'none' },
  )
}

function balancesOf(name: string, options: AccountOptions, underlyings: UnderlyingDirectory): Map<number, string> {
  const known = underlyings.entries.map((one) => one.code).join(', ')
  const { balances = {} } = options
  return new Map(
    readAll(
      Object.entries(hasFields(balances) ? balances : {}).map(([code, amount]) => (): readonly [number, string] => {
        const underlying = underlyings.entries.find((one) => one.code === code)
        const plain = typeof amount === 'string' ? plainDecimal(amount) : null
        if (underlying === undefined) {
          throw new BacktapeError(
            'OPTION_INVALID',
            `Cannot open account ${name}: balances names ${code}, which no instrument of the run uses; they use ` +
              known,
            {
              field: `balances.${code}`, expected: known, found: code,
            },
          )
        }
        if (plain === null) {
          throw new BacktapeError(
            'OPTION_INVALID',
            `Cannot open account ${name}: balances.${code} must be a decimal in quotes, found ` +
              JSON.stringify(amount),
            {
              field: `balances.${code}`, expected: 'a decimal text', found: amount,
            },
          )
        }
        if (plain.startsWith('-') && !new Decimal(plain).isZero()) {
          throw new BacktapeError(
            'OPTION_INVALID',
            `Cannot open account ${name}: balances.${code} must not be below 0, found ${JSON.stringify(amount)}`,
            {
              field: `balances.${code}`, expected: 'a decimal text, not below 0', found: amount,
            },
          )
        }
        return [underlying.id, plain]
      }),
    ),
  )
}

/**
 * A profile of a prediction market makes contracts of the type perpetual ones that settle at 0 or 1: not those whose
 * master data contradict it.
 */
function checkKind(
  accountId: string, { name, kind }: VenueProfile, exchangeCode: string | null, instruments: InstrumentDirectory,
): void {
  if (kind !== 'prediction') return
  for (const { instrument } of instruments.entries) {
    const why =
      instrument.type === 'perpetual' && instrument.exchangeCode === exchangeCode ? noPrediction(instrument) : null
    if (why === null) continue
    const found = `${instrument.exchangeCode}:${instrument.code}`
    throw new BacktapeError(
      'OPTION_INVALID',
      `Cannot open account ${accountId}: its venue profile ${name} is of a prediction market, and ${found} is no ` +
        `prediction contract: ${why}`,
      {
        field: 'profile', expected: 'a profile of the venue that the data are of', found: name,
      },
    )
  }
}

/** Accounts with every name looked up. */
export function accountsFromOptions(
  options: AccountsOptions, instruments: InstrumentDirectory, underlyings: UnderlyingDirectory,
  profiles: ReadonlyMap<string, VenueProfile>,
): AccountConfig[] {
  const { account, accounts } = options
  if (account !== undefined && accounts !== undefined) {
    throw new BacktapeError(
      'OPTION_INVALID', 'Cannot open accounts: give `account` (one exchange) or `accounts` (several), not both',
      { field: 'accounts' },
    )
  }
  const entries = accountEntries(options)
  if (entries.length === 0) {
    const expected = 'an object of accounts by name'
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot open accounts: accounts must be ${expected}, found ${foundText(accounts)}`,
      { field: 'accounts', expected, found: foundText(accounts) },
    )
  }
  return readAll(
    entries.map(([accountId, own]) => (): AccountConfig => {
      const refusals = new Refusals()
      const exchangeCode = refusals.read(() => exchangeOf(accountId, own, instruments))
      const balances = refusals.read(() => balancesOf(accountId, own, underlyings))
      const profile = profiles.get(accountId) ?? GENERIC_PROFILE
      const faults = accountFaults(accounts === undefined ? account : accounts[accountId])
      for (const fault of faults)
        refusals.read(() => {
          throw refusedAccount(accountId, fault)
        })
      refusals.read(() => checkKind(accountId, profile, exchangeCode, instruments))
      refusals.end()
      const atZero = own.stopAtZero === false ? 'note' : 'stop'
      return {
        accountId, exchangeCode: exchangeCode ?? '', balances: balances ?? new Map<number, string>(),
        fees: own.fees ?? NO_FEES, profile, atZero,
      }
    }),
  )
}
