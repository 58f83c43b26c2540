import { daysFromRate } from '../model/usd-rate.js'
import { dayText, epochNsFromText, epochNsFromTime } from '../model/time.js'
import { durationText } from '../report/summary-words.js'
import { underlyingCode } from '../venue/venue.js'
import type { SummaryParts } from './summary-parts.js'

/** Fills behind the last line of their instrument's data: until the silence shows they meet a book that stands. */
export function afterTheData({ report, markets }: SummaryParts): string[] {
  const sums = [...report.fills.sums.values()]
  return markets.flatMap(({ instrumentId, instrument, lastEvent }) => {
    const count = sums.reduce((sum, byInstrument) => sum + (byInstrument.get(instrumentId)?.behindDataCount ?? 0), 0)
    if (count === 0 || lastEvent === null) return []
    return [
      `${instrument}: ${count} ${count === 1 ? 'fill' : 'fills'} after the last line of the data ` +
        `(${lastEvent.slice(0, 19).replace('T', ' ')}), against a book that no longer moved (staleAfter)`,
    ]
  })
}

/** Instruments whose book was unknown for more than a tenth of their data; the time behind the data left out. */
export function longUnknown({ world, replay, report, markets }: SummaryParts): string[] {
  const end = epochNsFromTime(report.finish(replay.clock.nowNs()).timeNs, replay.clock.epochDay)
  return markets.flatMap(({ instrumentId, instrument, firstEvent, lastEvent, bookUnknownNs, bookUnknownCount }) => {
    if (bookUnknownCount === 0 || firstEvent === null || lastEvent === null) return []
    const last = epochNsFromText(lastEvent, null)
    const isOpen = world.halt !== null || (world.marketOf(instrumentId)?.bookUnknown ?? null) !== null
    const dataNs = Number(last - epochNsFromText(firstEvent, null))
    const unknownNs = bookUnknownNs - (isOpen ? Math.max(0, Number(end - last)) : 0)
    if (10 * unknownNs <= dataNs) return []
    return [
      `${instrument}: the book was unknown for ${durationText(unknownNs)} of ${durationText(dataNs)} of its data: ` +
        'orders that need it were refused there',
    ]
  })
}

/** Rates in USD of the data that were sampled more than a day from the run. */
export function farRates({ world, replay, report }: SummaryParts): string[] {
  if (report.fills.sums.size === 0) return []
  const ids = new Set([...world.accounts.values()].flatMap(({ cash }) => [...cash.keys()]))
  return [...ids].sort((a, b) => a - b).flatMap((id) => {
    const rate = world.config.money?.usdRates.get(id)
    const code = underlyingCode(replay.underlyings, id)
    const { epochDay } = replay.clock
    if (rate?.declaredBy !== 'data' || rate.sampledAt === undefined || code === 'USD') return []
    const days = daysFromRate(rate.sampledAt, epochDay)
    if (days === null || days <= 1) return []
    return [
      `amounts in USD take 1 ${code} = ${rate.usd} USD of ${rate.sampledAt}, ${days} days from ${dayText(epochDay)}: ` +
        'it is the only rate of the data; `rates` declares another',
    ]
  })
}
