import { element, tableHead, tableRow } from '../../panels/element-page.js'
import type { SeriesColumns } from '../../panels/reduced-series.js'

/** Rows of the table beside a line. */
const TABLE_ROWS = 60
const MARGIN = 4

/** The colours of the page by their names: `--bid`. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name)
}

/** A line over time as a picture, and as a table below it. Of each column of pixels nothing is lost. */
export class LinePicture {
  readonly root: HTMLElement
  readonly #canvas: HTMLCanvasElement = element('canvas', { attributes: { role: 'img' } })
  readonly #note: HTMLElement = element('span', { class: 'soft num' })
  readonly #table: HTMLTableSectionElement = element('tbody')
  readonly #details: HTMLDetailsElement

  constructor(
    private readonly title: string, private readonly colourName: string,
    private readonly text: (value: number) => string,
  ) {
    this.#canvas.setAttribute('aria-label', title)
    this.#details = element('details', { class: 'as-table' }, [
      element('summary', { text: 'as a table' }),
      element('div', { class: 'scroll', attributes: { tabindex: '0' } }, [element('table', { class: 'rows' }, [
        tableHead(['from, UTC', 'least', 'greatest', 'last']), this.#table,
      ])]),
    ])
    this.root = element('section', { class: 'panel line', attributes: { 'aria-label': title } }, [
      element('div', { class: 'title' }, [element('h2', { text: title }), this.#note]), this.#canvas, this.#details,
    ])
  }

  /** Draws the line; `now` is its last value as the server states it. */
  show(columns: SeriesColumns, now: string): void {
    this.#note.textContent = now
    this.#draw(columns)
    if (this.#details.open) this.#fill(columns)
  }

  #fill({ timeMs, low, high, last }: SeriesColumns): void {
    const first = Math.max(0, timeMs.length - TABLE_ROWS)
    this.#table.replaceChildren(...timeMs.slice(first).map((ms, row) => {
      const at = first + row
      return tableRow([
        clock(ms), this.text(low[at] as number), this.text(high[at] as number), this.text(last[at] as number),
      ])
    }).reverse())
  }

  #draw({ timeMs, low, high, last }: SeriesColumns): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const pen = this.#canvas.getContext('2d')
    if (pen === null || width === 0) return
    const ratio = globalThis.devicePixelRatio
    this.#canvas.width = Math.round(width * ratio)
    this.#canvas.height = Math.round(height * ratio)
    pen.scale(ratio, ratio)
    const [begin, end] = [timeMs[0], timeMs.at(-1)]
    if (begin === undefined || end === undefined) return
    const least = low.reduce((a, b) => Math.min(a, b))
    const most = high.reduce((a, b) => Math.max(a, b))
    const x = (ms: number): number => (end === begin ? 0 : ((ms - begin) / (end - begin)) * (width - 1))
    const y = (value: number): number => (most === least ? height / 2
      : MARGIN + (1 - (value - least) / (most - least)) * (height - 2 * MARGIN))
    pen.fillStyle = colour(this.colourName)
    pen.globalAlpha = 0.3
    for (const [at, ms] of timeMs.entries()) {
      const top = y(high[at] as number)
      pen.fillRect(x(ms), top, Math.max(1, x(timeMs[at + 1] ?? ms) - x(ms)), Math.max(1, y(low[at] as number) - top))
    }
    pen.globalAlpha = 1
    pen.strokeStyle = colour(this.colourName)
    pen.lineWidth = 1.4
    pen.beginPath()
    for (const [at, ms] of timeMs.entries()) {
      const own = y(last[at] as number)
      if (at === 0) pen.moveTo(x(ms), own)
      else {
        pen.lineTo(x(ms), y(last[at - 1] as number))
        pen.lineTo(x(ms), own)
      }
    }
    pen.lineTo(width, y(last.at(-1) as number))
    pen.stroke()
    pen.fillStyle = colour('--faint')
    pen.font = '11px ui-monospace, monospace'
    pen.fillText(this.text(most), 2, MARGIN + 8)
    if (most !== least) pen.fillText(this.text(least), 2, height - MARGIN)
    pen.fillText(clock(begin), width / 2, height - MARGIN)
    this.#canvas.dataset['columns'] = String(timeMs.length)
  }
}

/** `2026-07-01 23:58:00` of epoch milliseconds. */
function clock(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
