import type { StretchEvent } from './stretch-columns.js'

/** Facts of a line of a journal, for a stretch. */
export interface LineFacts {
  readonly event: StretchEvent
  /** True where its time is the strategy's, false where it is the exchange's. */
  readonly isLocal: boolean
  readonly timeEpochNs: bigint
  /** Null where it names none. */
  readonly instrumentId: number | null
  /** Empty where it names none. */
  readonly account: string
  /** The first order that it names; null where it names none. */
  readonly ownOrderId: string | null
}

const EVENTS: Readonly<Record<string, StretchEvent>> = {
  place: 'request', amend: 'request', replace: 'request', cancel: 'request', cancelAll: 'request',
  placeResponse: 'answer', amendResponse: 'answer', replaceResponse: 'answer', cancelResponse: 'answer',
  cancelAllResponse: 'answer', orderUpdate: 'answer', fill: 'receipt', log: 'log',
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A line as its fields; none where it is no JSON object. */
function lineFields(line: string): Fields {
  try {
    const value = JSON.parse(line) as unknown
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

/** A field as a text; empty where it is neither text nor number. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** The rows of a line: entries of a request, results, orders, fills, positions, wallets. */
function rowsOf(fields: Fields): readonly Fields[] {
  for (const name of ['entries', 'results', 'orders', 'fills', 'positions', 'wallets']) {
    const { [name]: rows } = fields
    if (Array.isArray(rows)) return rows.filter(isFields)
  }
  return []
}

/** The facts of a line of a journal, as the run writes it. */
export function lineFacts(line: string): LineFacts {
  const fields = lineFields(line)
  const [row = {}] = rowsOf(fields)
  const report = isFields(row['result']) ? row['result'] : {}
  const instrumentId = [fields, row, report].map((one) => one['instrumentId']).find((id) => typeof id === 'number')
  const time = textOf(fields['time'])
  return {
    event: EVENTS[textOf(fields['kind'])] ?? 'other',
    isLocal: fields['side'] !== 'exchange',
    timeEpochNs: /^-?\d+$/.test(time) ? BigInt(time) : 0n,
    instrumentId: instrumentId ?? null,
    account: textOf(fields['account']),
    ownOrderId: typeof row['ownOrderId'] === 'string' ? row['ownOrderId'] : null,
  }
}

/** Names an order by its own id: `BID 1.1074`; empty where it is not known. */
export type OrderNames = (account: string, ownOrderId: string) => string

/**
 * A line in words: its kind and what it says, without ids, times and what is usual. One line of text, at most 400
 * characters.
 */
export function lineWords(line: string, names: OrderNames = () => ''): string {
  const fields = lineFields(line)
  const kind = textOf(fields['kind'])
  const words = kind === 'log' ? textOf(fields['text']) : [kind, ...partsOf(fields, names)].filter(Boolean).join(' ')
  const whole = words === '' ? line : words
  return (whole.length > 400 ? `${whole.slice(0, 399)}…` : whole).replace(/\s+/g, ' ')
}

function partsOf(fields: Fields, names: OrderNames): string[] {
  const rows = rowsOf(fields)
  const account = textOf(fields['account'])
  const nameOf = (row: Fields): string => names(account, textOf(row['ownOrderId']))
  if (rows.length > 0) return [rows.map((row) => rowWords(row, nameOf(row))).join('; ')]
  return [rowWords(fields, '')]
}

/** Fields that say where a line belongs, which stands elsewhere. */
const PASSED = /^(?:kind|seq|side|time|client|account|.*[iI]d|.*Timestamp.*|.*TimeNs|usd.*|fxRate|update|entries)$/
/** Values that most orders have. */
const USUAL: Readonly<Record<string, string>> = {
  type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL', executedQuantity: '0',
}

function rowWords(row: Fields, name: string): string {
  const { result, error } = row
  if (isFields(error)) return [name, `refused: ${textOf(error['type'])} ${textOf(error['message'])}`].join(' ').trim()
  const own = orderWords(row)
  if (isFields(result)) return `${orderWords(result) || name} accepted${rest(result)}`.trim()
  return (own === '' ? name : own).concat(rest(row)).trim()
}

/** `BID 100 @ 1.1077`. */
function orderWords(row: Fields): string {
  const [side, quantity] = [textOf(row['side']), textOf(row['totalQuantity'] ?? row['quantity'])]
  const price = textOf(row['price'])
  if (quantity === '') return ''
  return [/^(?:BID|ASK)$/.test(side) ? side : '', quantity, price === '' ? '' : `@ ${price}`].filter(Boolean).join(' ')
}

function rest(row: Fields): string {
  const isOrder = orderWords(row) !== ''
  const parts = Object.entries(row).flatMap(([name, value]) => {
    if (PASSED.test(name) || (isOrder && /^(?:side|totalQuantity|quantity|price)$/.test(name))) return []
    if (typeof value === 'boolean') return value ? [name] : []
    const text = textOf(value)
    if (text === '' || USUAL[name] === text) return []
    return /^(?:state|type|timeInForce|text|reason)$/.test(name) ? [text] : [`${name} ${text}`]
  })
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`
}
