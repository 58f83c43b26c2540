import { parseNestedJson } from '../../model/nested-json.js'

/** One execution of an order as its client received it. */
export interface TrackedFill {
  /** Exact decimal texts. */
  readonly price: string
  readonly quantity: string
  readonly isMaker: boolean
  /** When its message was received, epoch nanoseconds. */
  readonly time: bigint
  /** When it happened at the exchange; null where it is not stated. */
  readonly exchangeTime: bigint | null
  readonly fees: string | null
  readonly feeUnderlyingId: number | null
}

/** One order of a run, out of the lines of its journal. */
export interface OrderTrack {
  readonly account: string
  /** Its place among the orders of its account, from 1: own ids are made in that order. */
  readonly number: number
  readonly ownOrderId: string
  /** The order in whose place it was put; null for one of its own. */
  readonly replaces: string | null
  instrumentId: number | null
  /** `LIMIT BID 50 at 2649.65`, as it was sent. */
  terms: string
  side: string
  /** Epoch nanoseconds. */
  readonly sent: bigint
  /** The first answer; `refusal` is its reason. */
  answer: { readonly time: bigint; readonly refusal: string | null } | null
  /** By their ids, in the order in which they came. */
  readonly fills: Map<string, TrackedFill>
}

type Fields = Readonly<Record<string, unknown>>

const KIND = /"kind":"(place|replace|placeResponse|replaceResponse|fill)"/
const TIME = /"time":"(\d{1,20})"/

/** The orders of a journal, line by line. Lines of the exchange's side are passed. */
export class OrderTracks {
  readonly orders: OrderTrack[] = []
  /** Times of the first and the last line, epoch nanoseconds; null before. */
  first: bigint | null = null
  last: bigint | null = null
  /** Fills of orders that the journal does not send: of other clients, or of before. */
  foreignFillCount = 0
  lineCount = 0
  readonly #byId: Map<string, OrderTrack> = new Map()
  readonly #counts: Map<string, number> = new Map()

  /** Takes a line. Throws a SyntaxError for what is no line of a journal. */
  line(text: string): void {
    this.lineCount++
    const [, time] = TIME.exec(text) ?? []
    if (time === undefined || !text.startsWith('{')) throw new SyntaxError('a line without a time')
    this.last = BigInt(time)
    this.first ??= this.last
    if (!KIND.test(text)) return
    const fields = parseNestedJson(text) as Fields
    if (fields['side'] !== 'local') return
    const now = BigInt(textOf(fields['time']))
    const account = textOf(fields['account'])
    if (fields['kind'] === 'place') for (const entry of listOf(fields['entries'])) this.#sent(account, now, entry)
    else if (fields['kind'] === 'replace')
      for (const entry of listOf(fields['entries'])) this.#replaced(account, now, entry)
    else if (fields['kind'] === 'fill') for (const fill of listOf(fields['fills'])) this.#filled(account, now, fill)
    else for (const result of listOf(fields['results'])) this.#answered(account, now, result)
  }

  #sent(account: string, sent: bigint, entry: Fields): void {
    const { instrumentId, side, type, totalQuantity, price } = entry
    this.#add(account, {
      ownOrderId: textOf(entry['ownOrderId']), replaces: null, instrumentId: Number(instrumentId), side: textOf(side),
      sent, terms: termsText(textOf(type), textOf(side), totalQuantity, price),
    })
  }

  #replaced(account: string, sent: bigint, entry: Fields): void {
    const { currentOwnOrderId, newOwnOrderId, totalQuantity, price } = entry
    const before = this.#byId.get(keyOf(account, textOf(currentOwnOrderId)))
    const side = before?.side ?? ''
    this.#add(account, {
      ownOrderId: textOf(newOwnOrderId), replaces: textOf(currentOwnOrderId),
      instrumentId: before?.instrumentId ?? null, side, sent,
      terms: termsText('replacement', side, totalQuantity, price),
    })
  }

  #add(account: string, parts: Omit<OrderTrack, 'account' | 'number' | 'answer' | 'fills'>): void {
    const number = (this.#counts.get(account) ?? 0) + 1
    this.#counts.set(account, number)
    const order = { account, number, ...parts, answer: null, fills: new Map<string, TrackedFill>() }
    this.orders.push(order)
    this.#byId.set(keyOf(account, parts.ownOrderId), order)
  }

  #answered(account: string, time: bigint, result: Fields): void {
    const order = this.#byId.get(keyOf(account, textOf(result['newOwnOrderId'] ?? result['ownOrderId'])))
    if (order === undefined || order.answer !== null) return
    const error = (result['error'] ?? result['orderError']) as Fields | undefined
    const refusal = error === undefined ? null : `${textOf(error['type'])} ${textOf(error['message'])}`.trim()
    order.answer = { time, refusal }
  }

  /** A fill whose fees come later is the same fill with them. */
  #filled(account: string, time: bigint, fill: Fields): void {
    const order = this.#byId.get(keyOf(account, textOf(fill['ownOrderId'])))
    if (order === undefined) {
      if (fill['update'] !== true) this.foreignFillCount++
      return
    }
    const { price, quantity, fees, feeUnderlyingId, exchangeTimestampNs: exchangeTime } = fill
    const id = textOf(fill['ownFillId'] ?? fill['exchangeTradeId'] ?? String(order.fills.size))
    const earlier = order.fills.get(id)
    order.fills.set(id, {
      price: textOf(price), quantity: textOf(quantity), isMaker: fill['addedLiquidity'] === true,
      time: earlier?.time ?? time, exchangeTime: typeof exchangeTime === 'string' ? BigInt(exchangeTime) : null,
      fees: fees === undefined ? null : textOf(fees),
      feeUnderlyingId: typeof feeUnderlyingId === 'number' ? feeUnderlyingId : null,
    })
  }
}

function keyOf(account: string, id: string): string {
  return `${account} ${id}`
}

function termsText(type: string, side: string, quantity: unknown, price: unknown): string {
  const at = price === undefined || price === null ? 'the market' : textOf(price)
  return `${type} ${side} ${textOf(quantity)} at ${at}`
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
}
