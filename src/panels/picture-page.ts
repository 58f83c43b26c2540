import { element } from './element-page.js'
import { clockText } from './exact-text.js'
import type { InstrumentText } from './event-words.js'
import { countUpTo } from './ladder-replay.js'
import type { StretchReplay } from './stretch-replay.js'

const MARGIN = 4
const LABELS = 16

/** Where instants and prices lie in a picture; doubles, as of any picture. */
interface Frame {
  readonly fromNs: number
  readonly toNs: number
  readonly x: (timeNs: number) => number
  readonly y: (price: number) => number
}

/**
 * The best prices of a span of the stretch, own orders as lines at their prices, own fills as triangles, and the
 * cursor. Of each column of pixels the least and the greatest price are drawn, so that nothing is lost.
 */
export class PricePicture {
  readonly root: HTMLElement
  readonly #canvas: HTMLCanvasElement = element('canvas', { attributes: { role: 'img' } })
  readonly #note: HTMLElement = element('span', { class: 'soft num' })
  #spanNs: readonly [fromNs: number, toNs: number] = [0, 1]

  constructor(
    private readonly replay: StretchReplay, private readonly texts: readonly InstrumentText[], title: string,
    private readonly aroundNs: number | null, onTime: (timeNs: number) => void,
  ) {
    const legend = element('span', { class: 'legend' }, [
      element('span', { class: 'bid', text: 'bid' }), ' ', element('span', { class: 'ask', text: 'ask' }), ' ',
      element('span', { class: 'own', text: aroundNs === null ? '▲▼ own fills' : '▲▼ fills ━ orders' }),
      ...(aroundNs === null ? [] : [' • trades']),
    ])
    this.root = element('section', { class: 'panel' }, [
      element('div', { class: 'title' }, [element('h2', { text: title }), legend, this.#note]), this.#canvas,
    ])
    this.#canvas.setAttribute('aria-label', title)
    this.#canvas.addEventListener('click', ({ offsetX }) => {
      const [fromNs, toNs] = this.#spanNs
      onTime(Math.round(fromNs + (offsetX / Math.max(1, this.#canvas.clientWidth)) * (toNs - fromNs)))
    })
  }

  show(event: number, instrument: number): void {
    const { replay } = this
    const nowNs = replay.timeNsOf(event)
    const lastNs = replay.timeNsOf(replay.count - 1)
    const fromNs = this.aroundNs === null ? 0 : Math.max(0, Math.min(nowNs - this.aroundNs, lastNs - 2 * this.aroundNs))
    const toNs = this.aroundNs === null ? lastNs : Math.min(lastNs, fromNs + 2 * this.aroundNs)
    this.#spanNs = [fromNs, Math.max(toNs, fromNs + 1)]
    this.#draw(nowNs, instrument)
  }

  #draw(nowNs: number, instrument: number): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const pen = this.#canvas.getContext('2d')
    const text = this.texts[instrument]
    if (pen === null || text === undefined || width === 0) return
    const ratio = globalThis.devicePixelRatio
    this.#canvas.width = Math.round(width * ratio)
    this.#canvas.height = Math.round(height * ratio)
    pen.scale(ratio, ratio)
    const [fromNs, toNs] = this.#spanNs
    const [least, most] = this.#bounds(instrument)
    const { fromEpochNs } = this.replay.columns
    const left = clockText(fromEpochNs, fromNs).slice(0, 12)
    this.#note.textContent = Number.isNaN(least)
      ? 'no prices' : `${left} to ${clockText(fromEpochNs, toNs).slice(0, 12)} UTC`
    if (Number.isNaN(least)) return
    const tall = height - 2 * MARGIN
    const frame: Frame = {
      fromNs, toNs,
      x: (timeNs) => ((timeNs - fromNs) / (toNs - fromNs)) * width,
      y: (price) => MARGIN + (1 - (price - least) / Math.max(1, most - least)) * tall,
    }
    const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name)
    this.#touch(pen, frame, instrument, { bid: colour('--bid'), ask: colour('--ask') }, width)
    if (this.aroundNs !== null) {
      this.#orders(pen, frame, instrument, colour('--own'))
      this.#trades(pen, frame, instrument, { bid: colour('--bid'), ask: colour('--ask') })
    }
    this.#fills(pen, frame, instrument, colour('--own'), colour('--panel'))
    pen.fillStyle = colour('--text')
    pen.fillRect(Math.min(width - 1, frame.x(nowNs)), 0, 1.5, height)
    pen.font = '11px ui-monospace, monospace'
    for (const [label, y] of [[text.price(most), MARGIN + LABELS / 2], [text.price(least), height - MARGIN]] as const) {
      pen.fillStyle = colour('--panel')
      pen.fillRect(0, y - 10, pen.measureText(label).width + 6, 13)
      pen.fillStyle = colour('--faint')
      pen.fillText(label, 2, y)
    }
  }

  /** The least and the greatest best price in the span. */
  #bounds(instrument: number): readonly [least: number, most: number] {
    const [fromNs, toNs] = this.#spanNs
    const touch = this.replay.ladders[instrument]?.touch
    let [least, most] = [NaN, NaN]
    const take = (price: number): void => {
      if (Number.isNaN(price)) return
      if (!(price >= least)) least = price
      if (!(price <= most)) most = price
    }
    if (touch === undefined) return [least, most]
    const first = Math.max(0, countUpTo(touch.event, this.replay.eventAt(fromNs)) - 1)
    const end = countUpTo(touch.event, this.replay.eventAt(toNs))
    for (let at = first; at < end; at++) {
      take(touch.bid[at] as number)
      take(touch.ask[at] as number)
    }
    return [least, most]
  }

  #touch(
    pen: CanvasRenderingContext2D, frame: Frame, instrument: number,
    colours: { readonly bid: string; readonly ask: string }, width: number,
  ): void {
    const touch = this.replay.ladders[instrument]?.touch
    if (touch === undefined) return
    const first = Math.max(0, countUpTo(touch.event, this.replay.eventAt(frame.fromNs)) - 1)
    const end = countUpTo(touch.event, this.replay.eventAt(frame.toNs))
    for (const side of ['bid', 'ask'] as const) {
      pen.strokeStyle = colours[side]
      pen.lineWidth = 1.2
      pen.beginPath()
      let last = NaN
      for (let at = first; at < end; at++) {
        const price = touch[side][at] as number
        const x = Math.max(0, frame.x(this.replay.timeNsOf(touch.event[at] as number)))
        if (!Number.isNaN(price)) {
          if (Number.isNaN(last)) pen.moveTo(x, frame.y(price))
          else pen.lineTo(x, frame.y(last))
          pen.lineTo(x, frame.y(price))
        }
        last = price
      }
      if (!Number.isNaN(last)) pen.lineTo(width, frame.y(last))
      pen.stroke()
    }
  }

  #orders(pen: CanvasRenderingContext2D, frame: Frame, instrument: number, colour: string): void {
    const { orderRows, orders } = this.replay.columns
    pen.strokeStyle = colour
    pen.globalAlpha = 0.45
    pen.lineWidth = 2
    pen.beginPath()
    for (const [row, number] of orderRows.order.entries()) {
      const price = orderRows.price[row] ?? null
      if (orders[number]?.instrument !== instrument || price === null || orderRows.state[row] !== 'CONFIRMED') continue
      const fromNs = this.replay.timeNsOf(orderRows.event[row] as number)
      const toNs = this.replay.timeNsOf(this.replay.endOf(number))
      if (toNs < frame.fromNs || fromNs > frame.toNs) continue
      // One line an order and price: later rows of the same lie on it.
      if (row > 0 && orderRows.order[row - 1] === number && orderRows.price[row - 1] === price) continue
      pen.moveTo(Math.max(0, frame.x(fromNs)), frame.y(price))
      pen.lineTo(frame.x(Math.min(toNs, frame.toNs)), frame.y(price))
    }
    pen.stroke()
    pen.globalAlpha = 1
  }

  /** Public trades as dots, coloured by who took. */
  #trades(
    pen: CanvasRenderingContext2D, frame: Frame, instrument: number,
    colours: { readonly bid: string; readonly ask: string },
  ): void {
    const trades = this.replay.columns.instruments[instrument]?.trades
    if (trades === undefined) return
    const end = countUpTo(trades.event, this.replay.eventAt(frame.toNs))
    for (let row = countUpTo(trades.event, this.replay.eventAt(frame.fromNs) - 1); row < end; row++) {
      const x = frame.x(trades.timeNs?.[row] ?? this.replay.timeNsOf(trades.event[row] as number))
      pen.fillStyle = trades.side[row] === 0 ? colours.bid : colours.ask
      pen.beginPath()
      pen.arc(x, frame.y(trades.price[row] as number), 2, 0, 2 * Math.PI)
      pen.fill()
    }
  }

  #fills(pen: CanvasRenderingContext2D, frame: Frame, instrument: number, colour: string, edge: string): void {
    const { fills, orders } = this.replay.columns
    const size = this.aroundNs === null ? 2.5 : 4.5
    let count = 0
    for (const [at, number] of fills.order.entries()) {
      const order = orders[number]
      const event = fills.event[at] as number
      if (order?.instrument !== instrument || event < 0) continue
      const timeNs = this.replay.timeNsOf(event)
      if (timeNs < frame.fromNs || timeNs > frame.toNs) continue
      const [x, y] = [frame.x(timeNs), frame.y(fills.price[at] as number)]
      const up = order.side === 'BID' ? 1 : -1
      pen.beginPath()
      pen.moveTo(x, y)
      pen.lineTo(x - size, y + 2 * size * up)
      pen.lineTo(x + size, y + 2 * size * up)
      pen.closePath()
      pen.fillStyle = colour
      pen.strokeStyle = edge
      pen.lineWidth = 1
      pen.fill()
      pen.stroke()
      count++
    }
    this.#canvas.dataset['fills'] = String(count)
  }
}
