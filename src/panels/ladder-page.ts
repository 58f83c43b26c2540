import { element } from './element-page.js'
import type { InstrumentText } from './event-words.js'
import type { OrderAt, StretchReplay } from './stretch-replay.js'

/** The book of an instrument as the strategy received it, with own orders and their places in the queue. */
export class LadderPanel {
  readonly root: HTMLElement
  readonly #body: HTMLTableSectionElement = element('tbody')
  readonly #note: HTMLElement = element('span', { class: 'soft' })

  constructor(
    private readonly replay: StretchReplay, private readonly texts: readonly InstrumentText[],
    title = 'Book, as the strategy received it',
  ) {
    const head = ['yours', 'bid', 'price', 'ask', 'yours'].map((text, at) => (
      element('th', { text, class: at > 2 ? 'asked' : '', attributes: { scope: 'col' } })))
    this.root = element('section', { class: 'panel ladder-panel', attributes: { 'aria-label': 'Book' } }, [
      element('div', { class: 'title' }, [element('h2', { text: title }), this.#note]),
      element('table', { class: 'ladder' }, [element('thead', {}, [element('tr', {}, head)]), this.#body]),
    ])
  }

  show(event: number, instrument: number): void {
    const [ladder, text] = [this.replay.ladders[instrument], this.texts[instrument]]
    const columns = this.replay.columns.instruments[instrument]
    if (ladder === undefined || text === undefined || columns === undefined) return
    const changed = new Set(ladder.changes(event).map(({ price }) => price))
    for (const trade of this.replay.trades(instrument, event, 100)) if (trade.event === event) changed.add(trade.price)
    // An order that is over in this very event still shows where it was.
    const own = this.replay.orders(event, 50).filter((order) => (
      order.instrument === instrument && (!order.isOver || order.changed === event)))
    const executed = new Map<number, number>()
    const { fills } = this.replay.columns
    for (const at of this.replay.fillsAt(event)) {
      const number = fills.order[at] as number
      executed.set(number, (executed.get(number) ?? 0) + (fills.quantity[at] as number))
    }
    for (const { number, price } of own) if (executed.has(number) && price !== null) changed.add(price)
    const { bids, asks } = ladder.at(event)
    const most = Math.max(1, ...bids.quantities, ...asks.quantities)
    const rows: HTMLTableRowElement[] = []
    const side = (isBid: boolean): HTMLTableRowElement[] => {
      const { prices, quantities } = isBid ? bids : asks
      const mine = new Map<number, OrderAt[]>()
      for (const order of own)
        if ((order.side === 'BID') === isBid && order.price !== null)
          mine.set(order.price, [...(mine.get(order.price) ?? []), order])
      const all = [...new Set([...prices, ...mine.keys()])].sort((a, b) => b - a)
      return all.map((price) => {
        const at = prices.indexOf(price)
        const quantity = at < 0 ? 0 : (quantities[at] as number)
        const orders = mine.get(price) ?? []
        return this.#row({ isBid, price, quantity, most, text, orders, executed }, changed.has(price))
      })
    }
    rows.push(...side(false), this.#gap(bids.prices[0], asks.prices[0], text), ...side(true))
    this.#body.replaceChildren(...rows)
    const state = this.replay.stateOf(instrument, event)
    this.#note.textContent = `${columns.name}${state === '' || state === 'READY' ? '' : `, ${state}`}`
    this.#note.className = state === 'ERROR' ? 'error' : 'soft'
  }

  #gap(bid: number | undefined, ask: number | undefined, text: InstrumentText): HTMLTableRowElement {
    const words = bid === undefined || ask === undefined ? 'one side is empty' : `spread ${text.price(ask - bid)}`
    return element('tr', { class: 'gap' }, [element('td', { text: words, attributes: { colspan: '5' } })])
  }

  #row(
    { isBid, price, quantity, most, text, orders, executed }: {
      readonly isBid: boolean
      readonly price: number
      readonly quantity: number
      readonly most: number
      readonly text: InstrumentText
      readonly orders: readonly OrderAt[]
      readonly executed: ReadonlyMap<number, number>
    }, isHit: boolean,
  ): HTMLTableRowElement {
    const size = element('td', { class: isBid ? 'size bid' : 'size ask asked' })
    if (quantity > 0) {
      const bar = element('i', { class: `fill ${isBid ? 'b' : 'a'}` })
      bar.style.width = `${String(Math.round((quantity / most) * 100))}%`
      size.append(bar, element('span', { text: text.quantity(quantity) }))
    }
    const words = orders.map((order) => orderPlace(order, executed.get(order.number) ?? 0, text)).join('; ')
    const isFilled = orders.some(({ number }) => executed.has(number))
    const name = `mine${isBid ? '' : ' asked'}${words === '' ? '' : ' has'}${isFilled ? ' filled' : ''}`
    const mine = element('td', { class: name, text: words })
    const empty = (name = ''): HTMLElement => element('td', { class: name })
    const cells = isBid
      ? [mine, size, element('td', { class: 'price bid', text: text.price(price) }), empty(), empty('mine')]
      : [empty('mine'), empty(), element('td', { class: 'price ask', text: text.price(price) }), size, mine]
    return element('tr', { class: isHit ? 'hit' : '' }, cells)
  }
}

/** `100, 64.3 ahead`: the open quantity of an order and its place in the queue, or what has just become of it. */
function orderPlace(
  { state, total, executed, ahead, isOver }: OrderAt, filled: number, text: InstrumentText,
): string {
  if (filled > 0) {
    const left = isOver ? '' : `, ${text.quantity(total - executed)} left`
    return `fills ${text.quantity(filled)}${left}`
  }
  if (isOver) return state
  const open = text.quantity(total - executed)
  if (state === 'SENT') return `${open} on its way`
  if (state === 'WAITING') return `${open} waits for its trigger`
  return ahead === null ? open : `${open}, ${text.quantity(ahead)} ahead`
}
