import { element } from '../../panels/element-page.js'
import { digitsNeeded, exactText, instantText } from '../../panels/exact-text.js'
import { instrumentText, type InstrumentText } from '../../panels/event-words.js'
import { GrowingStretch, type StretchPart } from '../../panels/growing-stretch.js'
import { LadderPanel } from '../../panels/ladder-page.js'
import { fillsPanel, journalPanel, ordersPanel, tradesPanel, type Panel } from '../../panels/panels-page.js'
import { PricePicture } from '../../panels/picture-page.js'
import { ReducedSeries } from '../../panels/reduced-series.js'
import type { StretchColumns } from '../../panels/stretch-columns.js'
import { StretchReplay } from '../../panels/stretch-replay.js'
import type { LivePoint } from '../../panels/live-look.js'
import type { LiveInstance, LivePlace, LiveSeries } from './live-frames.js'
import { LinePicture } from './line-picture-page.js'
import { LiveLines } from './live-lines.js'
import { placeWords } from './place-words-page.js'

const CLOSE_UP_NS = 5_000_000_000
/** Titles of the panels of a served replay. */
const REPLAY_TITLES: Partial<Record<'book' | 'orders' | 'fills' | 'trades', string>> = {
  book: 'Book, as clients receive it', orders: 'Orders of clients, as the exchange has them', fills: 'Fills of clients',
  trades: 'Trades, as clients receive them',
}
const NO_LINE = new ReducedSeries().columns

/** A run that is watched, as far as its head shows it. */
export interface WatchedFacts {
  /** Null: the served replay. */
  readonly id: string | null
  readonly name: string
  readonly place: LivePlace
  readonly state: string
  readonly reason: string
  /** With its currency; empty: none. */
  readonly profit: string
}

/** The facts of an instance. */
export function instanceFacts({ instance, status: { state, reason, progress }, place }: LiveInstance): WatchedFacts {
  const profit = progress?.profit === undefined ? '' : `${progress.profit.amount} ${progress.profit.currency}`
  return { id: instance.instanceId, name: instance.instanceName, place, state, reason: reason ?? '', profit }
}

/** The lines of a watch as pictures. */
class LinePictures {
  readonly #lines: LiveLines
  readonly #price: LinePicture
  readonly #money: LinePicture
  readonly #position: LinePicture

  constructor(series: LiveSeries, text: (instrument: number, price: number) => string, instrument: () => number) {
    this.#lines = new LiveLines(series)
    this.#price = new LinePicture('Price since you watch', '--link', (value) => text(instrument(), Math.round(value)))
    this.#money = new LinePicture('Profit since you watch', '--own', figure)
    this.#position = new LinePicture('Position since you watch', '--text', figure)
  }

  picturesOf(isReplay: boolean): readonly LinePicture[] {
    return isReplay ? [this.#price, this.#position] : [this.#price, this.#money, this.#position]
  }

  add(point: LivePoint): void {
    this.#lines.add(point)
  }

  show(instrument: number, name: string, words: { readonly profit: string, readonly position: string }): void {
    const { prices, profit, positions } = this.#lines.series
    this.#price.show(prices[instrument] ?? NO_LINE, name)
    this.#money.show(profit, words.profit)
    this.#position.show(positions[instrument] ?? NO_LINE, words.position)
  }
}

/**
 * The run of one instance: the panels of the viewer over a stretch that grows. It follows the newest event until
 * somebody chooses an earlier one.
 */
export class WatchView {
  readonly root: HTMLElement = element('section', { class: 'watch', attributes: { 'aria-label': 'Run' } })
  readonly #time: HTMLElement = element('span', { class: 'time' })
  readonly #venue: HTMLElement = element('span', { class: 'venue' })
  readonly #state: HTMLElement = element('span', { class: 'kind' })
  readonly #reason: HTMLElement = element('span', { class: 'soft' })
  readonly #follow: HTMLButtonElement
  readonly #instrument: HTMLSelectElement = element('select', { attributes: { 'aria-label': 'instrument' } })
  readonly #body: HTMLElement = element('div')
  readonly #title: HTMLElement = element('h2')
  #stretch: GrowingStretch | null = null
  #replay: StretchReplay | null = null
  #texts: InstrumentText[] = []
  #panels: readonly Panel[] = []
  #lines: LinePictures | null = null
  #about: WatchedFacts | null = null
  #event = 0
  /** Fills of the whole watch. */
  #fillCount = 0
  #isFollowing = true

  constructor() {
    this.#follow = element('button', {
      text: 'Follow', title: 'show the newest event again', attributes: { type: 'button', 'aria-pressed': 'true' },
      onClick: () => { this.#setFollowing(true) },
    })
    this.#instrument.addEventListener('change', () => { this.show() })
    this.root.append(element('div', { class: 'bar now-bar' }, [
      this.#title, this.#venue, this.#time, this.#state, this.#reason, this.#instrument, this.#follow,
    ]), element('p', {
      class: 'soft note',
      text: 'Looked at up to 20 times a second: book, states and orders stand as at the look; fills, trades and ' +
        'lines have their own times.',
    }), this.#body)
    this.#rest('Choose an instance.')
  }

  /** The run itself has changed, or another one is watched; null: none. */
  about(facts: WatchedFacts | null): void {
    const isOther = facts?.id !== this.#about?.id
    this.#about = facts
    if (isOther) {
      this.#stretch = null
      this.#fillCount = 0
      this.#replay = null
      this.#rest(facts === null ? 'Choose an instance.'
        : 'Nothing has been seen of its run yet.')
    }
    this.#head()
  }

  /** A stretch begins, at first or where the one before is full. */
  begin(columns: StretchColumns, series: LiveSeries): void {
    const chosen = this.#instrument.value
    this.#stretch = new GrowingStretch(columns)
    this.#fillCount += columns.fills.event.length
    const replay = (this.#replay = new StretchReplay(this.#stretch.columns))
    this.#texts = replay.columns.instruments.map(instrumentText)
    const texts = this.#texts
    const setting = { replay, texts, onEvent: (event: number): void => { this.#choose(event) } }
    const jump = (timeNs: number): void => { this.#choose(replay.eventAt(timeNs)) }
    const pictures = [
      new PricePicture(replay, texts, 'Prices and own fills', null, jump),
      new PricePicture(replay, texts, 'The last ten seconds', CLOSE_UP_NS, jump),
    ]
    // A replay has clients in the place of a strategy, and so neither journal nor profit.
    const isReplay = this.#about?.id === null
    const titles = isReplay ? REPLAY_TITLES : {}
    const [ladder, orders] = [new LadderPanel(replay, texts, titles.book), ordersPanel(setting, titles.orders)]
    const [fills, trades] = [fillsPanel(setting, titles.fills), tradesPanel(setting, titles.trades)]
    const journals = isReplay ? [] : [journalPanel(setting)]
    this.#lines = new LinePictures(series, (at, price) => this.#price(at, price), () => this.#at)
    this.#panels = [...pictures, ladder, orders, fills, trades, ...journals]
    const column = (name: string, parts: readonly { readonly root: HTMLElement }[]): HTMLElement => (
      element('div', { class: `column ${name}` }, parts.map(({ root }) => root)))
    this.#body.replaceChildren(
      element('div', { class: 'pictures' }, pictures.map(({ root }) => root)),
      element('div', { class: 'pictures lines' }, this.#lines.picturesOf(isReplay).map(({ root }) => root)),
      element('div', { class: 'grid' }, [
        column('left', [ladder, trades]), column('middle', [orders, fills]), column('right', journals),
      ]),
    )
    this.#setInstruments(chosen)
    this.#setFollowing(true)
  }

  /** Adds the part that follows the stretch. */
  add(part: StretchPart, points: readonly LivePoint[]): void {
    const [stretch, replay] = [this.#stretch, this.#replay]
    if (stretch === null || replay === null) return
    stretch.add(part)
    this.#fillCount += part.fills.event.length
    replay.grow()
    for (const [at, one] of replay.columns.instruments.entries()) this.#texts[at] = instrumentText(one)
    for (const point of points) this.#lines?.add(point)
    if (this.#instrument.options.length !== replay.columns.instruments.length)
      this.#setInstruments(this.#instrument.value)
    if (this.#isFollowing) this.#event = replay.count - 1
    this.show()
  }

  /** Draws everything anew. */
  show(): void {
    this.#head()
    const [replay, lines] = [this.#replay, this.#lines]
    if (replay === null || lines === null) return
    const event = Math.min(this.#event, replay.count - 1)
    for (const panel of this.#panels) panel.show(event, this.#at)
    const profit = this.#about?.profit ?? ''
    const position = replay.positions(this.#at, replay.count - 1)
      .map(({ account, quantity }) => `${account} ${quantity}`)
    lines.show(this.#at, replay.columns.instruments[this.#at]?.name ?? '', { profit, position: position.join(', ') })
    this.root.dataset['event'] = String(event)
    this.root.dataset['fills'] = String(this.#fillCount)
  }

  get #at(): number {
    return Math.max(0, this.#instrument.selectedIndex)
  }

  #price(instrument: number, price: number): string {
    const columns = this.#replay?.columns.instruments[instrument]
    if (columns === undefined) return String(price)
    return exactText(price, columns.priceScale, digitsNeeded([price], columns.priceScale))
  }

  #rest(sentence: string): void {
    this.#panels = []
    this.#lines = null
    this.#instrument.hidden = true
    this.#follow.hidden = true
    this.#body.replaceChildren(element('p', { class: 'soft wait', text: sentence }))
  }

  #setInstruments(chosen: string): void {
    const names = this.#replay?.columns.instruments.map(({ name }) => name) ?? []
    this.#instrument.replaceChildren(...names.map((text) => element('option', { text, attributes: { value: text } })))
    if (names.includes(chosen)) this.#instrument.value = chosen
    this.#instrument.hidden = names.length < 2
    this.#follow.hidden = false
  }

  #choose(event: number): void {
    this.#event = event
    this.#setFollowing(false)
  }

  #setFollowing(isFollowing: boolean): void {
    this.#isFollowing = isFollowing
    if (isFollowing) this.#event = (this.#replay?.count ?? 1) - 1
    this.#follow.setAttribute('aria-pressed', String(isFollowing))
    this.root.classList.toggle('following', isFollowing)
    this.show()
  }

  #head(): void {
    const [about, replay] = [this.#about, this.#replay]
    this.#title.textContent = about?.name ?? ''
    this.#venue.textContent = about === null ? '' : placeWords(about.place)
    this.#venue.className = `venue ${about?.place.kind ?? ''}`
    this.#state.textContent = about?.state ?? ''
    this.#state.hidden = about === null
    this.#reason.textContent = about?.reason ?? ''
    this.#time.textContent = replay === null ? ''
      : `${instantText(replay.columns.fromEpochNs, replay.timeNsOf(this.#event))} UTC`
  }
}

/** A double of a picture: its exact text stands in the tables. */
function figure(value: number): string {
  return String(Number(value.toPrecision(8)))
}
