import { openLegs } from '../exchange/accounts/account-position.js'
import type { UnpaidFundings } from '../exchange/accounts/money-event.js'
import { firstUnknownNs } from '../exchange/market/unknown-book-time.js'
import type { World } from '../exchange/world.js'
import { SILENCE_NS, silenceCountsOf } from '../model/silence.js'
import { epochNsFromText, isoFromTime, NS_PER_MINUTE, timeFromEpochNs } from '../model/time.js'
import { crossedText, durationText } from '../report/summary-words.js'
import { isShownOften } from '../model/shown-trades.js'
import type { Replay } from '../simulation/replay.js'
import type { SimulatedParts } from './summary-parts.js'

/** Makes the warnings of one kind, in the order of accounts or instruments; none where the run gives no reason. */
export type WarningMaker = (parts: SimulatedParts) => readonly string[]

/** The kinds that say what the data did to the run, in the order in which a summary has them. */
export const MARKET_WARNINGS: readonly WarningMaker[] = [
  withoutBook, longUnknown, crossedBook, shownOften, afterTheData, withoutData, longHoles,
]

/** Instruments whose data hold no order book: their orders that need one cannot trade. */
function withoutBook({ world, markets, report }: SimulatedParts): string[] {
  const ordered = new Set([...report.orders.sums.values()].flatMap((byInstrument) => [...byInstrument.keys()]))
  return markets
    .filter(({ instrumentId, firstEvent }) => (
      firstEvent !== null && ordered.has(instrumentId) &&
      world.marketOf(instrumentId)?.bookUnknown?.reason === 'start'))
    .map(({ instrument }) => `${instrument}: its data hold no order book, so it never became READY`)
}

/** Instruments whose book was unknown for more than a tenth of their data; the time behind the data left out. */
function longUnknown({ world, replay, end: { timeNs: endNs }, markets }: SimulatedParts): string[] {
  return markets.flatMap((summary) => {
    const { instrumentId, instrument, firstEvent, lastEvent, bookUnknownNs, bookUnknownCount } = summary
    const market = replay.markets.get(instrumentId)
    if (bookUnknownCount === 0 || firstEvent === null || lastEvent === null || market === undefined) return []
    const lastNs = runTimeOf(replay, lastEvent)
    const open = world.marketOf(instrumentId)?.bookUnknown ?? null
    const isOpen = world.halt !== null || (open !== null && open.reason !== 'crossed')
    // A gap of before the run counts from the run's begin: so do the data.
    const dataNs = lastNs - Math.min(runTimeOf(replay, firstEvent), firstUnknownNs(market))
    const unknownNs = bookUnknownNs - (isOpen ? Math.max(0, endNs - lastNs) : 0)
    if (10 * unknownNs <= dataNs) return []
    const isApart = (summary.crossedGapCount ?? 0) > 0
    return [
      `${instrument}: the book was unknown for ${durationText(unknownNs)} of ${durationText(dataNs)} of its data` +
        `${isApart ? ', crossed books apart' : ''}: orders that need it were refused there`,
    ]
  })
}

/** Instruments whose depth book was crossed with itself: no market has such prices (exchange rules 6.5). */
function crossedBook({ report, markets }: SimulatedParts): string[] {
  const sums = [...report.fills.sums.values()]
  return markets.flatMap((market) => {
    const fills = sums.reduce((sum, one) => sum + (one.get(market.instrumentId)?.crossedFillCount ?? 0), 0)
    const crossed = crossedText(market)
    if (crossed === null || (market.crossedNs === 0 && fills === 0)) return []
    return [
      `${market.instrument}: its depth book was crossed (best bid above best ask) for ${crossed}: ` +
        (fills === 0 ? 'no fill' : `${fills} ${fills === 1 ? 'fill' : 'fills'}`) + ' inside'
    ]
  })
}

/** Instruments whose books often come before their trades: rule 1.1 orders those of one stamp alone. */
function shownOften({ markets }: SimulatedParts): string[] {
  return markets.flatMap(({ instrument, shownTrades }) => {
    if (shownTrades === null || !isShownOften(shownTrades)) return []
    const { tradeRows, shownBefore } = shownTrades
    return [
      `${instrument}: a book line of an earlier exchange stamp shows ${shownBefore} of ${tradeRows} trade rows ` +
        'before they come: resting orders may fill too early',
    ]
  })
}

/** Fills behind the last line of their instrument's data: until the silence shows they meet a book that stands. */
function afterTheData({ report, markets }: SimulatedParts): string[] {
  const sums = [...report.fills.sums.values()]
  return markets.flatMap(({ instrumentId, instrument, lastEvent }) => {
    const count = sums.reduce((sum, byInstrument) => sum + (byInstrument.get(instrumentId)?.behindDataCount ?? 0), 0)
    if (count === 0 || lastEvent === null) return []
    return [
      `${instrument}: ${count} ${count === 1 ? 'fill' : 'fills'} after the last line of the data ` +
        `(${momentOf(lastEvent)}), against a book that no longer moved (staleAfter)`,
    ]
  })
}

/** Long stretches without an event: prices are not known there. */
function longHoles({ report }: SimulatedParts): string[] {
  const { holeCount } = report.dataTime
  if (holeCount === 0) return []
  const all = Math.round((holeCount * report.intervalNs) / NS_PER_MINUTE)
  const [hours, minutes] = [Math.floor(all / 60), all % 60]
  const length = `${hours} h ${minutes} min`
  return [
    `no event for ${length} in all, in stretches of an hour or more: ratios leave out hours and days of which the ` +
      'data cover less than half',
  ]
}

/** Positions whose data end before the run does, by more than a silence takes (rule 6.4); unpaid fundings. */
function withoutData({ world, replay, end: { timeNs: endNs }, markets }: SimulatedParts): string[] {
  return markets.flatMap(({ instrumentId, instrument, lastEvent }) => {
    const held = heldIn(world, instrumentId)
    const unpaid = world.money.unpaid.get(instrumentId)
    const funding = unpaid === undefined ? '' : fundingWords(unpaid, replay)
    const leftNs = lastEvent === null ? 0 : endNs - runTimeOf(replay, lastEvent)
    if (lastEvent === null || held.length === 0 || leftNs <= silenceNsOf(replay, instrumentId))
      return funding === '' ? [] : [`${instrument}: ${funding}`]
    return [
      `${instrument}: its data end at ${momentOf(lastEvent)} under a position of ${held.join(', ')}, ` +
        `${durationText(leftNs)} before the run does; it stays at its last value` +
        (funding === '' ? '' : `; ${funding}`),
    ]
  })
}

function fundingWords({ count, firstNs }: UnpaidFundings, { clock }: Replay): string {
  const at = momentOf(isoFromTime(firstNs, clock.epochDay))
  return count === 1
    ? `1 funding was not paid, as the data were silent at its time (${at})`
    : `${count} fundings were not paid, as the data were silent at their time (the first at ${at})`
}

/** Positions of all accounts in an instrument, in their order. */
function heldIn({ accounts }: World, instrumentId: number): string[] {
  return [...accounts].flatMap(([accountId, { positions }]) => {
    const position = positions.get(instrumentId)
    return (position === undefined ? [] : openLegs(position)).map(([leg, { sums: { quantity } }]) => (
      `${quantity.toFixed()} (account ${accountId}${leg === 'net' ? '' : `, ${leg}`})`))
  })
}

/** After how long without a line the data of an instrument are silent: by the run, else by default (rule 6.4). */
function silenceNsOf({ assumptions, directory }: Replay, instrumentId: number): number {
  const entry = directory.get(instrumentId)
  if (entry === undefined) return Infinity
  return assumptions.staleness?.(entry.instrument)?.afterNs ?? SILENCE_NS[silenceCountsOf(entry.instrument.type)]
}

/** Nanoseconds since the run's first midnight of a time as a summary states it. */
function runTimeOf({ clock }: Replay, time: string): number {
  return timeFromEpochNs(epochNsFromText(time, null), clock.epochDay)
}

function momentOf(time: string): string {
  return time.slice(0, 19).replace('T', ' ')
}
