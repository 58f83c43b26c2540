import { randomUUID } from 'node:crypto'
import type { TopicAccesses } from '../broker/topic-access.js'
import type { JsonObject } from '../model/json-object.js'
import { fault, type Fault } from '../model/fault.js'
import { statesFor, type InstanceAction } from '../protocol/strategies/instance-states.js'
import type { StrategyErrorName } from '../protocol/strategies/strategy-errors.js'
import type { Wire } from '../protocol/strategies/strategy-schemas.js'
import type { RefusalReply } from '../web/rest/rest-reply.js'
import { Instance, wordsOf, type InstanceParts } from './instance.js'
import { keepOpenIds, NAMED_MOST, sentIds } from './instance-files-writer.js'
import type { InstanceFolders } from './instance-folders-writer.js'
import { isAlone, type InstanceLimits, type InstanceOrder, type StrategyVenue } from './instance-run.js'
import type { InstanceTerms } from './instance-store-writer.js'
import type { StrategyFolder } from './strategy-folder-reader.js'
import type { VenueRuns } from './venue-runs.js'

/** A refusal of the table of errors. */
export type Refusal = RefusalReply<StrategyErrorName>

/** The reason of an instance whose server was killed. */
const KILLED = 'the server ended while it ran'
/** The reason of an instance whose server was closed. */
const CLOSED = 'the server was closed while it ran'

/** The parts of the instances of a server. */
export interface InstancesParts extends InstanceParts {
  readonly folders: InstanceFolders
  readonly strategies: StrategyFolder
  /** By their names, the first by default. */
  readonly venues: Readonly<Record<string, StrategyVenue>>
  readonly venueRuns: VenueRuns
  /** Instances at most. */
  readonly most: number
  readonly limits: InstanceLimits
  /** The folder of decoded days; absent: none are kept. */
  readonly cache?: string | undefined
  /** The folder of compiled strategies; absent: none are kept. */
  readonly bundles?: string | undefined
  /** Channels that are topics of a broker. */
  readonly topics?: TopicAccesses
}

/** True for a refusal. */
export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refusal'
}

/** The words on orders that were left: how many are open. */
function leftWords(openCount: number, isCancelling: boolean, hasReplayEnded: boolean): string {
  if (openCount > 0) return `open at its adapter: ${openCount} orders`
  if (hasReplayEnded) return 'its replay has ended with it: a start begins that anew, to another fingerprint'
  return isCancelling ? 'no order of it is open' : ''
}

/** The refusal of faults, all at once. */
function faultsRefusal(faults: readonly Fault[]): Refusal {
  const words = faults.map(({ path, expected, found }) => `${path} must be ${expected}, found ${found}`)
  const details = { faults: faults.map(({ path, expected, found }) => ({ path, expected, found })) }
  return { kind: 'refusal', error: 'invalidFields', message: words.join('; '), details }
}

/**
 * The instances of a server, in the order of their creation. What a method has answered is kept: a server that is
 * killed behind the answer opens again with it.
 */
export class Instances {
  readonly #instances: Map<string, Instance> = new Map()
  #isClosed = false

  /** Those that ran when the server ended are INTERRUPTED. */
  constructor(private readonly parts: InstancesParts) {
    const { store, folders } = parts
    for (const stored of store.instances()) {
      const instance = new Instance(stored, parts)
      this.#instances.set(stored.terms.instanceId, instance)
      instance.takeName()
      instance.move('interrupted', KILLED)
    }
    folders.keepOnly(new Set(this.#instances.keys()))
  }

  /** All of them. */
  all(): readonly Instance[] {
    return [...this.#instances.values()]
  }

  /** The instance of an id. */
  get(instanceId: string): Instance | Refusal {
    return this.#instances.get(instanceId) ?? { kind: 'refusal', error: 'unknownInstance', details: { instanceId } }
  }

  /** Makes an instance; its strategy, venue and parameters are checked before, all of their faults at once. */
  async create(config: Wire<'InstanceConfig'>): Promise<Instance | Refusal> {
    const { instanceName, strategyName, parameters = {}, venue } = config
    const early = this.#refusalOfName(instanceName)
    if (early !== null) return early
    const checked = await this.#checked(strategyName, parameters, venue)
    if (isRefusal(checked)) return checked
    // Others may have been made meanwhile.
    const late = this.#refusalOfName(instanceName)
    if (late !== null) return late
    const nowMs = this.parts.nowMs()
    const terms = { instanceId: randomUUID(), instanceName, parameters, ...checked, createdMs: nowMs }
    const stored = { terms, standing: { state: 'CREATED', sinceMs: nowMs, reason: null, outcome: null } } as const
    const instance = new Instance(stored, this.parts)
    if (!instance.takeName()) return { kind: 'refusal', error: 'nameTaken' }
    try {
      this.parts.store.add(stored)
    } catch (error) {
      instance.leave()
      throw error
    }
    this.#instances.set(terms.instanceId, instance)
    return instance
  }

  /** Gives an instance at rest other parameters, and another venue. */
  async reconfigure(instanceId: string, { parameters, venue }: Wire<'Reconfiguration'>): Promise<Instance | Refusal> {
    const instance = this.#allowed(instanceId, 'reconfigure')
    if (isRefusal(instance)) return instance
    const { module, strategyName, venue: before } = instance.terms
    const open = venue === undefined || venue === before ? null : this.#refusalOfOrders([instance])
    if (open !== null) return open
    const checked = await this.#checked(`${module}#${strategyName}`, parameters, venue ?? before)
    if (isRefusal(checked)) return checked
    const late = this.#allowed(instanceId, 'reconfigure')
    if (isRefusal(late)) return late
    const { standing } = late
    try {
      this.parts.store.together(() => { late.reconfigure({ ...late.terms, parameters, venue: checked.venue }) })
    } catch (error) {
      late.restore(standing)
      throw error
    }
    return late
  }

  /** Starts instances, all or none; resumed, they go on from their checkpoints. */
  start(instanceIds: readonly string[], isResumed: boolean): readonly Instance[] | Refusal {
    const moved = this.#move(instanceIds, isResumed ? 'resume' : 'start')
    if (!isRefusal(moved)) for (const one of moved) one.begin(() => this.#order(one.terms, isResumed))
    return moved
  }

  /** Stops instances, all or none; `reason` stands in their states, where there is one. */
  stop(instanceIds: readonly string[], cancelOrders: boolean, reason?: string): readonly Instance[] | Refusal {
    const moved = this.#move(instanceIds, 'stop', reason)
    if (!isRefusal(moved)) for (const one of moved) one.stop(cancelOrders, reason)
    return moved
  }

  /** Stops those that can be stopped and have one of some channels open; their number. */
  stopWhereOpen(isOne: (channel: string) => boolean, reason: string): number {
    const states = statesFor('stop')
    const having = this.all().filter(({ state, openChannels }) => (
      states.includes(state) && [...openChannels].some(isOne)))
    const stopped = this.stop(having.map(({ terms }) => terms.instanceId), true, reason)
    return isRefusal(stopped) ? 0 : stopped.length
  }

  /**
   * Stops every instance that can be stopped, and cancels all orders: of those at rest too, whose runs of before may
   * have left some. These and those that are being stopped are answered.
   */
  stopAll(): readonly Instance[] | Refusal {
    const states = statesFor('stop')
    const running = this.all().filter(({ state }) => states.includes(state))
    const stopped = this.stop(running.map(({ terms }) => terms.instanceId), true)
    if (isRefusal(stopped)) return stopped
    const resting = this.all().filter((one) => !one.isAtWork && this.#sentIds(one).length > 0)
    for (const one of resting) {
      one.left(one.status().openOrders ?? this.#sentIds(one).slice(-NAMED_MOST), 'its orders are being cancelled')
      void this.#askLeft(one, true)
    }
    return this.all().filter((one) => resting.includes(one) || one.state === 'STOPPING' || stopped.includes(one))
  }

  /** Asks the venues for the orders that runs of before have left open there. */
  async askLeft(): Promise<void> {
    const asked = this.all().filter((one) => (
      !one.isAtWork && (this.#sentIds(one).length > 0 || (one.state === 'INTERRUPTED' && !this.#isAlone(one)))))
    await Promise.all(asked.map((one) => this.#askLeft(one, false)))
  }

  async #askLeft(one: Instance, isCancelling: boolean): Promise<void> {
    const { instanceId, venue } = one.terms
    const folder = this.parts.folders.of(instanceId)
    const known = this.parts.venues[venue]
    try {
      if (known === undefined) throw new Error(`the server has no venue ${venue} any more`)
      const { openIds } = await this.parts.venueRuns.left({ venue: known, instanceId, folder }, isCancelling)
      // A run that has begun meanwhile has taken them over.
      if (one.isAtWork) return
      keepOpenIds(folder, openIds)
      one.left(openIds, leftWords(openIds.length, isCancelling, one.state === 'INTERRUPTED' && known.type === 'replay'))
    } catch (error) {
      const ids = this.#sentIds(one)
      if (!one.isAtWork) one.left(
        ids.slice(-NAMED_MOST),
        `${ids.length} orders may be open at its adapter, which cannot be asked: ${wordsOf(error)}`)
    }
  }

  /** Own ids of orders of runs of before that may be open at the venue of an instance. */
  #sentIds(one: Instance): readonly string[] {
    return this.#isAlone(one) ? [] : sentIds(this.parts.folders.of(one.terms.instanceId))
  }

  #isAlone({ terms: { venue } }: Instance): boolean {
    const known = this.parts.venues[venue]
    return known !== undefined && isAlone(known)
  }

  /** Starts again those that were interrupted, each from its checkpoint; their number. */
  resumeInterrupted(): number {
    const ids = this.all().filter(({ state }) => state === 'INTERRUPTED').map(({ terms }) => terms.instanceId)
    const resumed = this.start(ids, true)
    return isRefusal(resumed) ? 0 : resumed.length
  }

  /** Deletes instances, all or none; with `leavesOrders` those too that may have orders open at their venues. */
  delete(instanceIds: readonly string[], leavesOrders = false): readonly Instance[] | Refusal {
    const allowed = this.#allAllowed(instanceIds, 'delete')
    if (isRefusal(allowed)) return allowed
    const open = leavesOrders ? null : this.#refusalOfOrders(allowed)
    if (open !== null) return open
    const { store, folders } = this.parts
    store.together(() => { for (const { terms } of allowed) store.remove(terms.instanceId) })
    for (const one of allowed) {
      this.#instances.delete(one.terms.instanceId)
      one.leave()
      folders.remove(one.terms.instanceId)
    }
    return allowed
  }

  /** Ends every run with the server. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.all().filter((one) => one.isAtWork).map((one) => one.interrupt(CLOSED)))
  }

  /** A change of state of several: all of them are kept, or none. */
  #move(
    instanceIds: readonly string[], action: InstanceAction, reason: string | null = null,
  ): readonly Instance[] | Refusal {
    const allowed = this.#isClosed ? [] : this.#allAllowed(instanceIds, action)
    if (isRefusal(allowed)) return allowed
    const standings = allowed.map(({ standing }) => standing)
    try {
      this.parts.store.together(() => { for (const one of allowed) one.move(action, reason) })
    } catch (error) {
      for (const [at, standing] of standings.entries()) allowed[at]?.restore(standing)
      throw error
    }
    return allowed
  }

  #allAllowed(instanceIds: readonly string[], action: InstanceAction): readonly Instance[] | Refusal {
    const allowed: Instance[] = []
    for (const id of new Set(instanceIds)) {
      const one = this.#allowed(id, action)
      if (isRefusal(one)) return one
      allowed.push(one)
    }
    return allowed
  }

  #allowed(instanceId: string, action: InstanceAction): Instance | Refusal {
    const instance = this.get(instanceId)
    if (isRefusal(instance)) return instance
    const allowed = statesFor(action)
    if (allowed.includes(instance.state)) return instance
    const { state } = instance
    const message = `The instance is ${state}: ${action} needs ${allowed.join(' or ')}.`
    return { kind: 'refusal', error: 'wrongState', message, details: { instanceId, state, allowed } }
  }

  /** Orders that would be forgotten. */
  #refusalOfOrders(instances: readonly Instance[]): Refusal | null {
    for (const one of instances) {
      const openOrders = this.#sentIds(one).slice(-NAMED_MOST)
      const { instanceId } = one.terms
      if (openOrders.length > 0) return { kind: 'refusal', error: 'ordersOpen', details: { instanceId, openOrders } }
    }
    return null
  }

  #refusalOfName(instanceName: string): Refusal | null {
    const { most } = this.parts
    if (this.#instances.size >= most) return { kind: 'refusal', error: 'tooManyInstances', details: { most } }
    const isTaken = this.parts.hub.isTaken(instanceName)
    return isTaken ? { kind: 'refusal', error: 'nameTaken', details: { instanceName } } : null
  }

  /** The strategy and the venue that a config names, once its parameters fit; else every fault at once. */
  async #checked(
    name: string, parameters: JsonObject, venue: string | undefined,
  ): Promise<Pick<InstanceTerms, 'strategyName' | 'module' | 'venue'> | Refusal> {
    const { strategies, venues, venueRuns, cache } = this.parts
    const chosen = venue ?? Object.keys(venues)[0] ?? ''
    const known = Object.hasOwn(venues, chosen) ? venues[chosen] : undefined
    const found = await strategies.find(name)
    const faults = [
      ...'path' in found ? [found] : [],
      ...known === undefined ? [fault('venue', `one of ${Object.keys(venues).join(', ')}`, chosen)] : [],
    ]
    if ('path' in found || known === undefined) return faultsRefusal(faults)
    const check = await venueRuns.checkOf({ venue: known, parameters, ...cache === undefined ? {} : { cache } })
      .catch((error: unknown) => ({ path: 'venue', expected: 'a venue whose key can be read', found: wordsOf(error) }))
    const wrong = 'path' in check ? [check] : await strategies.faults(found, check)
    return wrong.length > 0 ? faultsRefusal(wrong) : { ...found, venue: chosen }
  }

  #order(terms: InstanceTerms, isResumed: boolean): InstanceOrder<StrategyVenue> {
    const { instanceId, instanceName, module, strategyName, parameters, venue } = terms
    const { strategies, folders, venues, limits, cache, bundles, topics } = this.parts
    const known = venues[venue]
    if (known === undefined) throw new Error(`The server has no venue ${venue} any more: reconfigure the instance`)
    return {
      instanceId, instanceName, strategyName, parameters, venue: known, isResumed, limits,
      modulePath: strategies.modulePath(module), folder: folders.prepare(instanceId, isResumed, !isAlone(known)),
      ...cache === undefined ? {} : { cache }, ...bundles === undefined ? {} : { bundles },
      ...topics === undefined ? {} : { topics },
    }
  }
}
