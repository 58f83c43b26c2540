import type { Account } from '../exchange/accounts/account.js'
import { hasTraded, openLegs, type AccountPosition } from '../exchange/accounts/account-position.js'
import { isPaidInFull } from '../model/contract.js'
import { NO_FEES } from '../exchange/accounts/fees.js'
import { orderCounts } from '../report/summary-making.js'
import type { World } from '../exchange/world.js'
import { jumpWarnings } from '../model/clock-words.js'
import { shortDurationText } from '../model/duration.js'
import { isoFromEpochNs, isoFromTime } from '../model/time.js'
import { underlyingCode } from '../venue/venue.js'
import { ENGINE_DIGEST } from './engine-digest-reader.js'
import { MARKET_WARNINGS, type WarningMaker } from './market-warnings.js'
import { currencyNotes, farRates, unvalued } from './rate-warnings.js'
import type { OrderedPosition, SimulatedParts, SummaryNotes, SummaryParts } from './summary-parts.js'
import { orderedPositions } from './summary.js'
import { EQUITY_ZERO } from '../exchange/matching/stopped-account.js'
import { instrumentName } from '../model/instrument.js'
import { sellsFreely } from '../exchange/risk/pre-trade.js'
import { GENERIC_PROFILE, isOfKind } from '../exchange/profile/venue-profile.js'
import { FaultPlan } from '../exchange/adapter/fault-plan.js'

/** Every kind, in the order in which a summary has them; a new kind gets a row at its place. */
const KINDS: readonly WarningMaker[] = [
  otherEngines, neverSent, mostRefused, keptTerms, withoutDays, clockJumps, lateLines, closed, coldStart,
  ({ windowNotes }) => windowNotes,
  ...MARKET_WARNINGS, stoppedAtZero, equityBelowZero, equityUnknown, leftOut, farRates, unvalued,
  // Those that the runtime of the strategy noted while it ran: reasons of discarded orders, methods that are no
  // callbacks.
  ({ report }) => report.warnings,
]

/** The kinds that need no simulated world. */
const LIVE_KINDS: readonly ((parts: SummaryParts) => readonly string[])[] = [
  neverSent, mostRefused, farRates, unvalued, ({ report }) => report.warnings,
]

/**
 * Sentences for what makes the figures of a run mean something else than they seem to, in the order of {@link KINDS}.
 */
function runWarnings(parts: SimulatedParts): string[] {
  return KINDS.flatMap((warningsOf) => warningsOf(parts))
}

/** All sentences of the summary of a simulated world. */
export function simulatedNotes(parts: SimulatedParts): SummaryNotes {
  const { world, end: { timeNs } } = parts
  return {
    warnings: runWarnings(parts), moneyNotes: [...currencyNotes(parts), ...moneyNotes(world, orderedPositions(parts))],
    planNotes: parts.isPartial ? [] : planNotes(world, timeNs),
  }
}

/** The same of a run over sockets, of which nothing is simulated. */
export function liveNotes(parts: SummaryParts): Omit<SummaryNotes, 'planNotes'> {
  return { warnings: LIVE_KINDS.flatMap((warningsOf) => warningsOf(parts)), moneyNotes: currencyNotes(parts) }
}

/** Parts of the run that another build played. */
function otherEngines({ otherEngines: engines }: SimulatedParts): string[] {
  return engines.map(({ digest, until }) => (
    `the run up to ${isoFromEpochNs(BigInt(until))} was played by another engine (${digest.slice(0, 10)}, this one ` +
      `is ${ENGINE_DIGEST.slice(0, 10)}): neither of the two gives this result alone`))
}

/** Money terms of a later day that the run does not follow (exchange rules 1.7). */
function keptTerms({ replay, markets }: SimulatedParts): string[] {
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
function withoutDays({ selection, markets }: SimulatedParts): string[] {
  return selection
    .filter(({ instrumentId }) => markets.some((market) => market.instrumentId === instrumentId))
    .map(({ sentence }) => sentence)
}

/** Lines of which the recorder's clock had jumped (exchange rules 1.1). */
function clockJumps({ markets }: SimulatedParts): string[] {
  return markets.flatMap(({ instrument, clampedTimes }) => jumpWarnings(instrument, clampedTimes?.adapterJumps ?? 0))
}

/** Live lines that came when the run had passed their times. */
function lateLines({ replay: { live }, markets }: SimulatedParts): string[] {
  if (live === null) return []
  const lag = shortDurationText(live.lagNs)
  return markets.flatMap(({ instrument, clampedTimes }) => {
    const { movedUp = 0 } = clampedTimes ?? {}
    return movedUp === 0 ? [] : [
      `${movedUp} lines or trades of ${instrument} came more than ${lag} late and count from later on: a backtest ` +
        'over the recorded day puts them in their places, and may differ']
  })
}

/** Instruments that are read alone and whose numbers do not fit from a line on (exchange rules 1.8). */
function closed({ replay, markets, end, world: { hasEnded } }: SimulatedParts): string[] {
  // The instant of `to` is not played, that of the last event is.
  const [beforeNs, { epochDay }] = [end.timeNs + (hasEnded ? 1 : 0), replay.clock]
  return markets.flatMap(({ instrumentId, instrument: name }) => (
    replay.unfit.sentenceOf({ instrumentId, name }, { beforeNs, epochDay }) ?? []))
}

/** Market data of before the run that a strategy asked for and that are not there. */
function coldStart({ pasts, replay }: SimulatedParts): string[] {
  return pasts.flatMap(({ instrumentId, holes }) => {
    const entry = replay.directory.get(instrumentId)
    const name = entry === undefined ? String(instrumentId) : instrumentName(entry.instrument)
    return holes.length === 0 ? [] : [`the warm-up of ${name} is incomplete: ${holes.join('; ')}`]
  })
}

/** Accounts with a fill, in the order of their declaration; those without one have made nothing that could mislead. */
function neverSent(parts: SummaryParts): string[] {
  const reasons = parts.report.requests.rejections().filter(({ source }) => source === 'STRATEGY')
  const discarded = reasons.reduce((sum, { count }) => sum + count, 0)
  if (discarded === 0) return []
  const { orderCount } = allOrders(parts)
  const words = reasons.map(({ type, count }) => `${count} ${type}`).join(', ')
  return [
    `${discarded === orderCount ? 'every order was discarded: ' : ''}${discarded} of ${orderCount} orders were ` +
      `never sent (${words})`,
  ]
}

function allOrders({ report, isSimulated }: SummaryParts): ReturnType<typeof orderCounts> {
  return orderCounts([...report.orders.sums.values()].flatMap((sums) => [...sums.values()]), isSimulated)
}

/** Orders that the adapter or the exchange refused, where they are half of all or more. */
function mostRefused(parts: SummaryParts): string[] {
  const reasons = parts.report.requests.rejections()
    .filter(({ source, request }) => source !== 'STRATEGY' && (request === 'place' || request === 'replace'))
  const refused = reasons.reduce((sum, { count }) => sum + count, 0)
  const { orderCount } = allOrders(parts)
  if (refused === 0 || 2 * refused < orderCount) return []
  const words = reasons.map(({ type, count }) => `${count} ${type}`).join(', ')
  return [`${refused} of ${orderCount} orders were rejected (${words})`]
}

function stoppedAtZero({ report: { stops }, strategies, replay }: SimulatedParts): string[] {
  return stops.filter(({ reason }) => reason.startsWith(EQUITY_ZERO)).map(({ clientId, reason, timeNs }) => {
    const name = strategies.length === 0 ? 'the strategy' : clientId
    return `${reason}; ${name} was stopped at ${isoFromTime(timeNs, replay.clock.epochDay)}`
  })
}

function equityBelowZero({ world, replay }: SimulatedParts): string[] {
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

function equityUnknown({ world, replay }: SimulatedParts): string[] {
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

/** Declarations that an account which traded left out. Fees that were written as 0 are a decision, and no warning. */
const LEFT_OUT: readonly (readonly [isLeftOut: (account: Account) => boolean, words: string])[] = [
  [({ config }) => config.fees === NO_FEES, ' declares no fees: its profit is before fees'],
  [isUnbound, ': its venue profile declares no margin, so nothing was blocked and nothing liquidated'],
  [({ config }) => config.balances.size === 0, ' declares no balances: nothing bounds its losses'],
]

function leftOut({ world }: SimulatedParts): string[] {
  const traders = [...world.accounts.values()].filter(({ positions }) => [...positions.values()].some(hasTraded))
  return LEFT_OUT.flatMap(([isLeftOut, words]) => traders
    .filter(isLeftOut)
    .map(({ config: { accountId } }) => `account ${accountId}${words}`))
}

/** The sentences that hold. */
function noted(rows: readonly (readonly [holds: boolean, sentence: string])[]): string[] {
  return rows.flatMap(([holds, sentence]) => (holds ? [sentence] : []))
}

/**
 * Where the profile of an account says something else than the master data of what was ordered on it, or says nothing
 * of it.
 */
function profileNotes({ config }: Account, ordered: readonly AccountPosition[]): string[] {
  const { accountId, profile = GENERIC_PROFILE, predictions } = config
  const { name, kind, margin } = profile
  return ordered.flatMap(({ entry: { instrument }, contract }) => {
    const named = instrumentName(instrument)
    const by = predictions?.has(instrument.id) === true ? "the run's outcomes say" : `the venue profile ${name} says`
    const hasBrackets = margin?.instruments === undefined || Object.hasOwn(margin.instruments, instrument.code)
    return noted([
      [
        contract.kind === 'prediction',
        `${named}: taken for a prediction contract, as ${by}; its master data call it ${instrument.type}`,
      ],
      [
        !isOfKind(kind, instrument),
        `account ${accountId}: its venue profile ${name} is of the kind ${kind}, and ${named} is not: ` +
          'what the profile says may not hold there',
      ],
      [
        !hasBrackets && !isPaidInFull(contract),
        `${named}: margin.instruments of the venue profile ${name} does not name it, so the general ` +
          'brackets hold',
      ],
    ])
  })
}

/**
 * Deviations of a world's money from what data say, and money that could not be counted (exchange rules 8): sentences
 * in the order of accounts, then instruments. `ordered` is in that order too. A world that ordered no derivative has
 * none.
 */
export function moneyNotes(world: World, ordered: readonly OrderedPosition[]): string[] {
  const { named, unvalued, unmarked } = world.money
  return [...world.accounts].flatMap(([accountId, account]) => {
    const own = ordered.filter((one) => one.accountId === accountId)
    const traded = [...account.positions.values()]
      .filter((position) => position.contract.kind !== 'spot' && hasTraded(position))
      .sort((a, b) => a.contract.instrumentId - b.contract.instrumentId)
    const costsNoFee = account.margin !== null && account.config.profile?.margin?.liquidationFeeRate === undefined
    return [
      ...profileNotes(account, own.map(({ position }) => position)),
      ...noted([
        [
          costsNoFee && traded.some(({ contract }) => !isPaidInFull(contract)),
          `account ${accountId}: its venue profile declares no margin.liquidationFeeRate, so a liquidation costs ` +
            'no fee',
        ],
        [
          sellsFreely(account) && traded.some(({ contract }) => contract.kind === 'option'),
          `account ${accountId}: its venue profile declares no margin.shortOptions, so options could be sold with ` +
            'nothing behind them',
        ],
      ]),
      ...traded.flatMap((held) => {
        const { entry: { instrument }, contract } = held
        const name = instrumentName(instrument)
        const isPrediction = contract.kind === 'prediction'
        return noted([
          [
            instrument.type === 'perpetual' && !isPrediction && !named.has(instrument.id),
            `${name}: its data named no funding while a position was open, so none was paid`,
          ],
          [
            unvalued.has(instrument.id),
            `${name}: a funding was named that was not paid, as neither a mark nor a mid was ever known while a ` +
              'position was open',
          ],
          [
            isPrediction && openLegs(held).length > 0,
            `${name}: no outcome was given, so it stays at the last price that values it`,
          ],
          [
            unmarked.has(instrument.id),
            `${name}: there was no mark price when its position changed, so the exchange valued it by the mid`,
          ],
        ])
      }),
      ...noted([...account.cash].map(([underlyingId, amount]) => [
        amount.sign < 0,
        `account ${accountId}: its balance of ${underlyingCode(world.config.underlyings, underlyingId)} ended below ` +
          `0, at ${amount.toFixed()}`,
      ])),
    ]
  })
}

/**
 * Entries of a run's plan that its data did not come to, in the order of the plan: sentences. Times outside of a run
 * are refused before it; these lie behind the last event of its data (exchange rules 1.6), or were drawn into the rest
 * of an interval that the run did not have.
 */
function planNotes({ config, hasEnded }: World, lastNs: number): string[] {
  // The instant of the last event still happened, that of `to` did not.
  const endNs = hasEnded ? lastNs + 1 : lastNs
  const faults = config.faults ?? []
  const plan = new FaultPlan(faults, config.assumptions.seed)
  return [
    ...faults.flatMap((_, number) =>
      plan.firstNs(number) < endNs ? [] : [`faults[${number}] did not happen: the run ended before its time`],
    ),
    ...(config.corporateActions ?? []).flatMap(({ timeNs }, number) =>
      timeNs < endNs ? [] : [`corporateActions[${number}] did not happen: the run ended before its time`],
    ),
  ]
}
