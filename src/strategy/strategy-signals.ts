import { brandedPrototype } from '../model/brand.js'
import type { SignalRow } from '../model/signal-row.js'
import type { SignalListener } from '../venue/signals.js'
import type { Venue } from '../venue/venue.js'
import type { CallbackGuard } from './callback-guard.js'
import type { Strategy } from './strategy.js'

/** Calls a strategy for the rows of signals, where it has a callback for them. */
export class StrategySignals implements SignalListener {

  constructor(
    private readonly strategy: Strategy,
    private readonly guard: CallbackGuard,
    private readonly flush: () => void,
  ) {}

  /** Subscribes; `sink` is warned of signals that the strategy has no callback for. */
  begin({ signals }: Venue, sink: { warned?(text: string): void } | undefined): void {
    if (signals === undefined) return
    const base = brandedPrototype(this.strategy, 'Strategy')
    if (base === null || this.strategy.onSignal !== Reflect.get(base, 'onSignal')) signals.subscribe(this)
    else
      sink?.warned?.(
        `${this.guard.strategyName} has no onSignal, so it receives no row of ${signals.names.join(', ')}`,
      )
  }

  onSignal(name: string, row: SignalRow): void {
    if (this.guard.hasNews) this.flush()
    this.guard.run('onSignal', () => this.strategy.onSignal(name, row))
  }
}
