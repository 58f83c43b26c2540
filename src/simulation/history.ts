import { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import { stoppedError } from '../model/stop-signal.js'
import { dayText, epochDayFromText, isoFromTime, NS_PER_DAY } from '../model/time.js'
import type { HistoryRequest, WarmUp } from '../strategy/warm-up.js'
import { isInstrumentDays, type DataInput } from '../tickfile/data-input.js'
import type { Clock, MarketDataListener } from '../venue/venue.js'
import type { MarketSubscription } from './market-subscribers.js'
import { isMissingDay, missingDayText } from './made-lines.js'
import { openReplayInput, type ReplayInput, type ReplayInputOptions } from './replay-input.js'
import { openReplay, type Replay, type ReplayAssumptions } from './replay.js'
import { RunLoop } from './run-loop.js'

/** A client that wants market data of before its run. */
export interface HistoryClient {
  readonly warmUp: WarmUp
  /** Unique among the clients: before the names of its timers. */
  readonly name: string
}

/** The run whose past is played. */
export interface HistoryRun {
  readonly data: readonly DataInput[]
  /** As the run itself reads its data. */
  readonly reading: ReplayInputOptions
  readonly assumptions: ReplayAssumptions
  readonly replay: Replay
  /** The begin of the run, nanoseconds of its clock. */
  readonly fromNs: number
  readonly isStopped: () => boolean
  /** True where market data that are missing are an error. */
  readonly refusesHoles: boolean
}

/** The past of one instrument as it was played. */
export interface InstrumentPast {
  readonly instrumentId: number
  /** The earliest begin that was asked for, nanoseconds of the run's clock. */
  readonly sinceNs: number
  /** Files of days before the run, `YYYY-MM-DD`, ascending, and the SHA-256 of each in the same order. */
  readonly days: readonly string[]
  readonly files: readonly string[]
  /** When its first recorded line was received; null where there was none. */
  readonly firstNs: number | null
  /** Reasons why parts of it are unknown, as sentences. */
  readonly holes: readonly string[]
}

interface Past {
  readonly sinceNs: number
  readonly days: string[]
  readonly files: string[]
  firstNs: number | null
  readonly holes: string[]
}

/** A request with the client that made it. */
interface Asked extends HistoryRequest {
  readonly client: HistoryClient
}

/** Of more holes only these are named. */
const HOLES_NAMED = 3

/**
 * Plays what clients asked for of the time before their run, up to its begin and no further, and tells what it found:
 * one entry an instrument, by ascending id.
 *
 * It is read a second time, as the run itself has passed it before anybody asked: first the days before those of the
 * run, then the run's own, each line received when the run receives it. Throws OPTION_INVALID for data that can be read
 * once, and the errors of the files.
 */
export async function playHistory(
  clients: readonly HistoryClient[], run: HistoryRun,
): Promise<readonly InstrumentPast[]> {
  const asked = clients
    .flatMap((client) => client.warmUp.requests.map((request): Asked => ({ ...request, client })))
    .sort((a, b) => a.sinceNs - b.sinceNs)
  const pasts = new Map<number, Past>()
  for (const { instrumentId, sinceNs } of asked)
    if (!pasts.has(instrumentId)) pasts.set(instrumentId, { sinceNs, days: [], files: [], firstNs: null, holes: [] })
  const [first] = asked
  if (first === undefined) return []
  refuseStreams(run.data)
  const { startNs } = run.replay
  if (first.sinceNs < startNs && run.reading.trim !== 'none') await playEarlierDays(asked, pasts, first, run)
  if (run.fromNs > startNs) {
    // The run's own days once more: of the instruments that were asked for alone.
    const own = await openReplayInput(run.data, { ...run.reading, takes: (id) => pasts.has(id) })
    await playStretch(asked, pasts, run.fromNs, own, run)
  }
  for (const { warmUp } of clients) warmUp.end()
  return [...pasts].sort(([a], [b]) => a - b).map(([instrumentId, past]) => playedPast(instrumentId, past, run))
}

function refuseStreams(data: readonly DataInput[]): void {
  const at = data.findIndex((one) => one === '-' || (typeof one === 'object' && Symbol.asyncIterator in one))
  if (at < 0) return
  const found = data[at] === '-' ? 'standard input' : 'a stream'
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot play a warm-up: data[${at}] is ${found}, and a warm-up reads its data twice; name files`,
    { field: `data[${at}]`, expected: 'files', found },
  )
}

/** The days before those of the run, of live lines that of its begin too, as far as files are there. */
async function playEarlierDays(
  asked: readonly Asked[], pasts: ReadonlyMap<number, Past>, { sinceNs }: Asked, run: HistoryRun,
): Promise<void> {
  const { fromNs, replay: { clock: { epochDay }, live } } = run
  const last = live === null ? epochDay - 1 : epochDay + Math.floor(fromNs / NS_PER_DAY)
  const range = { first: epochDay + Math.floor(sinceNs / NS_PER_DAY), last }
  const data = run.data.map((one) => {
    const from = isInstrumentDays(one) && one.from !== undefined ? epochDayFromText(one.from) : null
    return isInstrumentDays(one) && from !== null && from > range.first ? { ...one, from: dayText(range.first) } : one
  })
  const input = await openReplayInput(data, {
    ...run.reading, days: range, mayBeEmpty: true,
    takes: (id, day) => day !== null && day >= range.first && day <= range.last && pasts.has(id),
  })
  if (input.inputs.length === 0) return input.close()
  await playStretch(asked, pasts, run.replay.startNs, input, run)
  for (const { instrument, days, digests } of input.inputs) {
    const past = pasts.get(instrument.id)
    past?.days.push(...days.map(dayText))
    past?.files.push(...digests.map((digest) => digest.hex() ?? 'not read to its end'))
    const [first = Infinity] = days
    for (let day = first; day <= range.last; day++)
      if (!days.includes(day)) past?.holes.push(missingDayText(day))
  }
}

/** Plays an input up to a time and closes it; of days before the run its files are read to their end. */
async function playStretch(
  asked: readonly Asked[], pasts: ReadonlyMap<number, Past>, untilNs: number, input: ReplayInput, run: HistoryRun,
): Promise<void> {
  try {
    const replay = await openReplay(input, run.assumptions, run.replay.clock.epochDay)
    await playReplay(asked, pasts, untilNs, replay, run)
    if (untilNs <= run.replay.startNs) await input.finish()
    await input.verify()
  } finally {
    await input.close()
  }
}

async function playReplay(
  asked: readonly Asked[], pasts: ReadonlyMap<number, Past>, untilNs: number, replay: Replay, run: HistoryRun,
): Promise<void> {
  const { clock, subscribers } = replay
  const loop = new RunLoop({ ...replay, nameOf: () => 'the warm-up', isStopped: run.isStopped })
  // Nothing of a warm-up is missing in silence.
  replay.unfit.isTraded = () => true
  for (const { feed } of replay.instruments) feed.windowFromNs = pasts.get(feed.instrumentId)?.sinceNs ?? 0
  const begun = new Set<HistoryClient>()
  const watched = new Set<number>()
  // Who subscribes in the middle of a day is sent the state that stands behind the lines of that instant, as in a run.
  const settling: MarketSubscription[] = []
  const states = clock.timers('history', () => { for (const one of settling.splice(0)) one.settle() })
  for (const { instrumentId, sinceNs, topics, listener, client } of asked) {
    if (sinceNs >= untilNs) continue
    await loop.run(sinceNs)
    clock.advance(sinceNs)
    if (!begun.has(client)) client.warmUp.begin(clock.forClients(client.name))
    begun.add(client)
    const market = subscribers.get(instrumentId)
    if (market === undefined) continue
    settling.push(market.subscribe(topics, listener))
    if (!watched.has(instrumentId)) settling.push(market.subscribe({}, holeListener(pasts.get(instrumentId), clock)))
    watched.add(instrumentId)
    states.at(clock.nowNs(), 'states')
  }
  await loop.run(untilNs)
  if (run.isStopped()) throw stoppedError('the warm-up', run.reading.signal)
  for (const { feed, subscribers: all } of replay.instruments) {
    all.release()
    const past = pasts.get(feed.instrumentId)
    if (past !== undefined && feed.firstInWindowNs < untilNs) past.firstNs ??= feed.firstInWindowNs
  }
}

/** Notes each reason for which a book is unknown meanwhile; days without a file are known without. */
function holeListener(past: Past | undefined, clock: Clock): MarketDataListener {
  return {
    onEvent: () => {},
    onState: (_id, state, text) => {
      if (state !== 'ERROR' || isMissingDay(text)) return
      past?.holes.push(`${isoFromTime(clock.nowNs(), clock.epochDay)} ${text}`)
    },
  }
}

/** The past as it was played; OPTION_INVALID where a hole of it is refused. */
function playedPast(instrumentId: number, past: Past, run: HistoryRun): InstrumentPast {
  const played = { instrumentId, ...past, holes: holesOf(instrumentId, past, run) }
  const [hole] = played.holes
  if (hole === undefined || !run.refusesHoles) return played
  const entry = run.replay.directory.get(instrumentId)
  const name = entry === undefined ? String(instrumentId) : instrumentName(entry.instrument)
  throw new BacktapeError('OPTION_INVALID', `Cannot warm up with ${name}: ${hole}`, {
    field: 'warmUp', expected: 'market data of the whole time that was asked for', found: hole,
  })
}

/** The holes of an instrument in words: where its data begin too late, and its gaps. */
function holesOf(instrumentId: number, { sinceNs, firstNs, holes }: Past, run: HistoryRun): readonly string[] {
  const { replay, assumptions, fromNs } = run
  const entry = replay.directory.get(instrumentId)
  const at = (timeNs: number): string => isoFromTime(timeNs, replay.clock.epochDay)
  const quietNs = entry === undefined ? null : (assumptions.staleness?.(entry.instrument)?.afterNs ?? 0)
  const late =
    firstNs === null
      ? [`there are no data between ${at(sinceNs)} and ${at(fromNs)}`]
      : firstNs - sinceNs > (quietNs ?? 0) ? [`its data begin at ${at(firstNs)}, not at ${at(sinceNs)}`] : []
  const more = holes.length > HOLES_NAMED ? [`and ${holes.length - HOLES_NAMED} more gaps`] : []
  return [...late, ...holes.slice(0, HOLES_NAMED), ...more]
}
