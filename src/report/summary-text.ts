import { showAs } from '../model/display.js'
import { htmlText, type Shown } from '../model/display-table.js'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { Decimal } from '../model/decimal.js'
import type { LatencyQuantiles } from '../model/latency-sketch.js'
import {
  exposureText, hasOtherMoney, notValuedText, playedLine, rateText, ratioText, returnText, roundTripText,
  shortSummaryText, slippageText,
} from './short-summary.js'
import type { MoneySummary } from './money-summary.js'
import type { InstrumentSummary } from './instrument-summary.js'
import type { RunSummary } from './run-summary.js'
import { crossedText, makerText, signalText, orderCountsText, shortDurationText } from './summary-words.js'

type Line = readonly [label: string, ...values: string[]]

const NOTHING = '-'
const NO_SHARE = 'no share: the account starts at 0'

function percent(value: number | null): string {
  return value === null ? NOTHING : `${(value * 100).toFixed(2)} %`
}

/** A quotient, which has up to 18 decimals, in eight digits. */
function short(text: string | null): string {
  return text === null ? NOTHING : new Decimal(text).toSignificantDigits(8).toFixed()
}

function duration(ns: number | null): string {
  return ns === null ? NOTHING : shortDurationText(ns)
}

function latency({ count, smallestNs, medianNs, p99Ns, largestNs }: LatencyQuantiles): string {
  if (count === 0) return 'none measured'
  return `${duration(medianNs)} median, ${duration(smallestNs)} to ${duration(largestNs)}, 99 % within ` +
    `${duration(p99Ns)} (${count})`
}

/** Lines of label and value, values below each other. */
function block(title: string, lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([label]) => label.length))
  return [title, ...lines.map(([label, ...values]) => `  ${label.padEnd(width)}  ${values.join('  ')}`.trimEnd())].join(
    '\n',
  )
}

function moneyBlock(money: MoneySummary): string {
  const { maxDrawdown, roundTrips, slippage, underlying } = money
  return block(underlying, [
    ['profit', money.profit],
    ['  realised', money.realizedPnl],
    ['  unrealised', money.unrealizedPnl],
    ['  fees', money.fees],
    ...(money.flows === '0' ? [] : [['  funding, interest, dividends, splits', money.flows] as const]),
    ['equity', `${money.startEquity} -> ${money.endEquity}`],
    ['turnover', money.turnover],
    [
      'greatest drawdown',
      maxDrawdown.amount === '0'
        ? '0'
        : `${maxDrawdown.amount} (${maxDrawdown.share === null ? NO_SHARE : percent(maxDrawdown.share)}), ` +
          `${maxDrawdown.from} to ${maxDrawdown.to}`,
    ],
    ['ratios', ratioText(money)],
    ...returnLines(money),
    ['return', returnText(money.return)],
    [
      'round trips',
      roundTripText(roundTrips) +
        (roundTrips.count === 0 ? '' : `; wins ${roundTrips.wins}, losses ${roundTrips.losses}`),
    ],
    [
      'slippage',
      slippageText(slippage, underlying) + (slippage.measuredCount === 0 ? '' : `; exactly ${slippage.cost}`),
    ],
  ])
}

function totalBlock(summary: RunSummary): string[] {
  const { total } = summary
  if (!hasOtherMoney(summary)) return []
  const { currency, profit, fees, startEquity, endEquity, turnover, rates } = total
  const amount = (text: string | null): string => text ?? `not computed: ${notValuedText(total)}`
  return [block(`total in ${currency}, at the end of the run`, [
    ['profit', amount(profit)], ['fees', amount(fees)], ['equity', `${amount(startEquity)} -> ${amount(endEquity)}`],
    ['turnover', amount(turnover)], ['return', startEquity === null ? amount(null) : returnText(total.return)],
    ...rates.map((rate): Line => ['rate', rateText(rate, currency)]),
  ])]
}

/** The other statistics of returns, where there are any. */
function returnLines({ returns }: MoneySummary): Line[] {
  if (returns.notComputed !== null) return []
  const ratio = (value: number | null): string => (value === null ? NOTHING : value.toFixed(4))
  const { volatility, maxDrawdown, calmar, winRate, profitFactor, periodsPerYear } = returns
  return [[
    'returns',
    `volatility ${percent(volatility)}, drawdown ${percent(maxDrawdown)}, Calmar ${ratio(calmar)}, win rate ` +
      `${percent(winRate)}, profit factor ${ratio(profitFactor)}; per year of ${periodsPerYear}`,
  ]]
}

/** The wallets; the account is named where there are several. */
function walletBlock(wallets: NonNullable<RunSummary['wallets']>): string {
  const isOne = new Set(wallets.map(({ accountId }) => accountId)).size === 1
  return block(
    'wallets at the end',
    wallets.map(({ accountId, underlying, cashBalance, borrowed }) => [
      underlying,
      `${cashBalance}${borrowed === '0' ? '' : `, ${borrowed} of it borrowed`}${isOne ? '' : `, account ${accountId}`}`,
    ]),
  )
}

function fees(amounts: Readonly<Record<string, string>>): string {
  const texts = Object.entries(amounts).map(([code, amount]) => `${amount} ${code}`)
  return texts.length === 0 ? '0' : texts.join(', ')
}

function instrumentBlock(summary: InstrumentSummary): string {
  const { underlying, markPrice, markedBy } = summary
  const marked = markPrice === null ? 'nothing values it' : `${markedBy} ${markPrice}`
  const range = `${summary.lowestPosition} to ${summary.highestPosition}`
  const entry = summary.averageEntryPrice === null ? '' : `, average entry ${short(summary.averageEntryPrice)}`
  const measured = summary.markOuts.map(
    ({ horizonNs, mean, measuredCount }) => `${duration(horizonNs)} ${short(mean)} (${measuredCount})`,
  )
  return block(`${summary.instrument}, account ${summary.accountId}`, [
    [
      'profit',
      `${summary.profit} ${underlying} (realised ${summary.realizedPnl}, unrealised ${summary.unrealizedPnl}; ` +
        `${marked})`,
    ],
    ['fees', fees(summary.fees)],
    ['turnover', `${summary.turnover} ${underlying}`],
    [
      summary.netTraded === undefined ? 'position' : 'net traded',
      `${summary.netTraded ?? summary.position ?? NOTHING} (${range})${entry}`,
    ],
    ...(summary.wallet === undefined ? [] : [['wallet', summary.wallet] as const]),
    [
      'fills',
      `${summary.fillCount}, ${makerText(summary)}, ${percent(summary.fillRatio)} of the accepted quantity`,
    ],
    ['orders', orderCountsText(summary.orders, '0')],
    ...(summary.queuedCount === null ? [] : [
      ['quantity ahead at entry', `${short(summary.meanQuantityAhead)} (mean of ${summary.queuedCount})`] as const]),
    ['mark-outs per unit', measured.join(', ')],
  ])
}

function runLines(summary: RunSummary): Line[] {
  const { halt, sampling } = summary
  const { rejections } = summary
  return [
    ['from', summary.start],
    ['to', `${summary.end}${summary.isPartial ? ', stopped before the data ended' : ''}`],
    ...(halt === null ? [] : [['halted', `${halt.time} by a gap of ${halt.instrument} (${halt.reason})`] as const]),
    ...(summary.stop === null ? [] : [['stopped', `${summary.stop.time}: ${summary.stop.reason}`] as const]),
    ...(summary.strategies ?? []).map(({ name, strategy, stop }): Line => [
      'strategy', `${name} (${strategy})${stop === null ? '' : `, stopped ${stop.time}: ${stop.reason}`}`,
    ]),
    ['files', summary.trim === 'day' ? 'trimmed to their day' : 'whole, margins included (trim none)'],
    ...(summary.selection ?? []).map((words): Line => ['selected', words]),
    ...(summary.warmUp ?? []).map(({ instrument, since, firstEvent, days }): Line => [
      'warm-up',
      `${instrument} since ${since}, first event ${firstEvent ?? 'none'}` +
        days.map((day) => `, file of ${day}`).join(''),
    ]),
    ...(summary.signals ?? []).map((signal): Line => ['signal', signalText(signal)]),
    ...(summary.termChanges ?? []).map(({ instrument, day, field, kind, earlier, later }): Line => [
      'master data',
      `${instrument} from ${day}: ${field} ${earlier} -> ` +
        `${later}${kind === 'money' ? ', kept as it was' : kind === 'noted' ? ', noted' : ''}`,
    ]),
    ['exposure', exposureText(summary)],
    ['orders', orderCountsText(summary.orders, '0')],
    [
      'fills',
      `${summary.fillCount}, ${makerText(summary)}` +
        (summary.unreceivedFillCount === 0 ? '' : `, ${summary.unreceivedFillCount} not received at the end`),
    ],
    [
      'rejections',
      rejections.length === 0
        ? 'none'
        : rejections.map(({ request, source, type, count }) => `${count} ${request} ${type} (${source})`).join(', '),
    ],
    ['request latency', latency(summary.requestLatency)],
    ['response latency', latency(summary.responseLatency)],
    ...(summary.planNotes ?? []).map((note): Line => ['note', note]),
    [
      'sampling',
      `equity every ${duration(sampling.intervalNs)}, ${sampling.intervalCount} intervals with data` +
        (sampling.leftOutCount === 0 ? '' : `, ${sampling.leftOutCount} left out`),
    ],
  ]
}

function marketBlocks({ markets }: RunSummary): string[] {
  return markets.map((market) => {
    const {
      instrument, firstEvent, lastEvent, bookUnknownCount, bookUnknownNs, crossedGapCount, clampedTimes, feedLatency,
    } = market
    const crossed = crossedText(market, duration)
    return block(`market ${instrument}`, [
      ['events', firstEvent === null || lastEvent === null ? 'none' : `${firstEvent} to ${lastEvent}`],
      ...(crossed === null ? [] : [['book crossed', crossed] as const]),
      [
        // Gaps of a crossed book are counted in the line above alone.
        (crossedGapCount ?? 0) === 0 ? 'book unknown' : 'book otherwise unknown',
        bookUnknownCount === 0
          ? 'never'
          : `${duration(bookUnknownNs)} in ${bookUnknownCount} ${bookUnknownCount === 1 ? 'period' : 'periods'}`,
      ],
      ...(clampedTimes === null ? [] : [[
        'times not as recorded',
        Object.entries(clampedTimes)
          .map(([name, count]) => `${name} ${count}`)
          .join(', '),
      ] as const]),
      ['feed latency', latency(feedLatency)],
    ])
  })
}

/** Funding, interest, liquidations, debts, settlements, and what there is to say of them. */
function moneyEventBlock({ moneyEvents, moneyNotes, usdRates }: RunSummary): string[] {
  const events = moneyEvents.map(({ kind, accountId, instrument, underlying, count, amount, fees: own }): Line => [
    kind,
    `${amount} ${underlying} in ${count}${instrument === null ? '' : `, ${instrument}`}, account ` +
      `${accountId}${own === '0' ? '' : `, fees ${own}`}`,
  ])
  const rates = usdRates.map(({ underlying, usd, declaredBy, sampledAt }): Line => [
    `${underlying} in USD`,
    `${usd}, declared by the ${declaredBy}${sampledAt === undefined ? '' : `, sampled ${sampledAt}`}`,
  ])
  const lines: Line[] = [...events, ...rates, ...moneyNotes.map((note): Line => ['note', note])]
  return lines.length === 0 ? [] : [block('money', lines)]
}

/** The form of a summary as text. */
export interface SummaryTextOptions {
  /** True: every part with every digit. Default false: at most 40 lines, amounts to the digits of their currency. */
  readonly full?: boolean
}

/**
 * A summary as people read it: what was played, the warnings, a line each, then profit and risk, fills, orders,
 * latency, data quality and assumptions; the same text on every machine.
 *
 * @example
 * ```ts
 * import { summaryText, type RunSummary } from 'backtape'
 * const print = (summary: RunSummary): void => console.log(summaryText(summary))
 * if (typeof print !== 'function') throw new Error('takes result.summary')
 * ```
 */
export function summaryText(summary: RunSummary, { full = false }: SummaryTextOptions = {}): string {
  if (!full) return shortSummaryText(summary)
  return [
    playedLine(summary),
    ...(summary.warnings.length === 0 ? [] : [summary.warnings.map((warning) => `Warning: ${warning}`).join('\n')]),
    block('run', runLines(summary)),
    ...summary.money.map(moneyBlock),
    ...totalBlock(summary),
    ...(summary.wallets === undefined ? [] : [walletBlock(summary.wallets)]),
    ...summary.instruments.map(instrumentBlock),
    ...marketBlocks(summary),
    ...moneyEventBlock(summary),
    block('assumptions', Object.entries(summary.assumptions).map(([name, value]) => [name, value])),
  ].join('\n\n')
}

/**
 * A summary as canonical JSON: keys in order of their code units, no white space, so that equal summaries are equal
 * texts.
 *
 * @example
 * ```ts
 * import { summaryJson, type RunSummary } from 'backtape'
 * const same = (a: RunSummary, b: RunSummary): boolean => summaryJson(a) === summaryJson(b)
 * if (typeof same !== 'function') throw new Error('takes result.summary')
 * ```
 */
export function summaryJson(summary: RunSummary): string {
  return canonicalJson(summary as unknown as CanonicalValue)
}

/** The same summary, which consoles and notebooks show as its text. */
export function shownAsText(summary: RunSummary): RunSummary {
  return showAs(summary, shownSummary)
}

/** A summary as it is shown. */
export function shownSummary(summary: RunSummary): Shown {
  const text = summaryText(summary)
  return { line: playedLine(summary), text, html: `<pre class="bt-summary">${htmlText(text)}</pre>` }
}
