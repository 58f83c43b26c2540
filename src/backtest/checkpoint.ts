import { BacktapeError } from '../model/error.js'
import { restoredState, savedState } from '../model/saved-state.js'
import { changesState } from '../replay/state-lines.js'
import { joinedPath } from '../model/fault.js'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import type { InstrumentEntry } from '../venue/venue.js'
import {
  CHECKPOINT_FORMAT, type Checkpoint, type CheckpointContent, type InstrumentPlace, type RunState,
} from './checkpoint-state.js'
import { ENGINE_DIGEST } from '../results/engine-digest-reader.js'
import type { OtherEngine } from '../results/summary-parts.js'
import type { Replay } from '../simulation/replay.js'
import type { SignalPlayer } from '../simulation/signal-player.js'
import type { LoopState, ReplayInstrument } from '../simulation/run-loop.js'
import type { RunInstance } from './run-instance.js'

/** The parts of a run that a checkpoint is made of. */
export interface CheckpointParts {
  readonly replay: Replay
  readonly signals: SignalPlayer
  readonly configuration: string
  readonly strategySource: string | undefined
  readonly otherEngines: readonly OtherEngine[]
  readonly loop: LoopState
  readonly worlds: readonly RunInstance[]
}

/** Everything that a run is, at this moment between two steps. The data shares nothing with the run. */
export function takeCheckpoint({
  replay, signals, configuration, strategySource, otherEngines, loop, worlds,
}: CheckpointParts): CheckpointContent {
  const instruments = replay.instruments.map(({ feed, market }) => {
    // First, as a book that nobody looked at may have to move on.
    const state = market.state()
    return {
      instrumentId: feed.instrumentId,
      receivedCount: feed.receivedCount,
      firstReceivedNs: Number.isFinite(feed.firstReceivedNs) ? feed.firstReceivedNs : null,
      playedCount: feed.order.consumedCount,
      priceScale: market.priceScale,
      quantityScale: market.quantityScale,
      market: state,
    }
  })
  return {
    format: CHECKPOINT_FORMAT,
    time: String(replay.clock.now()),
    configuration,
    engineDigest: ENGINE_DIGEST,
    ...(otherEngines.length === 0 ? {} : { otherEngines }),
    ...(strategySource === undefined ? {} : { strategySource }),
    state: savedState<RunState>({
      nowNs: replay.clock.nowNs(),
      loop,
      timers: replay.clock.waiting(),
      agenda: replay.agenda.entries(),
      instruments,
      ...(signals.feeds.length === 0 ? {} : { signals: signals.places() }),
      ...(signals.inbox === null ? {} : { inbox: signals.inbox.state() }),
      worlds: worlds.map((world) => world.state()),
    }),
  }
}

function refused(sentence: string, field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot go on from the checkpoint: ${sentence}`, {
    field, expected, found,
  })
}

/**
 * The configuration that two runs must share for one to go on where the other stopped; digests of the files show at the
 * end.
 */
export function runConfiguration(content: object): string {
  return canonicalJson(JSON.parse(JSON.stringify(content)) as CanonicalValue)
}

/** The first field in which two configurations differ, by its path. */
function firstDifference(
  there: unknown, here: unknown, field = '',
): { readonly field: string; readonly there: unknown; readonly here: unknown } {
  const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject(there) && isObject(here)) {
    const names = [...new Set([...Object.keys(there), ...Object.keys(here)])]
    const name = names.find((key) => JSON.stringify(here[key]) !== JSON.stringify(there[key]))
    if (name !== undefined)
      return firstDifference(there[name], here[name], field === '' ? name : joinedPath(field, name))
  }
  return { field: field === '' ? 'configuration' : field, there, here }
}

/** The run that is to go on from a checkpoint. */
interface ResumedRun extends Pick<CheckpointParts, 'replay' | 'configuration' | 'strategySource'> {
  /** True where a checkpoint of another engine is taken as well. */
  readonly takesOtherEngine: boolean
}

/** Engines other than this one that played what a checkpoint holds, in their order. */
export function otherEnginesOf({ engineDigest, otherEngines = [], time }: Checkpoint): readonly OtherEngine[] {
  return engineDigest === ENGINE_DIGEST ? otherEngines : [...otherEngines, { digest: engineDigest, until: time }]
}

/** The state that a checkpoint holds, as new objects; refuses one of another run, in words. */
export function checkCheckpoint(
  checkpoint: Checkpoint, { replay, configuration, strategySource, takesOtherEngine }: ResumedRun,
): RunState {
  const { format } = checkpoint as { readonly format: unknown }
  if (format !== CHECKPOINT_FORMAT)
    throw refused(
      `its format must be ${CHECKPOINT_FORMAT}, found ${JSON.stringify(format)}`, 'format', CHECKPOINT_FORMAT,
      String(format),
    )
  const { engineDigest: engine } = checkpoint as { readonly engineDigest: unknown }
  if (typeof engine !== 'string') throw refused('its engineDigest is missing', 'engineDigest', 'a SHA-256', 'none')
  if (engine !== ENGINE_DIGEST && !takesOtherEngine) {
    const sentence =
      `its engine is ${engine.slice(0, 10)}, this build's is ${ENGINE_DIGEST.slice(0, 10)}, so the result would be ` +
      'that of neither; run from the beginning, or use --other-engine (in a program otherEngine), which the result says'
    throw refused(sentence, 'engineDigest', ENGINE_DIGEST, engine)
  }
  if (checkpoint.configuration !== configuration) {
    const { field, there, here } = firstDifference(JSON.parse(checkpoint.configuration), JSON.parse(configuration))
    const [expected, found] = [JSON.stringify(there) ?? 'none', JSON.stringify(here) ?? 'none']
    throw refused(
      `${field} was ${expected.slice(0, 200)} when it was taken and is ${found.slice(0, 200)} now`, field,
      expected.slice(0, 200), found.slice(0, 200),
    )
  }
  // What one of the two does not know is not compared.
  if ((checkpoint.strategySource ?? strategySource) !== (strategySource ?? checkpoint.strategySource)) {
    const sentence =
      'the source of the strategy has changed since it was taken, so the run would be neither of the two; bring ' +
        'that source back, or run from the beginning'
    throw refused(sentence, 'strategy', String(checkpoint.strategySource), String(strategySource))
  }
  const ids = replay.instruments.map(({ feed }) => feed.instrumentId).join(', ')
  const state = stateOf(checkpoint as CheckpointContent)
  if (![state.instruments, state.worlds].every((part) => Array.isArray(part)))
    throw refused('its instruments and worlds are missing', 'worlds', 'lists', 'none')
  const saved = state.instruments.map(({ instrumentId }) => instrumentId).join(', ')
  if (ids !== saved) throw refused(`it has the instruments ${saved}, the data have ${ids}`, 'data', saved, ids)
  return state
}

function stateOf({ state }: CheckpointContent): RunState {
  try {
    return restoredState(state)
  } catch (error) {
    throw refused(`its state is damaged: ${(error as Error).message}`, 'state', 'a state', 'damaged')
  }
}

/**
 * Reads the market again up to a checkpoint: books and states as received, the exchange side as it was written down.
 */
export async function readUpTo(state: RunState, replay: Replay): Promise<void> {
  for (const place of state.instruments) {
    const instrument = replay.instruments.find(({ feed }) => feed.instrumentId === place.instrumentId)
    const entry = replay.directory.get(place.instrumentId)
    if (instrument !== undefined && entry !== undefined) await passInstrument(instrument, entry, place)
  }
}

async function passInstrument(
  { feed, local, market, subscribers }: ReplayInstrument, entry: InstrumentEntry, place: InstrumentPlace,
): Promise<void> {
  // Lines that the run has received before are passed, and counted as received.
  if (place.firstReceivedNs !== null) feed.beginRun(place.firstReceivedNs)
  for (;;) {
    while (feed.receivedCount < place.receivedCount && feed.localBatch !== null) {
      const { localBatch: batch, localIndex: index } = feed
      if (changesState(batch, index)) subscribers.replay(batch, index)
      feed.localNext()
    }
    // Beyond the horizon an item may still be missing that comes before those in hand.
    const { order } = feed
    const horizonNs = feed.horizonNs()
    while (
      order.consumedCount < place.playedCount &&
      order.head < order.tail &&
      (order.timeNs[order.head] as number) < horizonNs
    )
      order.head++
    if (feed.receivedCount === place.receivedCount && order.consumedCount === place.playedCount) break
    if (feed.ended) {
      const [expected, found] = [`${place.receivedCount} events`, `${feed.receivedCount} events`]
      throw refused(
        `instrument ${place.instrumentId} had given ${expected}, its files hold ${found}: they are not the same files`,
        'data', expected, found,
      )
    }
    local.received()
    feed.releaseBefore(feed.slowestBatchNumber())
    await feed.load()
  }
  local.received()
  feed.beginRun(place.firstReceivedNs)
  const { priceScale, quantityScale } = place
  market.refine(entry.instrument, quantityScale)
  if (priceScale > market.priceScale || quantityScale > market.quantityScale)
    market.bringTo({ instrument: entry.instrument, priceScale, quantityScale })
}

/** Puts markets, timers and what is on its way back, after worlds and strategies have started again. */
export function restoreCheckpoint(state: RunState, replay: Replay): void {
  for (const { instrumentId, market } of state.instruments) replay.markets.get(instrumentId)?.restore(market)
  replay.agenda.restore(state.agenda)
  replay.clock.restore(state.nowNs, state.timers)
}
