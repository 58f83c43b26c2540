import type { Account } from '../exchange/accounts/account.js'
import { hasTraded } from '../exchange/accounts/account-position.js'
import { isPaidInFull } from '../model/contract.js'
import { NO_FEES } from '../exchange/accounts/fees.js'
import { orderCounts } from '../report/summary-making.js'
import type { World } from '../exchange/world.js'
import { isoFromTime, NS_PER_MINUTE } from '../model/time.js'
import { afterTheData, farRates, longUnknown } from './data-warnings.js'
import { underlyingCode } from '../venue/venue.js'
import type { SummaryParts } from './summary-parts.js'
import { EQUITY_ZERO } from '../exchange/matching/stopped-account.js'
import { instrumentName } from '../model/instrument.js'

/** Makes the warnings of one kind, in the order of accounts or instruments; none where the run gives no reason. */
type WarningMaker = (parts: SummaryParts) => readonly string[]

/** Every kind, in the order in which a summary has them; a new kind gets a row at its place. */
const KINDS: readonly WarningMaker[] = [
  neverSent, mostRefused, keptTerms, withoutDays, coldStart, ({ windowNotes }) => windowNotes, withoutBook, longUnknown,
  afterTheData, longHoles, stoppedAtZero, equityBelowZero, equityUnknown, leftOut, farRates,
  // Those that the runtime of the strategy noted while it ran: reasons of discarded orders, methods that are no callbacks.
  ({ report }) => report.warnings,
]

/**
 * Sentences for what makes the figures of a run mean something else than they seem to, in the order of {@link KINDS}.
 */
export function runWarnings(parts: SummaryParts): string[] {
  return KINDS.flatMap((warningsOf) => warningsOf(parts))
}

/** Money terms of a later day that the run does not follow (exchange rules 1.7). */
function keptTerms({ replay, markets }: SummaryParts): string[] {
  return replay.terms.steps
    .filter(({ instrumentId }) => markets.some((market) => market.instrumentId === instrumentId))
    .flatMap(({ instrument, day, changes }) =>
      changes
        .filter(({ kind }) => kind === 'money')
        .map(
          ({ field, earlier, later }) =>
            `${instrumentName(instrument)}: ${field} is ${later} in the file of ${day}, and the run ` +
              `kept ${earlier} (masterChanges "accept")`,
        ),
    )
}

/** Instruments without a file of some day of a range that was asked for. */
function withoutDays({ selection, markets }: SummaryParts): string[] {
  return selection
    .filter(({ instrumentId }) => markets.some((market) => market.instrumentId === instrumentId))
    .map(({ sentence }) => sentence)
}

/** Market data of before the run that a strategy asked for and that are not there. */
function coldStart({ pasts, replay }: SummaryParts): string[] {
  return pasts.flatMap(({ instrumentId, holes }) => {
    const entry = replay.directory.get(instrumentId)
    const name = entry === undefined ? String(instrumentId) : instrumentName(entry.instrument)
    return holes.length === 0 ? [] : [`the warm-up of ${name} is incomplete: ${holes.join('; ')}`]
  })
}

/** Accounts with a fill, in the order of their declaration; those without one have made nothing that could mislead. */
function neverSent({ report }: SummaryParts): string[] {
  const reasons = report.requests.rejections().filter(({ source }) => source === 'STRATEGY')
  const discarded = reasons.reduce((sum, { count }) => sum + count, 0)
  if (discarded === 0) return []
  const { orderCount } = orderCounts([...report.orders.sums.values()].flatMap((sums) => [...sums.values()]))
  const words = reasons.map(({ type, count }) => `${count} ${type}`).join(', ')
  return [
    `${discarded === orderCount ? 'every order was discarded: ' : ''}${discarded} of ${orderCount} orders were ` +
      `never sent (${words})`,
  ]
}

/** Orders that the adapter or the exchange refused, where they are half of all or more. */
function mostRefused({ report }: SummaryParts): string[] {
  const reasons = report.requests.rejections()
    .filter(({ source, request }) => source !== 'STRATEGY' && (request === 'place' || request === 'replace'))
  const refused = reasons.reduce((sum, { count }) => sum + count, 0)
  const { orderCount } = orderCounts([...report.orders.sums.values()].flatMap((sums) => [...sums.values()]))
  if (refused === 0 || 2 * refused < orderCount) return []
  const words = reasons.map(({ type, count }) => `${count} ${type}`).join(', ')
  return [`${refused} of ${orderCount} orders were rejected (${words})`]
}

/** Instruments whose data hold no order book: their orders that need one cannot trade. */
function withoutBook({ world, markets, report }: SummaryParts): string[] {
  const ordered = new Set([...report.orders.sums.values()].flatMap((byInstrument) => [...byInstrument.keys()]))
  return markets
    .filter(({ instrumentId, firstEvent }) => (
      firstEvent !== null && ordered.has(instrumentId) && isBookless(world, instrumentId)))
    .map(({ instrument }) => `${instrument}: its data hold no order book, so it never became READY`)
}

function isBookless(world: World, instrumentId: number): boolean {
  return world.marketOf(instrumentId)?.bookUnknown?.reason === 'start'
}

/** Long stretches without an event: prices are not known there, and only fundings that were named before are paid. */
function longHoles({ world, report }: SummaryParts): string[] {
  const { holeCount } = report.equity
  if (holeCount === 0) return []
  const all = Math.round((holeCount * report.intervalNs) / NS_PER_MINUTE)
  const [hours, minutes] = [Math.floor(all / 60), all % 60]
  const isFunded = [...world.accounts.values()].some(({ positions }) => (
    [...positions.values()].some((one) => hasTraded(one) && one.entry.instrument.fundingIntervalSeconds !== null)))
  const funding = isFunded ? '; fundings are paid there only as far as data before it name them' : ''
  const length = `${hours} h ${minutes} min`
  return [
    `no event for ${length} in all, in stretches of an hour or more: ratios leave out hours and days without one` +
      funding,
  ]
}

function stoppedAtZero({ report: { stops }, strategies, replay }: SummaryParts): string[] {
  return stops.filter(({ reason }) => reason.startsWith(EQUITY_ZERO)).map(({ clientId, reason, timeNs }) => {
    const name = strategies.length === 0 ? 'the strategy' : clientId
    return `${reason}; ${name} was stopped at ${isoFromTime(timeNs, replay.clock.epochDay)}`
  })
}

function equityBelowZero({ world, replay }: SummaryParts): string[] {
  return world.money.equity
    .records()
    .flatMap(({ accountId, belowNs }) =>
      belowNs === null
        ? []
        : [
            `account ${accountId}: its equity was below 0 at ${isoFromTime(belowNs, replay.clock.epochDay)} for the ` +
              'first time',
          ],
    )
}

function equityUnknown({ world, replay }: SummaryParts): string[] {
  return world.money.equity.records().flatMap(({ accountId, unknownNs, missingIds }) => {
    if (unknownNs === null) return []
    const codes = missingIds.map((id) => underlyingCode(replay.underlyings, id)).join(', ')
    return [
      `account ${accountId}: its equity could not be judged at ${isoFromTime(unknownNs, replay.clock.epochDay)}, as ` +
        `no rate of ${codes} in USD is declared`,
    ]
  })
}

function isUnbound({ margin, positions }: Account): boolean {
  return margin === null && [...positions.values()].some((one) => hasTraded(one) && !isPaidInFull(one.contract))
}

/** What an account that traded leaves out. Fees that were written as 0 are a decision, and no warning. */
const LEFT_OUT: readonly (readonly [isLeftOut: (account: Account) => boolean, words: string])[] = [
  [({ config }) => config.fees === NO_FEES, ' declares no fees: its profit is before fees'],
  [isUnbound, ': its venue profile declares no margin, so nothing was blocked and nothing liquidated'],
  [({ config }) => config.balances.size === 0, ' declares no balances: nothing bounds its losses'],
]

function leftOut({ world }: SummaryParts): string[] {
  const traders = [...world.accounts.values()].filter(({ positions }) => [...positions.values()].some(hasTraded))
  return LEFT_OUT.flatMap(([isLeftOut, words]) => traders
    .filter(isLeftOut)
    .map(({ config: { accountId } }) => `account ${accountId}${words}`))
}
