import { Decimal } from '../model/decimal.js'
import type { LatencyQuantiles } from '../model/latency-sketch.js'
import type { MoneySummary, TotalRate, TotalSummary } from './money-summary.js'
import type { InstrumentSummary } from './instrument-summary.js'
import type { RunSummary } from './run-summary.js'
import {
  crossedText, signalText, durationText, orderCountsText, makerText, percentText, returnsText,
} from './summary-words.js'

const LINES_MAX = 40
const COLUMNS_MAX = 110
/** Currencies that people read in cents; amounts of others have up to eight decimals. */
const CENTS = /USD|^(?:EUR|GBP|CHF|AUD|CAD|DAI|CASH)$/

type Line = readonly [label: string, value: string]

/** An amount to the digits of its currency, thousands separated: `10,006.57`. One below a cent keeps two digits. */
export function amountText(amount: string, code: string): string {
  const value = new Decimal(amount)
  const places = CENTS.test(code) ? 2 : 8
  const rounded = value.toDecimalPlaces(places, Decimal.ROUND_HALF_EVEN)
  if (rounded.isZero() && !value.isZero()) return value.toSignificantDigits(2).toFixed()
  const [whole = '', decimals = ''] = rounded.toFixed(places).split('.')
  const shown = places === 2 ? decimals : decimals.replace(/0{1,6}$/, '')
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${shown}`
}

/** A time to the millisecond without trailing zeros: `2026-07-01 23:55:00.12`. */
export function momentText(iso: string): string {
  const [, day = '', clock = '', fraction = ''] = /^(\S+)T(\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(iso) ?? []
  const digits = fraction.slice(0, 3).replace(/0+$/, '')
  return day === '' ? iso : `${day} ${clock}${digits === '' ? '' : `.${digits}`}`
}

/** The span and the instruments of a run: the first line of its summary. */
export function playedLine({ start, end, markets, isPartial }: RunSummary): string {
  const names = markets.map(({ instrument }) => instrument)
  const shown = names.length > 3 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
  const stopped = isPartial ? ', stopped before the data ended' : ''
  return `${momentText(start)} to ${momentText(end)} UTC${shown.length === 0 ? '' : `, ${shown.join(', ')}`}${stopped}`
}

/** Sharpe and Sortino with the returns behind them, or why they are not computed. */
export function ratioText({ sharpe, sortino, returns }: MoneySummary): string {
  const { notComputed } = returns
  if (notComputed !== null) return `not computed: ${notComputed}`
  const one = (value: number | null, why: string): string =>
    value === null ? `not computed: ${why}` : value.toFixed(2)
  return `Sharpe ${one(sharpe, 'all returns are equal')}, Sortino ${one(sortino, 'no loss')}; ` +
    returnsText(returns)
}

/** Profit as a part of the start. */
export function returnText(share: number | null): string {
  return share === null ? 'not computed: the account starts at 0' : percentText(share)
}

/** Round trips with their win rate and profit factor. */
export function roundTripText({ count, openCount, winRate, profitFactor }: MoneySummary['roundTrips']): string {
  const open = openCount === 0 ? '' : `, ${openCount} open at the end`
  if (count === 0) return `none${open}`
  const factor = profitFactor === null ? 'not computed: no loss' : profitFactor.toFixed(2)
  return `${count}, win rate ${percentText(winRate ?? 0)}, profit factor ${factor}${open}`
}

/** Slippage in money and in basis points of the value at the arrival mids. */
export function slippageText({ measuredCount, cost, share }: MoneySummary['slippage'], code: string): string {
  if (measuredCount === 0 || share === null) return 'not measured: no fill with an arrival mid'
  const points = `${String(Math.round(share * 1_000_000) / 100)} bp`
  return `${amountText(cost, code)} ${code} (${points}) against the arrival mid, ${measuredCount} fills`
}

function moneyLines(money: MoneySummary): Line[] {
  const { underlying: code, maxDrawdown } = money
  const amount = (text: string): string => amountText(text, code)
  const flows = money.flows === '0' ? '' : `, funding and other flows ${amount(money.flows)}`
  const share = maxDrawdown.share === null ? '' : ` (${percentText(maxDrawdown.share)})`
  const span = `${momentText(maxDrawdown.from)} to ${momentText(maxDrawdown.to)}`
  return [
    ['profit', `${amount(money.profit)} ${code}: realised ${amount(money.realizedPnl)}, unrealised ` +
      `${amount(money.unrealizedPnl)}, fees ${amount(money.fees)}${flows}`],
    ['equity', `${amount(money.startEquity)} to ${amount(money.endEquity)} ${code}`],
    ['drawdown', maxDrawdown.amount === '0' ? 'none' : `${amount(maxDrawdown.amount)} ${code}${share}, ${span}`],
    ['ratios', ratioText(money)],
    ['return', returnText(money.return)],
    ['round trips', roundTripText(money.roundTrips)],
    ['slippage', slippageText(money.slippage, code)],
  ]
}

/** True where a total says more than the money of one underlying. */
export function hasOtherMoney({ money, total }: Pick<RunSummary, 'money' | 'total'>): boolean {
  return money.some(({ underlying }) => underlying !== total.currency)
}

/** `no rate of BNB in USDT`: the reason why an amount of a total is not there. */
export function notValuedText({ currency, notValued }: TotalSummary): string {
  return `no rate of ${notValued.join(', ')} in ${currency}`
}

/** `1 BNB = 612.5 USDT (mid of binance:BNBUSDT)`. */
export function rateText({ underlying, rate, markets, declared }: TotalRate, currency: string): string {
  const sources = [
    ...markets.map((market) => `mid of ${market}`),
    ...declared.map(({ underlying: code, usd, declaredBy }) => `${code} at ${usd} USD by the ${declaredBy}`),
  ]
  return `1 ${underlying} = ${new Decimal(rate).toSignificantDigits(8).toFixed()} ${currency} (${sources.join(', ')})`
}

function totalLines(summary: RunSummary): Line[] {
  const { total } = summary
  if (!hasOtherMoney(summary)) return []
  const amount = (text: string | null): string => (
    text === null ? `not computed: ${notValuedText(total)}` : amountText(text, total.currency))
  return [
    ['total', `profit ${amount(total.profit)} ${total.currency}, fees ${amount(total.fees)}, equity ` +
      `${amount(total.startEquity)} to ${amount(total.endEquity)}, return ${
        total.startEquity === null ? `not computed: ${notValuedText(total)}` : returnText(total.return)}`],
    ...total.rates.map((rate): Line => ['', rateText(rate, total.currency)]),
  ]
}

/** The part of the time in which a position was open. */
export function exposureText({ exposure }: RunSummary): string {
  if (exposure === null) return 'not computed: the data cover no time'
  return exposure === 0 ? 'none' : `${percentText(exposure)} of the time of the data with a position`
}

function instrumentLines(one: InstrumentSummary): Line[] {
  const held = one.netTraded ?? one.position ?? 'none'
  const entry =
    one.averageEntryPrice === null ? '' : ` at ${new Decimal(one.averageEntryPrice).toSignificantDigits(8).toFixed()}`
  const label = one.netTraded === undefined ? 'position' : 'net traded'
  const turnover = `turnover ${amountText(one.turnover, one.underlying)} ${one.underlying}`
  const maker = one.makerShare === null ? '' : `, ${makerText(one)}`
  return [
    ['fills', `${one.fillCount} in ${one.instrument}${maker}, ${turnover}`],
    [label, `${held}${entry} (from ${one.lowestPosition} to ${one.highestPosition})`],
  ]
}

function latencyText(name: string, { count, medianNs, p99Ns }: LatencyQuantiles): string {
  return count === 0 ? `${name} not measured` : `${name} ${durationText(medianNs)} (99 % within ${durationText(p99Ns)})`
}

function dataLines({ markets, warmUp = [] }: RunSummary): Line[] {
  const before = warmUp.map(({ instrument, since, days }): Line => {
    const files = days.length === 0 ? '' : `, files of ${days.join(', ')}`
    return ['data', `warm-up of ${instrument} since ${momentText(since)}${files}`]
  })
  const own = markets.map((market): Line => {
    const { instrument, firstEvent, lastEvent, crossedGapCount, bookUnknownCount, bookUnknownNs } = market
    const crossed = crossedText(market)
    const other = (crossedGapCount ?? 0) === 0 ? '' : 'other '
    const count = `${bookUnknownCount} ${other}${bookUnknownCount === 1 ? 'gap' : 'gaps'}`
    const gaps =
      bookUnknownCount === 0 ? `no ${other}gap` : `book unknown for ${durationText(bookUnknownNs)} in ${count}`
    const span =
      firstEvent === null || lastEvent === null
        ? 'no event'
        : `events ${momentText(firstEvent)} to ${momentText(lastEvent)}`
    return ['data', `${instrument}: ${span}, ${crossed === null ? '' : `crossed for ${crossed}, `}${gaps}`]
  })
  return [...before, ...own]
}

/** Words below each other, as many a line as fit. */
function filled(label: string, words: readonly string[]): Line[] {
  const lines: Line[] = []
  let text = ''
  for (const word of words) {
    if (text !== '' && text.length + word.length + 2 > COLUMNS_MAX) {
      lines.push([lines.length === 0 ? label : '', `${text},`])
      text = ''
    }
    text = text === '' ? word : `${text}, ${word}`
  }
  return [...lines, [lines.length === 0 ? label : '', text]]
}

/**
 * A summary for people in at most 40 lines: what was played, warnings, profit and risk, fills, orders, latency, data,
 * assumptions. Amounts are rounded to the digits of their currency; JSON and the full text hold every digit.
 */
export function shortSummaryText(summary: RunSummary): string {
  const { orders, rejections } = summary
  const lines: Line[] = [
    ...summary.money.flatMap(moneyLines),
    ...totalLines(summary),
    ['exposure', exposureText(summary)],
    ...(summary.stop === null
      ? []
      : [['stopped', `${momentText(summary.stop.time)}: ${summary.stop.reason}`] as const]),
    ...(summary.strategies ?? []).map(({ name, strategy, stop }): Line => [
      'strategy', `${name} (${strategy})${stop === null ? '' : `, stopped ${momentText(stop.time)}: ${stop.reason}`}`,
    ]),
    ...(summary.halt === null
      ? []
      : [['halted', `${momentText(summary.halt.time)}: gap of ${summary.halt.instrument}`] as const]),
    ...(summary.instruments.length === 0 ? [['fills', 'none'] as const] : summary.instruments.flatMap(instrumentLines)),
    ...(summary.wallets ?? []).map(({ underlying, cashBalance, borrowed }): Line => [
      'wallet',
      `${amountText(cashBalance, underlying)} ${underlying}` +
        (borrowed === '0' ? '' : `, ${amountText(borrowed, underlying)} of it borrowed`),
    ]),
    ...summary.moneyEvents.map(({ kind, count, amount, underlying, instrument }): Line => [
      'money',
      `${count} ${kind}${instrument === null ? '' : ` of ${instrument}`}, ` +
        `${amountText(amount, underlying)} ${underlying}`,
    ]),
    ['orders', orderCountsText(orders, 'none')],
    ...(rejections.length === 0
      ? []
      : filled(
          'rejected', rejections.map(({ request, type, count }) => `${count} ${request} ${type}`),
        )),
    [
      'latency',
      `${latencyText('request', summary.requestLatency)}, ${latencyText('response', summary.responseLatency)}`,
    ],
    ...(summary.selection ?? []).map((words): Line => ['data', words]),
    ...(summary.signals ?? []).map((signal): Line => ['signal', signalText(signal)]),
    ...dataLines(summary),
    ...[...(summary.planNotes ?? []), ...summary.moneyNotes].map((note): Line => ['note', note]),
    ...filled('assumptions', Object.entries(summary.assumptions).map(([name, value]) => `${name} ${value}`)),
  ]
  const head = [playedLine(summary), '', ...warningLines(summary)]
  const room = LINES_MAX - head.length
  const shown = lines.length <= room ? lines : lines.slice(0, room - 1)
  const width = Math.max(...shown.map(([label]) => label.length))
  const body = shown.map(([label, value]) => `${label.padEnd(width)}  ${value}`.trimEnd())
  const more = lines.length - shown.length
  return [...head, ...body, ...(more === 0 ? [] : [`... ${more} lines more: --full`])].join('\n')
}

const WARNINGS_MAX = 12

/** Warnings, a line each, and an empty line behind them. */
function warningLines({ warnings }: RunSummary): string[] {
  if (warnings.length === 0) return []
  const shown = warnings.slice(0, WARNINGS_MAX).map((warning) => `Warning: ${warning}`)
  const more = warnings.length - shown.length
  return [...shown, ...(more === 0 ? [] : [`Warning: and ${more} more (--full)`]), '']
}
