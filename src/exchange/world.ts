import { scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { RandomNumbers } from '../model/random.js'
import type { OrderEntry, OrderEntryListener } from '../venue/venue.js'
import { Account } from './account.js'
import type { Agenda } from './agenda.js'
import { ClientChannel } from './client-channel.js'
import type { InstrumentMarket } from './instrument-market.js'
import type { TradedInstrument } from './order-engine.js'
import { RequestHandler } from './request-handler.js'
import type { ClientMessage, WorldConfig, WorldMessage, WorldObserver } from './world-config.js'
import { WorldOrders } from './world-orders.js'

/** A factor between scales as an integer: 10^(to - from). */
function factorOf(from: number, to: number): number {
  let factor = 1
  for (let i = from; i < to; i++) factor *= 10
  return factor
}

/**
 * One run instance over a shared market: accounts, their orders, what they took, their clients' channels. A world never sees
 * another one. It moves only when the loop plays one of its requests or responses, or when the market it rests in plays an item.
 */
export class World {
  readonly number: number
  readonly config: WorldConfig
  readonly accounts: ReadonlyMap<string, Account>
  readonly handler: RequestHandler
  readonly #agenda: Agenda<WorldMessage>
  readonly #observer: WorldObserver
  readonly #markets: ReadonlyMap<number, InstrumentMarket>
  readonly #traded: Map<number, TradedInstrument> = new Map()
  readonly #channels: Map<string, ClientChannel> = new Map()
  #sequence = 0

  constructor(config: WorldConfig, markets: ReadonlyMap<number, InstrumentMarket>, agenda: Agenda<WorldMessage>, observer: WorldObserver) {
    this.number = config.number
    this.config = config
    this.#markets = markets
    this.#agenda = agenda
    this.#observer = observer
    this.accounts = new Map(config.accounts.map((account) => [account.accountId, new Account(account)]))
    this.handler = new RequestHandler(this)
  }

  /** Opens a client's order entry on an account. Several clients may share one. */
  connect(clientId: string, accountId: string, listener: OrderEntryListener, nowNs: () => number): OrderEntry {
    const account = this.accounts.get(accountId)
    if (account === undefined) {
      const known = [...this.accounts.keys()].join(', ')
      throw new BacktapeError('OPTION_INVALID', `Cannot log in to account ${JSON.stringify(accountId)}: it must be one of ${known}`, { field: 'account', expected: known, found: accountId })
    }
    const random = new RandomNumbers(this.config.assumptions.seed, `order-latency ${clientId}`, 0)
    const channel = new ClientChannel({ world: this, clientId, account, listener, nowNs, observer: this.#observer, random })
    this.#channels.set(clientId, channel)
    return channel
  }

  /** What the world has of an instrument, made when it is first traded. */
  traded(instrumentId: number): TradedInstrument | null {
    const known = this.#traded.get(instrumentId)
    if (known !== undefined) return known
    const entry = this.config.instruments.get(instrumentId)
    const market = this.#markets.get(instrumentId)
    if (entry === undefined || market === undefined) return null
    const { assumptions } = this.config
    const { priceScale, quantityScale } = market.shown.book
    const priceFactor = factorOf(entry.priceScale, Math.max(priceScale, entry.priceScale))
    const quantityFactor = factorOf(entry.quantityScale, Math.max(quantityScale, entry.quantityScale))
    const lot = entry.instrument.lotSize === null ? 1 : (scaledFromText(entry.instrument.lotSize, entry.quantityScale) ?? 1)
    const rules = { queue: assumptions.queue, fills: assumptions.fills, gaps: assumptions.gaps, lotSize: lot * quantityFactor, unit: factorOf(0, quantityScale) }
    const orders = new WorldOrders(this.number, market, rules, this.handler)
    const traded: TradedInstrument = { entry, market, orders, priceFactor, quantityFactor }
    this.#traded.set(instrumentId, traded)
    return traded
  }

  /** Puts a request or an answer on its way. */
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void {
    this.#agenda.put({ timeNs, phase, instrumentId, worldNumber: this.number, sequence: this.#sequence++, message })
  }

  /** Sends an event to every client of an account, each with its own response latency. */
  publish(accountId: string, exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void {
    for (const channel of this.#channels.values()) {
      if (channel.accountId === accountId) channel.answer(exchangeTimeNs, instrumentId, message)
    }
  }

  /** Plays what the agenda says is due: a request at the exchange, or an answer at its client. */
  play(timeNs: number, message: WorldMessage): void {
    const channel = this.#channels.get(message.clientId)
    if (channel === undefined) return
    if (message.way === 'request') this.handler.handle(channel, timeNs, message.request)
    else channel.deliver(timeNs, message.message)
  }
}
