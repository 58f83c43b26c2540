import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { Clock, MarketDataListener } from '../venue/venue.js'
import { keepLines, takeLine, type DataInstrument } from './data-instrument.js'
import type { MarketCallbacks } from './market-callbacks.js'
import type { StrategyBars } from './strategy-bars.js'
import type { HistoryRequest, WarmUp } from './warm-up.js'

/** Holds the trades of before the run, for `getLastTrades`. */
class PastTrades implements MarketDataListener {

  constructor(private readonly instrument: DataInstrument) {}

  onEvent(batch: EventBatch, index: number): void {
    if (batch.kind[index] === EVENT_KINDS.trades) takeLine(this.instrument, batch, index)
  }

  onState(): void {}

  onRelease(): void {
    keepLines(this.instrument)
  }
}

/** The past of one strategy: its bars, and the last trades of their instruments where it has a callback for trades. */
export class StrategyWarmUp implements WarmUp {
  /** True while the past is played. */
  isOn = false
  #requests: readonly HistoryRequest[] | null = null

  /** `traded` are the instruments whose trades the strategy receives. */
  constructor(private readonly bars: StrategyBars, private readonly traded: () => readonly MarketCallbacks[]) {}

  /** To be read once `onStart` has returned. */
  get requests(): readonly HistoryRequest[] {
    this.#requests ??= this.#made()
    return this.#requests
  }

  begin(clock: Clock): void {
    this.isOn = true
    this.bars.beginPast(clock)
  }

  end(): void {
    this.bars.endPast()
    this.isOn = false
  }

  #made(): readonly HistoryRequest[] {
    const bars = this.bars.requests()
    const trades = this.traded().flatMap(({ instrument }): HistoryRequest[] => {
      const since = bars.filter(({ instrumentId }) => instrumentId === instrument.id).map(({ sinceNs }) => sinceNs)
      return since.length === 0
        ? []
        : [{
            instrumentId: instrument.id, topics: { trades: true }, sinceNs: Math.min(...since),
            listener: new PastTrades(instrument),
          }]
    })
    return [...bars, ...trades]
  }
}
