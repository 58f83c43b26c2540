import { dayText, NS_PER_DAY } from '../model/time.js'
import { daysFromRate, type UsdRate } from '../model/usd-rate.js'
import { USD } from '../report/run-currency.js'
import { underlyingCode } from '../venue/venue.js'
import type { SummaryParts } from './summary-parts.js'
import { RunTotal } from './total-summary.js'

/** Rates in USD of the data, of fills and of the total, that were sampled more than a day from the end of the run. */
export function farRates(parts: SummaryParts): string[] {
  const { world, setting, report, end } = parts
  if (report.fills.sums.size === 0) return []
  const ids = new Set([...world.accounts.values()].flatMap(({ cash }) => [...cash.keys()]))
  const rates = new Map<string, UsdRate>()
  for (const id of [...ids].sort((a, b) => a - b)) {
    const rate = world.config.money?.usdRates.get(id)
    if (rate !== undefined) rates.set(underlyingCode(setting.underlyings, id), rate)
  }
  const { rates: used } = new RunTotal(parts).summary()
  for (const { underlying, ...rate } of used.flatMap(({ declared }) => declared)) rates.set(underlying, rate)
  const day = setting.epochDay + Math.floor(Math.max(0, end.timeNs - 1) / NS_PER_DAY)
  return [...rates].flatMap(([code, rate]) => {
    if (rate.declaredBy !== 'data' || rate.sampledAt === undefined || code === USD) return []
    const days = daysFromRate(rate.sampledAt, day)
    if (days === null || days <= 1) return []
    const what = used.some(({ declared }) => declared.some(({ underlying }) => underlying === code))
      ? 'totals and amounts in USD' : 'amounts in USD'
    return [
      `${what} take 1 ${code} = ${rate.usd} USD of ${rate.sampledAt}, ${days} days from ${dayText(day)}: ` +
        'it is the only rate of the data; `rates` declares another',
    ]
  })
}

/** Money that no rate values in the currency of the run. */
export function unvalued(parts: SummaryParts): string[] {
  const total = new RunTotal(parts).summary()
  if (total.notValued.length === 0) return []
  return [
    `the total has no rate of ${total.notValued.join(', ')} in ${total.currency}: an instrument of both that the ` +
      'strategy asks for gives one, or `rates`',
  ]
}

/** The currency of totals, where what is traded does not say one. */
export function currencyNotes({ report: { rates: { currency }, fills } }: SummaryParts): string[] {
  const { code, unlike } = currency
  if (unlike.length < 2 || fills.sums.size === 0) return []
  return [`its instruments are settled in ${unlike.join(', ')}: totals are in ${code}; account.currency states another`]
}
