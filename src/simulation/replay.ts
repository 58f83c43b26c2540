import { Agenda } from '../exchange/agenda.js'
import type { ExchangeTop, MarketRules } from '../exchange/market/touch-book.js'
import { ExchangeMarket } from '../exchange/market/exchange-market.js'
import type { World } from '../exchange/world.js'
import type { EventBatch } from '../model/event-batch.js'
import type { SameStamp } from '../model/exchange-order.js'
import type { Instrument } from '../model/instrument.js'
import type { Writable } from '../model/writable.js'
import { epochDayFromNs, epochNsFromTime, NS_PER_DAY } from '../model/time.js'
import type { FeedLatency } from '../replay/feed-latency.js'
import type { FeedInput } from '../replay/feed-input.js'
import { InstrumentFeed } from '../replay/instrument-feed.js'
import { SimulatedClock } from '../replay/simulated-clock.js'
import type { InstrumentDirectory, InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'
import { ReplayUnderlyings, scalesOfDays, TermsSchedule } from './day-terms.js'
import { InstantCounts } from './instant-counts.js'
import { ClientMarket } from './client-market.js'
import { CrossingWatch } from './crossing-watch.js'
import { MarketSubscribers } from './market-subscribers.js'
import { withMissingDays, withSilences } from './made-lines.js'
import { BatchMemory, ownedBatch, widenBatch, type ReplayScales } from './owned-batch.js'
import { fittingBatches, fittingScales } from './fitting-batches.js'
import { HeldNumbers } from './held-numbers.js'
import { LinesBeforeRun } from './lines-before-run.js'
import { UnfitInstruments } from './unfit-instruments.js'
import type { InstrumentInput, LiveMarket, ReplayInput } from './replay-input.js'
import type { ReplayInstrument } from './run-loop.js'
import type { WorldMessage } from '../exchange/world-message.js'
import type { Staleness } from '../exchange/market/market-silence.js'

/** Assumptions that belong to a pass: all its worlds share them. */
export interface ReplayAssumptions {
  readonly exchangeTop: ExchangeTop
  readonly market: MarketRules
  readonly feedLatency: FeedLatency
  /** The order of items of one exchange stamp (exchange rules 1.1). */
  readonly sameStamp: SameStamp
  /** After how long an instrument is silent (exchange rules 6.4); absent or null: never. */
  readonly staleness?: (instrument: Instrument) => Staleness | null
  /** After how long a book crossed with itself is unknown (exchange rules 6.5); absent or Infinity: never. */
  readonly crossedAfter?: { readonly afterNs: number }
}

/** A market being replayed: what worlds and clients are put upon. */
export interface Replay {
  readonly instruments: readonly ReplayInstrument[]
  readonly worlds: Map<number, World>
  readonly agenda: Agenda<WorldMessage>
  readonly clock: SimulatedClock
  readonly counts: InstantCounts
  readonly directory: InstrumentDirectory
  readonly assumptions: ReplayAssumptions
  /** Instruments whose numbers do not fit. */
  readonly unfit: UnfitInstruments
  /** The terms that change at the midnights of later days. */
  readonly terms: TermsSchedule
  readonly underlyings: UnderlyingDirectory
  readonly markets: ReadonlyMap<number, ExchangeMarket>
  /** The same by instrument id. */
  readonly feeds: ReadonlyMap<number, InstrumentFeed>
  readonly views: ReadonlyMap<number, ClientMarket>
  readonly subscribers: ReadonlyMap<number, MarketSubscribers>
  /** First and last instant of the run; the last is Infinity where files are played whole. */
  readonly startNs: number
  readonly endNs: number
  /** The terms of live lines; null where they are those of files. */
  readonly live: LiveMarket | null
  /** Days since 1970-01-01 of the last day of the data, for clock times. */
  readonly lastEpochDay: number
  close(): Promise<void>
}

/** The first batch of an input says its scales and, where no name says it, its day. */
async function firstBatch(batches: AsyncIterableIterator<EventBatch>): Promise<EventBatch | null> {
  for (;;) {
    const next = await batches.next()
    if (next.done === true) return null
    if (next.value.count > 0) return next.value
  }
}

/** Batches with one that was read before in front. */
async function* withFirst(
  first: EventBatch | null, rest: AsyncIterableIterator<EventBatch>,
): AsyncGenerator<EventBatch, void, undefined> {
  if (first !== null) yield first
  yield* rest
}

function firstTimeNs(batch: EventBatch | null, epochDay: number): number {
  if (batch === null) return Infinity
  return (batch.adapterTimeNs[0] as number) + (batch.epochDay - epochDay) * NS_PER_DAY
}

/** An input whose first batch has been read, unless it is live: that of a live one may never come. */
interface OpenedInput {
  readonly input: InstrumentInput
  readonly first: EventBatch | null
  readonly rest: AsyncGenerator<EventBatch, void, undefined>
}

/** The inputs with the lines that no file holds; `span` in days, null where files are played whole. */
async function openedInputs(
  { inputs }: ReplayInput, assumptions: ReplayAssumptions,
  span: { readonly first: number, readonly last: number } | null,
): Promise<OpenedInput[]> {
  const opened: OpenedInput[] = []
  for (const input of inputs) {
    const { instrument, days, live } = input
    const recorded = span === null ? input.batches() : withMissingDays(input.batches(), instrument, days, span)
    const rest = withSilences(recorded, assumptions.staleness?.(instrument) ?? null, span?.last ?? null, live)
    opened.push({ input, first: live === undefined ? await firstBatch(rest) : null, rest })
  }
  return opened
}

/**
 * Opens feeds, markets and the clock over the inputs of a run. Times count from the midnight of `baseDay`, days since
 * 1970-01-01; default: the first day of the data.
 */
export async function openReplay(
  input: ReplayInput, assumptions: ReplayAssumptions, baseDay?: number,
): Promise<Replay> {
  const days = input.inputs.flatMap(({ days: fileDays }) => fileDays)
  const whole = input.trim === 'none'
  // Null where files are played whole and no day is known.
  const span = whole || days.length === 0 ? null : { first: Math.min(...days), last: Math.max(...days) }
  const opened = await openedInputs(input, assumptions, span)
  const unnamed = opened.flatMap(({ first }) =>
    first === null ? [] : [epochDayFromNs(epochNsFromTime(first.adapterTimeNs[0] as number, first.epochDay))],
  )
  const firstDay = Math.min(...(days.length > 0 ? days : unnamed))
  const epochDay = baseDay ?? input.live?.epochDay ?? firstDay
  const startNs = whole
    ? Math.min(input.live?.fromNs ?? Infinity, ...opened.map(({ first }) => firstTimeNs(first, epochDay)))
    : (firstDay - epochDay) * NS_PER_DAY
  const endNs = span === null ? Infinity : (span.last + 1 - epochDay) * NS_PER_DAY
  const clock = new SimulatedClock(epochDay, startNs)
  const entries: Writable<InstrumentEntry>[] = []
  const [instruments, unfit]: [ReplayInstrument[], UnfitInstruments] = [[], new UnfitInstruments()]
  for (const { input: source, first, rest } of opened) {
    const ofFirst = { price: first?.priceScale ?? 0, quantity: first?.quantityScale ?? 0 }
    const grid = fittingScales(scalesOfDays(ofFirst, source.terms), first)
    const { instrument } = source
    entries.push({ instrument, priceScale: grid.price, quantityScale: grid.quantity })
    // Quantities have the decimals of the data until an order brings more.
    const held = new HeldNumbers({ price: grid.price, quantity: ofFirst.quantity })
    const watch = new CrossingWatch(assumptions.crossedAfter?.afterNs ?? Infinity, marginOf(source, epochDay))
    // The begin of the run is known before the first batch is asked for.
    const past = new LinesBeforeRun(() => feed.windowFromNs, epochDay, assumptions.feedLatency)
    const feed: InstrumentFeed = new InstrumentFeed({
      ...ownedBatches(held.scales, watch), instrumentId: instrument.id,
      end: (beforeNs) => watch.end(Math.min(beforeNs, endNs)),
      ...(source.live === undefined ? {} : { live: source.live }),
      batches: fittingBatches(withFirst(first, rest), { source, held, past, unfit, epochDay }),
    }, epochDay, assumptions.feedLatency, assumptions.sameStamp)
    instruments.push(replayedInstrument(instrument, feed, held, { assumptions, clock, unfit }))
  }
  const underlyings = new ReplayUnderlyings(input.inputs.flatMap((one) => one.underlyings))
  return {
    instruments,
    unfit,
    terms: new TermsSchedule(input.inputs.map(({ terms }) => terms), entries, underlyings, epochDay),
    worlds: new Map(),
    agenda: new Agenda(),
    clock,
    counts: new InstantCounts(),
    directory: instrumentDirectory(entries),
    assumptions,
    underlyings,
    markets: new Map(instruments.map(({ market }) => [market.instrumentId, market])),
    feeds: new Map(instruments.map(({ feed }) => [feed.instrumentId, feed])),
    views: new Map(instruments.map(({ feed, local }) => [feed.instrumentId, local])),
    subscribers: new Map(instruments.map(({ feed, subscribers }) => [feed.instrumentId, subscribers])),
    startNs,
    lastEpochDay: span?.last ?? epochDay,
    live: input.live ?? null,
    endNs,
    close: () => input.close(),
  }
}

/** Since when the book that opens the day of a time had been crossed in the margin; times from the run's midnight. */
function marginOf({ stitched }: InstrumentInput, epochDay: number): (timeNs: number) => number {
  return (timeNs) => {
    const day = Math.floor(timeNs / NS_PER_DAY)
    return (stitched?.crossedSinceNs(epochDay + day) ?? NaN) + day * NS_PER_DAY
  }
}

/** The way in which a feed takes batches over, with the flags of crossed books, and gives them back. */
function ownedBatches(
  scales: ReplayScales, watch: CrossingWatch,
): Pick<FeedInput, 'own' | 'parts' | 'widen' | 'recycle'> {
  const memory = new BatchMemory()
  const recycle = (batch: EventBatch): void => {
    watch.released(batch)
    memory.repayUnused(batch)
  }
  return {
    own: (batch, epochDay) => ownedBatch(batch, epochDay, scales, memory),
    parts: (batch) => watch.parts(batch, recycle),
    widen: widenBatch,
    recycle,
  }
}

function replayedInstrument(
  instrument: Instrument, feed: InstrumentFeed, held: HeldNumbers,
  { assumptions: { exchangeTop, market }, clock, unfit }: Pick<Replay, 'assumptions' | 'clock' | 'unfit'>,
): ReplayInstrument {
  const { id } = instrument
  const local = new ClientMarket(feed, exchangeTop)
  const refine = (quantityScale: number): boolean => {
    if (!held.refine(quantityScale)) return false
    feed.widen({ priceScale: held.scales.price, quantityScale: held.scales.quantity })
    return true
  }
  const closed = (): void => { unfit.reached(id) }
  const source = { instrument, nowNs: () => clock.nowNs(), levels: () => local.levels(), refine, closed }
  return {
    feed, local, market: new ExchangeMarket(id, feed.order, exchangeTop, market, source),
    subscribers: new MarketSubscribers(id, local, closed),
  }
}

function instrumentDirectory(entries: readonly InstrumentEntry[]): InstrumentDirectory {
  const byId = new Map(entries.map((entry) => [entry.instrument.id, entry]))
  return { entries, get: (id) => byId.get(id) }
}
