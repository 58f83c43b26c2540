import type { ClientMessage } from '../venue/order-messages.js'
import type { AdapterGate, GateState } from './adapter/adapter-gate.js'
import { EXCHANGE_INTERNAL, LOCAL_RESPONSES, type WorldAgenda } from './agenda.js'
import type { RateLimitLoad } from '../venue/account-messages.js'

/** The way of an adapter's own messages to a client. */
export interface NoticeWay {
  /** Sends the account's status with the whole state at the exchange. */
  sendStatus(timeNs: number, text?: string): void
  /** Sends a word of the adapter itself, within this instant. */
  notify(timeNs: number, instrumentId: number, message: ClientMessage): void
}

/**
 * Messages that an adapter sends of its own accord: loads of rate limits, the status of an account. Times are local.
 */
export class AdapterNotices {
  /** When the status of each account was looked at last: of two plans for one change, one is enough. */
  readonly #lookedNs: Map<string, number> = new Map()

  constructor(
    private readonly gates: ReadonlyMap<string, AdapterGate>,
    /** Channels of the clients of an account, by client, in the order of logging in. */
    private readonly channels: ReadonlyMap<string, ReadonlyMap<string, NoticeWay>>,
    private readonly agenda: WorldAgenda,
  ) {}

  /** The requests of an account may have changed its loads. */
  loadsChanged(accountId: string, timeNs: number, instrumentId: number): void {
    const gate = this.gates.get(accountId)
    const loads = gate?.changedLoads(timeNs) ?? null
    if (gate !== undefined && loads !== null) this.#sendLoads(accountId, gate, timeNs, instrumentId, loads)
  }

  /** A window of an account's rate limits has ended. */
  windowEnded(accountId: string, timeNs: number): void {
    const gate = this.gates.get(accountId)
    if (gate?.woken(timeNs) === true) this.#sendLoads(accountId, gate, timeNs, 0, gate.loads(timeNs))
  }

  /** Plans the next change of an account's status. */
  awaitStatus(accountId: string, timeNs: number): void {
    const next = this.gates.get(accountId)?.nextStatusNs(timeNs) ?? Infinity
    if (next !== Infinity) this.agenda.send(next, EXCHANGE_INTERNAL, 0, { way: 'status', accountId })
  }

  /** The status of an account may have changed; `text`: what is said of it, where that is not its own. */
  statusChanged(accountId: string, timeNs: number, text?: string): void {
    if (this.#lookedNs.get(accountId) === timeNs) return
    this.#lookedNs.set(accountId, timeNs)
    for (const channel of this.channels.get(accountId)?.values() ?? []) channel.sendStatus(timeNs, text)
    this.awaitStatus(accountId, timeNs)
  }

  /** Gates as plain data, by account. */
  state(): (readonly [accountId: string, state: GateState])[] {
    return [...this.gates].map(([accountId, gate]) => [accountId, gate.state()])
  }

  restore(states: readonly (readonly [accountId: string, state: GateState])[]): void {
    for (const [accountId, gate] of states) this.gates.get(accountId)?.restore(gate)
  }

  #sendLoads(
    accountId: string, gate: AdapterGate, timeNs: number, instrumentId: number, loads: readonly RateLimitLoad[],
  ): void {
    this.#send(accountId, timeNs, instrumentId, { kind: 'rateLimitLoad', loads, adapterTimeNs: timeNs })
    const wakeNs = gate.nextWakeNs(timeNs)
    if (wakeNs !== null) this.agenda.send(wakeNs, LOCAL_RESPONSES, 0, { way: 'window', accountId })
  }

  /** To every client of an account, within this instant. */
  #send(accountId: string, timeNs: number, instrumentId: number, message: ClientMessage): void {
    for (const channel of this.channels.get(accountId)?.values() ?? [])
      channel.notify(timeNs, instrumentId, message)
  }
}
