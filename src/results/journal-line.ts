import { parseNestedJson } from '../model/nested-json.js'
import { isoFromEpochNs } from '../model/time.js'

type Fields = Readonly<Record<string, unknown>>

/** The name of an instrument by its number, as `venue:BTCUSDT`; null where it is not known. */
export type InstrumentNames = (instrumentId: unknown) => string | null

/** A line of a journal as people read it. */
export interface JournalLine {
  readonly fields: Fields
  /** ISO-8601 with nanoseconds; the time on the line's own side. */
  readonly time: string
  /** `ownOrderId` of the first order that it names; null where it names none. */
  readonly orderId: string | null
  readonly words: string
}

const WORDS_LENGTH = 200

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '?' : JSON.stringify(value)
}

function orderIdOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const { ownOrderId, currentOwnOrderId, newOwnOrderId } = value as Fields
  for (const id of [ownOrderId, currentOwnOrderId, newOwnOrderId]) if (typeof id === 'string') return id
  for (const inner of Object.values(value)) {
    const id = orderIdOf(inner)
    if (id !== null) return id
  }
  return null
}

function instrumentWords(instrumentId: unknown, nameOf: InstrumentNames): string {
  return nameOf(instrumentId) ?? `instrument ${textOf(instrumentId)}`
}

function placeWords(nameOf: InstrumentNames, { side, totalQuantity, price, type, instrumentId }: Fields): string {
  return `${textOf(type)} ${textOf(side)} ${textOf(totalQuantity)} at ` +
    `${price === undefined ? 'the market' : textOf(price)} of ${instrumentWords(instrumentId, nameOf)}`
}

function resultWords({ result, error, orderError }: Fields): string {
  const refusal = (error ?? orderError) as Fields | undefined
  if (refusal !== undefined) return `refused: ${textOf(refusal['type'])} ${textOf(refusal['message'] ?? '')}`.trimEnd()
  const report = result as Fields | undefined
  return report === undefined ? 'answered' : orderWords(report)
}

function orderWords({ state, executedQuantity, totalQuantity, price }: Fields): string {
  return `${textOf(state)}, ${textOf(executedQuantity)} of ${textOf(totalQuantity)} ` +
    `executed${price === undefined ? '' : `, price ${textOf(price)}`}`
}

const KINDS: Readonly<Record<string, (line: Fields, nameOf: InstrumentNames) => string>> = {
  place: ({ entries }, nameOf) => (
    `the request to place ${listOf(entries).map((entry) => placeWords(nameOf, entry)).join('; ')}`),
  placeResponse: ({ results }) => `the answer to place: ${listOf(results).map(resultWords).join('; ')}`,
  orderUpdate: ({ orders }) => `the order ${listOf(orders).map(orderWords).join('; ')}`,
  fill: ({ fills }) => listOf(fills).map(({ side, quantity, price, fees, addedLiquidity }) => (
    `a fill of ${textOf(side)} ${textOf(quantity)} at ${textOf(price)}, fees ${textOf(fees)}, as ` +
      (addedLiquidity === true ? 'maker' : 'taker'))).join('; '),
  positionUpdate: ({ positions }, nameOf) => listOf(positions).map(({ instrumentId, longPosition, shortPosition }) => (
    `the position of ${instrumentWords(instrumentId, nameOf)} long ${textOf(longPosition)} short ` +
      textOf(shortPosition))).join('; '),
  walletUpdate: ({ wallets }, nameOf) => listOf(wallets).map(({ underlyingId, instrumentId, cashBalance }) => (
    `the wallet of underlying ${textOf(underlyingId)}` +
      `${instrumentId === undefined ? '' : ` for ${instrumentWords(instrumentId, nameOf)}`} with ` +
      textOf(cashBalance))).join('; '),
  state: ({ instrumentId, state, text }, nameOf) =>
    `the market data of ${instrumentWords(instrumentId, nameOf)} ` +
      `${textOf(state)}${text === '' || text === undefined ? '' : `, ${JSON.stringify(text)}`}`,
  stop: ({ reason }) => `the stop of the strategy, ${JSON.stringify(reason)}`,
  log: ({ text }) => `the log line ${JSON.stringify(text)}`,
}

function wordsOf(fields: Fields, nameOf: InstrumentNames): string {
  const { kind } = fields
  const words = typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? KINDS[kind]?.(fields, nameOf) : undefined
  const response =
    typeof kind === 'string' && kind.endsWith('Response')
      ? ` ${listOf(fields['results']).map(resultWords).join('; ')}`
      : ''
  return (words ?? `${textOf(kind)}${response}`).trimEnd().slice(0, WORDS_LENGTH)
}

/** Reads a line of a journal; one that is no such line is shown as it is. */
export function journalLine(text: string, nameOf: InstrumentNames = () => null): JournalLine {
  let fields: Fields
  try {
    fields = parseNestedJson(text) as Fields
  } catch {
    return { fields: {}, time: 'an unknown time', orderId: null, words: JSON.stringify(text.slice(0, WORDS_LENGTH)) }
  }
  const { time } = fields
  const isTime = typeof time === 'string' && /^\d{1,20}$/.test(time)
  return {
    fields, time: isTime ? isoFromEpochNs(BigInt(time)) : 'an unknown time', orderId: orderIdOf(fields),
    words: wordsOf(fields, nameOf),
  }
}
