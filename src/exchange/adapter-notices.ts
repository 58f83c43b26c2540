import type { ClientMessage } from '../venue/order-messages.js'
import type { AdapterGate, GateState } from './adapter/adapter-gate.js'
import type { ClientChannel } from './client-channel.js'
import type { WorldMessage } from './world-config.js'
import type { RateLimitLoad } from '../venue/account-messages.js'

const EXCHANGE_INTERNAL = 2
const LOCAL_SIDE = 4

/** A world as the adapters' own messages need it. */
export interface NoticeWays {
  readonly gates: ReadonlyMap<string, AdapterGate>
  /** Channels of the clients of an account, by client, in the order of logging in. */
  readonly channels: ReadonlyMap<string, ReadonlyMap<string, ClientChannel>>
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void
}

/**
 * Messages that an adapter sends of its own accord: loads of rate limits, the status of an account. Times are local.
 */
export class AdapterNotices {
  /** When the status of each account was looked at last: of two plans for one change, one is enough. */
  readonly #lookedNs: Map<string, number> = new Map()

  constructor(private readonly ways: NoticeWays) {}

  /** The requests of an account may have changed its loads. */
  loadsChanged(accountId: string, timeNs: number, instrumentId: number): void {
    const gate = this.ways.gates.get(accountId)
    const loads = gate?.changedLoads(timeNs) ?? null
    if (gate !== undefined && loads !== null) this.#sendLoads(accountId, gate, timeNs, instrumentId, loads)
  }

  /** A window of an account's rate limits has ended. */
  windowEnded(accountId: string, timeNs: number): void {
    const gate = this.ways.gates.get(accountId)
    if (gate?.woken(timeNs) === true) this.#sendLoads(accountId, gate, timeNs, 0, gate.loads(timeNs))
  }

  /** Plans the next change of an account's status. */
  awaitStatus(accountId: string, timeNs: number): void {
    const next = this.ways.gates.get(accountId)?.nextStatusNs(timeNs) ?? Infinity
    if (next !== Infinity) this.ways.send(next, EXCHANGE_INTERNAL, 0, { way: 'status', accountId })
  }

  /** The status of an account may have changed. */
  statusChanged(accountId: string, timeNs: number): void {
    if (this.#lookedNs.get(accountId) === timeNs) return
    this.#lookedNs.set(accountId, timeNs)
    for (const channel of this.ways.channels.get(accountId)?.values() ?? []) channel.sendStatus(timeNs)
    this.awaitStatus(accountId, timeNs)
  }

  /** Gates as plain data, by account. */
  state(): (readonly [accountId: string, state: GateState])[] {
    return [...this.ways.gates].map(([accountId, gate]) => [accountId, gate.state()])
  }

  restore(states: readonly (readonly [accountId: string, state: GateState])[]): void {
    for (const [accountId, gate] of states) this.ways.gates.get(accountId)?.restore(gate)
  }

  #sendLoads(
    accountId: string, gate: AdapterGate, timeNs: number, instrumentId: number, loads: readonly RateLimitLoad[],
  ): void {
    this.#send(accountId, timeNs, instrumentId, { kind: 'rateLimitLoad', loads, adapterTimeNs: timeNs })
    const wakeNs = gate.nextWakeNs(timeNs)
    if (wakeNs !== null) this.ways.send(wakeNs, LOCAL_SIDE, 0, { way: 'window', accountId })
  }

  /** To every client of an account, within this instant. */
  #send(accountId: string, timeNs: number, instrumentId: number, message: ClientMessage): void {
    for (const channel of this.ways.channels.get(accountId)?.values() ?? [])
      channel.notify(timeNs, instrumentId, message)
  }
}
