import { element, tableHead, tableRow } from './element-page.js'
import { clockText } from './exact-text.js'
import { orderNames, type InstrumentText } from './event-words.js'
import { lineFacts, lineWords } from './journal-words.js'
import type { OrderAt, StretchReplay } from './stretch-replay.js'

const TRADES = 60
const FILLS = 40
const LINES = 80

/** A part of the page: what it shows at an event of an instrument. */
export interface Panel {
  readonly root: HTMLElement
  show(event: number, instrument: number): void
}

/** All that panels need to show a stretch, and what happens when somebody chooses an event in them. */
export interface PanelSetting {
  readonly replay: StretchReplay
  readonly texts: readonly InstrumentText[]
  readonly onEvent: (event: number) => void
}

/** A panel with a table that scrolls. */
function tablePanel(title: string, heads: readonly string[], className = ''): {
  readonly root: HTMLElement
  readonly body: HTMLTableSectionElement
  readonly note: HTMLElement
} {
  const [body, note] = [element('tbody'), element('span', { class: 'soft num' })]
  const table = element('table', { class: 'rows' }, [tableHead(heads), body])
  const root = element('section', { class: `panel ${className}`, attributes: { 'aria-label': title } }, [
    element('div', { class: 'title' }, [element('h2', { text: title }), note]),
    element('div', { class: 'scroll', attributes: { tabindex: '0' } }, [table]),
  ])
  return { root, body, note }
}

const sideClass = (isBid: boolean): string => (isBid ? 'bid' : 'ask')

/** Own orders: open ones with their place in the queue, and the last ones that are over. */
export function ordersPanel(
  { replay, texts, onEvent }: PanelSetting, title = 'Own orders, as the exchange has them',
): Panel {
  const heads = ['order', 'price', 'open of', 'ahead', '', 'state', 'since']
  const { root, body, note } = tablePanel(title, heads)
  const row = (order: OrderAt, event: number): HTMLTableRowElement => {
    const { instrument, side, price, total, executed, ahead, state, first, changed, isOver, ownOrderId, type } = order
    const text = texts[instrument]
    const names = replay.columns.instruments.length > 1 ? ` ${replay.columns.instruments[instrument]?.name ?? ''}` : ''
    return tableRow([
      [`${side}${names}`, `left ${sideClass(side === 'BID')}`], price === null ? type : (text?.price(price) ?? ''),
      `${text?.quantity(total - executed) ?? ''} of ${text?.quantity(total) ?? ''}`,
      ahead === null ? '' : (text?.quantity(ahead) ?? ''), meterOf(order, event, replay), state,
      clockText(replay.columns.fromEpochNs, replay.timeNsOf(first)).slice(0, 12),
    ], {
      class: `link${isOver ? ' past' : ''}${changed === event ? ' hit' : ''}`, title: `${type} ${ownOrderId}`,
      onClick: () => { onEvent(changed) },
    })
  }
  return {
    root,
    show: (event, instrument) => {
      const orders = replay.orders(event)
      body.replaceChildren(...orders.map((order) => row(order, event)))
      const held = replay.positions(instrument, event).map(({ account, quantity }) => `${account} ${quantity}`)
      note.textContent = held.length === 0 ? 'no position' : `position: ${held.join(', ')}`
    },
  }
}

/** The part of the level in front of an order that is ahead of it, as a bar; nothing where the level is not shown. */
function meterOf({ ahead, price, side, instrument, isOver }: OrderAt, event: number, replay: StretchReplay): Node {
  const ladder = replay.ladders[instrument]?.at(event)
  const levels = side === 'BID' ? ladder?.bids : ladder?.asks
  const at = levels?.prices.indexOf(price ?? NaN) ?? -1
  const quantity = levels?.quantities[at] ?? 0
  if (ahead === null || isOver || quantity <= 0) return element('span')
  const share = Math.max(0, Math.min(1, ahead / quantity))
  const bar = element('i')
  bar.style.width = `${String(Math.round(share * 100))}%`
  const percent = `${String(Math.round(share * 100))} % of the level is ahead`
  return element('span', { class: 'meter', title: percent, attributes: { role: 'img', 'aria-label': percent } }, [bar])
}

/** Own fills up to the event, newest first. */
export function fillsPanel({ replay, texts, onEvent }: PanelSetting, title = 'Own fills'): Panel {
  const heads = ['executed', 'side', 'price', 'quantity', 'cause', 'ahead before', 'fee']
  const { root, body, note } = tablePanel(title, heads)
  const { fills, orders, fromEpochNs } = replay.columns
  return {
    root,
    show: (event) => {
      note.textContent = `${String(replay.countOf('fill'))} events in the stretch`
      body.replaceChildren(...replay.fills(event, FILLS).map((at) => {
        const order = orders[fills.order[at] as number]
        const text = texts[order?.instrument ?? 0]
        const [executed, receipt] = [fills.event[at] as number, fills.receipt[at] as number]
        const shown = executed < 0 ? receipt : executed
        const ahead = fills.ahead[at] ?? null
        return tableRow([
          executed < 0 ? 'before' : clockText(fromEpochNs, replay.timeNsOf(executed)),
          [order?.side ?? '', sideClass(order?.side === 'BID')], text?.price(fills.price[at] as number) ?? '',
          text?.quantity(fills.quantity[at] as number) ?? '', fills.cause[at] ?? '',
          ahead === null ? '' : (text?.quantity(ahead) ?? ''), fills.fee[at] ?? '',
        ], { class: `link${shown === event || receipt === event ? ' hit' : ''}`, onClick: () => { onEvent(shown) } })
      }))
    },
  }
}

/** Public trades of the instrument up to the event, newest first. */
export function tradesPanel(
  { replay, texts, onEvent }: PanelSetting, title = 'Trades, as the strategy received them',
): Panel {
  const heads = ['time', 'taker', 'price', 'quantity']
  const { root, body, note } = tablePanel(title, heads, 'trades-panel')
  return {
    root,
    show: (event, instrument) => {
      const text = texts[instrument]
      const { instruments, fromEpochNs } = replay.columns
      note.textContent = instruments[instrument]?.name ?? ''
      body.replaceChildren(...replay.trades(instrument, event, TRADES).map((trade) => tableRow([
        clockText(fromEpochNs, trade.timeNs),
        [trade.isBuy ? 'buys' : 'sells', sideClass(trade.isBuy)],
        [text?.price(trade.price) ?? '', sideClass(trade.isBuy)], text?.quantity(trade.quantity) ?? '',
      ], { class: `link${trade.event === event ? ' hit' : ''}`, onClick: () => { onEvent(trade.event) } })))
    },
  }
}

/** Lines of the journal up to the event, newest first: in words, and as they stand. A search looks at both. */
export function journalPanel({ replay, texts }: PanelSetting): Panel {
  const list = element('ol')
  const search = element('input', {
    class: 'search', attributes: { type: 'search', placeholder: 'search', 'aria-label': 'search the journal' },
  })
  let shown = 0
  const { lines } = replay.columns
  const root = element('section', { class: 'panel journal', attributes: { 'aria-label': 'Journal' } }, [
    element('div', { class: 'title' }, [
      element('h2', { text: 'Journal' }),
      element('span', { class: 'soft', text: 'newest first; a click shows the whole line' }), search,
    ]),
    element('div', { class: 'scroll', attributes: { tabindex: '0' } }, [list]),
  ])
  const panel: Panel = {
    root,
    show: (event) => {
      shown = event
      const names = orderNames(replay, texts, event)
      const wanted = search.value.trim().toLowerCase()
      const found = wanted === '' ? replay.lines(event, LINES) : []
      for (const at of wanted === '' ? [] : replay.lines(event, Infinity)) {
        if (found.length === LINES) break
        const text = lines.text[at] ?? ''
        if (text.toLowerCase().includes(wanted) || lineWords(text, names).toLowerCase().includes(wanted)) found.push(at)
      }
      list.replaceChildren(...found.map((at) => {
        const text = lines.text[at] ?? ''
        const own = lines.event[at] as number
        return element('li', { class: own === event ? 'hit' : '' }, [
          element('details', {}, [
            element('summary', {}, [
              element('time', { text: clockText(String(lineFacts(text).timeEpochNs), 0) }),
              element('span', {
                text: lineWords(text, names), class: /"kind":"(?:fill|place)"/.test(text) ? 'own' : '',
              }),
            ]),
            element('pre', { text }),
          ]),
        ])
      }))
    },
  }
  search.addEventListener('input', () => { panel.show(shown, 0) })
  return panel
}
