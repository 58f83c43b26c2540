import { decimalDigits } from '../../model/decimal.js'
import { durationOf, shortDurationText } from '../../model/duration.js'
import { BacktapeError } from '../../model/error.js'
import { foundText } from '../../model/fault.js'

/**
 * The length of a bar: a duration (`'10s'`), or what its trades come to: a number of trades, a volume in the
 * instrument's own unit, a turnover in its quote currency, or a difference of bought and sold volume.
 */
export type BarSpan =
  | string
  | { readonly trades: number }
  | { readonly volume: string }
  | { readonly turnover: string }
  | { readonly imbalance: string }

/** The prices that bars are made of. */
export type BarSource = 'trades' | 'mid' | 'mark'

/** A positive decimal: `integer * 10^-scale`. */
interface Threshold {
  readonly integer: bigint
  readonly scale: number
}

/** A span that has been read. */
export type BarRule = { readonly label: string } & (
  | { readonly kind: 'time'; readonly spanNs: number }
  | { readonly kind: 'trades'; readonly count: number }
  | { readonly kind: 'volume' | 'turnover' | 'imbalance'; readonly limit: Threshold }
)

const EXPECTED =
  "a duration such as '10s', { trades: 100 }, { volume: '5' }, { turnover: '100000' } or { imbalance: '2' }"

/** A span as its rule. Throws OPTION_INVALID. */
export function barRule(span: BarSpan): BarRule {
  if (typeof span === 'string') {
    const spanNs = durationOf(span)
    if (typeof spanNs === 'string') throw refusal(spanNs, span)
    return { kind: 'time', label: shortDurationText(spanNs), spanNs }
  }
  const given: readonly (readonly [string, unknown])[] =
    typeof span === 'object' && (span as unknown) !== null ? Object.entries(span) : []
  const [kind, value] = given.length === 1 ? (given[0] as readonly [string, unknown]) : [undefined, undefined]
  const label = `${String(value)} ${String(kind)}`
  if (kind === 'trades') {
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw refusal('a whole number of trades from 1', value)
    return { kind, label, count: value as number }
  }
  if (kind !== 'volume' && kind !== 'turnover' && kind !== 'imbalance') throw refusal(EXPECTED, span)
  const parts = typeof value === 'string' ? decimalDigits(value) : null
  if (parts === null || parts.negative || parts.digits === '0')
    throw refusal(`${kind} as a text with a decimal above 0`, value)
  const integer = BigInt(parts.digits) * 10n ** BigInt(Math.max(0, -parts.scale))
  return { kind, label, limit: { integer, scale: Math.max(0, parts.scale) } }
}

function refusal(expected: string, given: unknown): BacktapeError {
  const found = foundText(given)
  return new BacktapeError('OPTION_INVALID', `Cannot make bars: the span must be ${expected}, found ${found}`, {
    field: 'span', expected, found,
  })
}

/** The span of a text such as `trades=100`, `volume=5`, `turnover=100000` or `imbalance=2`; null for another form. */
export function barSpanFromText(text: string): BarSpan | null {
  const [, kind = '', value = ''] = /^(trades|volume|turnover|imbalance)=(.*)$/.exec(text) ?? []
  if (kind === '') return null
  return { [kind]: kind === 'trades' && /^\d{1,15}$/.test(value) ? Number(value) : value } as BarSpan
}
