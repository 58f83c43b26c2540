import { digitsNeeded, exactText, spanText } from './exact-text.js'
import { lineWords, type OrderNames } from './journal-words.js'
import { countUpTo } from './ladder-replay.js'
import type { InstrumentColumns } from './stretch-columns.js'
import type { OrderAt, StretchReplay } from './stretch-replay.js'

/** Texts of prices and quantities of an instrument: exact, with the digits that its data need. */
export interface InstrumentText {
  readonly price: (value: number) => string
  readonly quantity: (value: number) => string
}

/** The texts of an instrument. */
export function instrumentText({ levels, trades, priceScale, quantityScale }: InstrumentColumns): InstrumentText {
  const priceDigits = Math.max(
    digitsNeeded(levels.price, priceScale), digitsNeeded(trades.price, priceScale))
  const quantityDigits = Math.max(
    digitsNeeded(levels.quantity, quantityScale), digitsNeeded(trades.quantity, quantityScale))
  return {
    price: (value) => exactText(value, priceScale, priceDigits),
    quantity: (value) => exactText(value, quantityScale, quantityDigits),
  }
}

const SHOWN = 4

const CAUSES: Readonly<Record<string, string>> = {
  trade: 'a public trade reached it',
  shown: 'the other side of the book came to its price',
  aggression: 'it took what stood in the book',
  gap: 'the run assumes so of the gap',
  forced: 'the exchange closed the position',
}

/** The events of a stretch as sentences. */
export class EventWords {
  constructor(private readonly replay: StretchReplay, private readonly texts: readonly InstrumentText[]) {}

  /** One or more sentences of an event, without its time. */
  of(event: number): string {
    const { columns } = this.replay
    switch (this.replay.kindOf(event)) {
      case 'begin': return 'The stretch begins.'
      case 'end': return 'The stretch ends.'
      case 'book': return this.#book(event)
      case 'trade': return this.#trades(event)
      case 'execution': return this.replay.fillsAt(event).map((at) => this.fill(at)).join(' ')
      case 'order': return this.#orders(event)
      default: {
        const lines = columns.lines.event
        const line = columns.lines.text[countUpTo(lines, event) - 1] ?? ''
        return `${this.#prefix(event)}${lineWords(line, orderNames(this.replay, this.texts, event))}`
      }
    }
  }

  /** An execution, its reason and its receipt. */
  fill(at: number): string {
    const { fills, orders } = this.replay.columns
    const [event, receipt] = [fills.event[at] as number, fills.receipt[at] as number]
    const number = fills.order[at] as number
    const head = orders[number]
    const text = head === undefined ? undefined : this.texts[head.instrument]
    if (head === undefined || text === undefined) return ''
    const what = `${text.quantity(fills.quantity[at] as number)} at ${text.price(fills.price[at] as number)}`
    const verb = head.side === 'BID' ? 'buys' : 'sells'
    if (event < 0) return `You receive a fill from before the stretch: your ${head.side} ${verb} ${what}.`
    const order = this.replay.orderAt(number, event)
    const ahead = fills.ahead[at] ?? null
    const queue = fills.cause[at] !== 'trade' || ahead === null
      ? ''
      : ahead === 0 ? '; nothing was ahead of it' : `; ${text.quantity(ahead)} were ahead of it before`
    const open = order === null ? 0 : order.total - order.executed
    const left = open > 0 ? ` ${text.quantity(open)} stay open.` : ' It is filled.'
    const arrival = receipt < 0
      ? ' You receive it behind the stretch.'
      : ` You receive it ${spanText(this.replay.timeNsOf(receipt) - this.replay.timeNsOf(event))} later.`
    const cause = CAUSES[fills.cause[at] ?? ''] ?? ''
    return `At the exchange your ${head.side} ${verb} ${what}: ${cause}${queue}.${left}${arrival}`
  }

  #prefix(event: number): string {
    const kind = this.replay.kindOf(event)
    if (kind === 'request') return 'You send: '
    return kind === 'answer' || kind === 'receipt' ? 'You receive: ' : ''
  }

  #text(event: number): InstrumentText | undefined {
    return this.texts[this.replay.columns.events.instrument[event] as number]
  }

  #book(event: number): string {
    const instrument = this.replay.columns.events.instrument[event] as number
    const text = this.#text(event)
    if (text === undefined) return ''
    const changes = this.replay.ladders[instrument]?.changes(event) ?? []
    if (changes.length === 0) return this.#queues(event) || 'The state of the market data changes.'
    const words = changes.slice(0, SHOWN).map(({ isBid, price, before, after }) => (
      `${isBid ? 'bid' : 'ask'} ${text.price(price)}: ${text.quantity(before)} → ${text.quantity(after)}`))
    return `Book: ${words.join(', ')}${more(changes.length)}.${this.#queues(event)}`
  }

  /** Own orders whose place in the queue an event changed. */
  #queues(event: number): string {
    const moved = this.replay.orders(event).filter(({ changed, isOver, ahead }) => (
      changed === event && !isOver && ahead !== null))
    if (moved.length === 0) return ''
    const words = moved.slice(0, SHOWN).map((order) => {
      const text = this.texts[order.instrument]
      return `${this.#order(order)}: ${text?.quantity(order.ahead ?? 0) ?? ''} ahead`
    })
    return ` Queue of your ${words.join(', ')}${more(moved.length)}.`
  }

  #order({ side, price, instrument }: OrderAt): string {
    return price === null ? side : `${side} ${this.texts[instrument]?.price(price) ?? ''}`
  }

  #trades(event: number): string {
    const { columns } = this.replay
    const instrument = columns.events.instrument[event] as number
    const text = this.#text(event)
    if (text === undefined) return ''
    const trades = this.replay.trades(instrument, event, 1000).filter((one) => one.event === event).reverse()
    const words = trades.slice(0, SHOWN).map(({ isBuy, price, quantity }) => (
      `a ${isBuy ? 'buyer' : 'seller'} takes ${text.quantity(quantity)} at ${text.price(price)}`))
    return `Public trade: ${words.join(', ')}${more(trades.length)}.${this.#queues(event)}`
  }

  #orders(event: number): string {
    const changed = this.replay.orders(event).filter((order) => order.changed === event)
    return changed.map((order) => {
      const text = this.texts[order.instrument]
      const open = text?.quantity(order.total - order.executed) ?? ''
      const queue = order.isOver || order.ahead === null ? '' : `, ${text?.quantity(order.ahead) ?? ''} ahead of it`
      return `At the exchange your ${this.#order(order)} is ${order.state}, ${open} open${queue}.`
    }).join(' ')
  }
}

/** Names of own orders as they stand at an event. */
export function orderNames(replay: StretchReplay, texts: readonly InstrumentText[], event: number): OrderNames {
  return (account, ownOrderId) => {
    const order = replay.orderAt(replay.orderNumber(account, ownOrderId), event)
    if (order === null) return ''
    const price = order.price === null ? '' : ` ${texts[order.instrument]?.price(order.price) ?? ''}`
    return `${order.side}${price}`
  }
}

function more(count: number): string {
  return count > SHOWN ? ` and ${count - SHOWN} more` : ''
}
