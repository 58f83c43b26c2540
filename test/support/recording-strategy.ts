import type { Order } from '../../src/strategy/order.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { startStrategy, type StrategyOptions, type StrategyRuntime } from '../../src/strategy/runtime.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { KEPT_TACTICS } from '../../src/strategy/tactics/kept-tactics.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { FakeVenue, type FakeVenueOptions } from './fake-venue.js'

/** A strategy that trades one instrument and writes down every callback: `name(what)`. */
export class RecordingStrategy extends Strategy {
  declare instrument: TradingInstrument
  readonly received: string[] = []
  /** What the next callback of this name does. */
  readonly reactions: Map<string, (...args: readonly unknown[]) => unknown> = new Map()

  protected note(name: string, what: string, ...args: readonly unknown[]): unknown {
    this.received.push(`${name}(${what})`)
    const reaction = this.reactions.get(name)
    this.reactions.delete(name)
    return reaction?.(...args)
  }
}
Parameter(TradingInstrument)(RecordingStrategy.prototype, 'instrument')

/** Overrides every callback that a table names, to write it down. */
export function recording(names: readonly (keyof Strategy)[]): new () => RecordingStrategy {
  class Recording extends RecordingStrategy {}
  for (const name of names) {
    Object.defineProperty(Recording.prototype, name, {
      value(this: Recording, ...args: readonly unknown[]) {
        return (this as unknown as { note: (...given: unknown[]) => unknown }).note(name, args.map(wordOf).filter((word) => word !== '').join(' '), ...args)
      },
    })
  }
  return Recording
}

function wordOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return ''
  if ('ownOrderId' in value && 'state' in value) return `${String(value.ownOrderId)} ${String(value.state)} ${String((value as unknown as Order).executedQuantity)}`
  if ('source' in value && 'type' in value) return String(value.type)
  if ('position' in value) return `at ${String(value.position)}`
  return ''
}

/** A running strategy over a fake venue with one account of every exchange. */
export function startFake<S extends Strategy>(
  strategy: new () => S, options: FakeVenueOptions & Partial<Omit<StrategyOptions, 'venue' | 'strategy'>> = {}, venue = new FakeVenue(options),
): { readonly venue: FakeVenue, readonly runtime: StrategyRuntime, readonly strategy: S, readonly logged: string[], readonly discarded: string[], readonly warned: string[] } {
  const logged: string[] = []
  const discarded: string[] = []
  const warned: string[] = []
  const runtime = startStrategy({
    venue, strategy, clientId: options.clientId ?? 'client', accounts: options.accounts ?? [{ accountId: 'paper', exchangeCode: null }], parameters: options.parameters ?? { instrument: 'BTCUSDT' },
    sink: { log: (text) => logged.push(text), discarded: (order) => discarded.push(order.discardReason ?? ''), warned: (text) => warned.push(text) }, shuffleSeed: options.shuffleSeed ?? null, resume: options.resume ?? null, entryStates: options.entryStates ?? {}, tactics: KEPT_TACTICS,
  })
  return { venue, runtime, strategy: runtime.strategy as S, logged, discarded, warned }
}
