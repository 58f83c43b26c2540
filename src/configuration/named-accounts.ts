import { BacktapeError } from '../model/error.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import type { AccountOptions } from './account-options.js'

const BALANCE = '100000'
const FEES = { maker: '0.0002', taker: '0.0005' } as const

/** Accounts that are made of names. */
export interface NamedAccounts {
  readonly accounts: Readonly<Record<string, AccountOptions>>
  /** A sentence about each. */
  readonly sentences: readonly string[]
}

/**
 * Accounts that a command line names, `NAME` or `NAME:EXCHANGE`: profile generic, 100,000 of each counter underlying of
 * the exchange, maker 0.0002, taker 0.0005. Throws OPTION_INVALID for an exchange that no instrument has, a name that
 * is there twice, and a name alone where there are several exchanges.
 */
export function namedAccounts(
  names: readonly string[], instruments: readonly Instrument[], underlyings: readonly Underlying[],
): NamedAccounts {
  const codeById = new Map(underlyings.map(({ id, code }) => [id, code]))
  const exchanges = [...new Set(instruments.map(({ exchangeCode }) => exchangeCode))].sort()
  const accounts = new Map<string, AccountOptions>()
  const sentences: string[] = []
  for (const text of names) {
    const [name = '', stated] = text.split(':')
    const exchange = stated ?? (exchanges.length === 1 ? exchanges[0] : undefined)
    if (name === '' || exchange === undefined || !exchanges.includes(exchange))
      throw invalid(`a name, ":" and an exchange of the data (${exchanges.join(', ')})`, text)
    if (accounts.has(name)) throw invalid('a name that no other account has', text)
    const counters = instruments.filter(({ exchangeCode }) => exchangeCode === exchange)
      .flatMap(({ counterUnderlyingId: id }) => (id === null ? [] : [codeById.get(id) ?? String(id)]))
    const codes = [...new Set(counters)].sort()
    accounts.set(name, { exchange, balances: Object.fromEntries(codes.map((code) => [code, BALANCE])), fees: FEES })
    const money = codes.map((code) => `100,000 ${code}`).join(', ')
    sentences.push(
      `Account ${name}: ${exchange}, profile generic, ${money}, maker ${FEES.maker}, taker ${FEES.taker}`)
  }
  return { accounts: Object.fromEntries(accounts), sentences }
}

function invalid(expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot use --account: it must be ${expected}, found ${found}`, {
    field: 'account', expected, found: found.slice(0, 80),
  })
}
