import type { InstrumentEntry, MarketView, Venue } from '../venue/venue.js'
import { Account, type AccountActions } from './account.js'
import { DataInstrument } from './data-instrument.js'
import { findInstrument, INSTRUMENT_REFERENCE, ValueRefusal } from './instrument-reference.js'
import { foundText } from '../model/fault.js'
import { isJsonObject } from '../model/json-object.js'
import { keptValue } from '../model/kept-value.js'
import type { ParameterResolver } from './parameter-values.js'
import { TradingInstrument, type Trading } from './trading-instrument.js'

/** An account that a strategy may use. */
export interface StrategyAccount {
  /** Id of the account at the venue. */
  readonly accountId: string
  /** The exchange that it belongs to; null where it is not known, then it fits every instrument. */
  readonly exchangeCode: string | null
}

/** Instruments and accounts of one strategy: one object for each, however many parameters name it. */
export class InstrumentRegistry implements ParameterResolver {
  readonly #accounts: Map<string, Account> = new Map()
  readonly #data: Map<number, DataInstrument> = new Map()
  readonly #trading: Map<string, TradingInstrument> = new Map()

  constructor(
    private readonly venue: Pick<Venue, 'instruments' | 'market'>,
    private known: readonly StrategyAccount[],
    private readonly actions: Trading & AccountActions,
  ) {}

  /** Accounts that parameters name, in the order in which they were named. */
  get accounts(): readonly Account[] {
    return [...this.#accounts.values()]
  }

  get tradingInstruments(): readonly TradingInstrument[] {
    return [...this.#trading.values()]
  }

  /** All instruments, those for data alone first. */
  get instruments(): readonly DataInstrument[] {
    return [...this.#data.values(), ...this.#trading.values()]
  }

  dataInstrument(reference: unknown): DataInstrument {
    const entry = findInstrument(this.venue.instruments, reference)
    const { id } = entry.instrument
    return keptValue(this.#data, id, () => new DataInstrument(entry, this.venue.market(id)))
  }

  tradingInstrument(reference: unknown): TradingInstrument {
    const given: { readonly instrument?: unknown; readonly account?: unknown } = isJsonObject(reference)
      ? reference
      : { instrument: reference }
    for (const key of Object.keys(given)) {
      if (key !== 'instrument' && key !== 'account')
        throw new ValueRefusal(
          `${INSTRUMENT_REFERENCE}, or { "instrument": ..., "account": ... }`, foundText(reference),
        )
    }
    const entry = findInstrument(this.venue.instruments, given.instrument)
    const account = given.account === undefined ? this.#onlyAccount(entry) : this.account(given.account)
    const { id, exchangeCode, code } = entry.instrument
    if (account.exchangeCode !== null && account.exchangeCode !== exchangeCode) {
      throw new ValueRefusal(
        `an account of ${exchangeCode} for ${code}`, `${JSON.stringify(account.id)} of ${account.exchangeCode}`,
      )
    }
    return keptValue(
      this.#trading, `${id} ${account.id}`,
      () => new TradingInstrument(entry, this.venue.market(id), account, this.actions),
    )
  }

  account(reference: unknown): Account {
    const known = this.known.find(({ accountId }) => accountId === reference)
    if (known === undefined)
      throw new ValueRefusal(
        `the name of an account (${this.known.map(({ accountId }) => accountId).join(', ')})`, foundText(reference),
      )
    return this.#accountOf(known)
  }

  /** From now on only accounts that parameters have named are known: the strategy is logged in to these. */
  closeAccounts(): void {
    this.known = this.known.filter(({ accountId }) => this.#accounts.has(accountId))
  }

  /** The account of a name, or the only one. */
  accountFor(name: string | undefined): Account {
    const [only, other] = this.known
    return name === undefined && only !== undefined && other === undefined ? this.#accountOf(only) : this.account(name)
  }

  /** A trading instrument that the venue does not know: nothing finds it. */
  absentTrading(entry: InstrumentEntry, view: MarketView, account: Account): TradingInstrument {
    return new TradingInstrument(entry, view, account, this.actions)
  }

  /** The instrument that is read alone; undefined where the strategy has none such. */
  findData(instrumentId: number): DataInstrument | undefined {
    return this.#data.get(instrumentId)
  }

  /** The trading instrument of an order; undefined where the strategy has none such. */
  find(instrumentId: number, accountId: string): TradingInstrument | undefined {
    return this.#trading.get(`${instrumentId} ${accountId}`)
  }

  #onlyAccount({ instrument }: InstrumentEntry): Account {
    const fitting = this.known.filter(
      ({ exchangeCode }) => exchangeCode === null || exchangeCode === instrument.exchangeCode,
    )
    const [only, other] = fitting
    if (only !== undefined && other === undefined) return this.#accountOf(only)
    if (only !== undefined)
      throw new ValueRefusal(
        `{ "instrument": ..., "account": ... } with one of ${fitting.map(({ accountId }) => accountId).join(', ')}`,
        'no account',
      )
    throw new ValueRefusal(
      `an account of ${instrument.exchangeCode}`,
      this.known.map(({ accountId, exchangeCode }) => `${accountId} of ${exchangeCode ?? '?'}`).join(', ') ||
        'no account',
    )
  }

  #accountOf({ accountId, exchangeCode }: StrategyAccount): Account {
    return keptValue(this.#accounts, accountId, () => new Account(accountId, exchangeCode, this.actions))
  }
}
