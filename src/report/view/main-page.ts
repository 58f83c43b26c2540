import { ControlBar, KEYS, SPEEDS } from './controls-page.js'
import { element } from '../../panels/element-page.js'
import { instantText, timeNsFromText } from '../../panels/exact-text.js'
import { EventWords, instrumentText } from '../../panels/event-words.js'
import { LadderPanel } from '../../panels/ladder-page.js'
import { fillsPanel, journalPanel, ordersPanel, tradesPanel, type Panel } from '../../panels/panels-page.js'
import { PricePicture } from '../../panels/picture-page.js'
import { unpackedStretch } from './stretch-packing.js'
import { StretchReplay, type StepKind } from '../../panels/stretch-replay.js'

const CLOSE_UP_NS = 5_000_000_000

const KIND_WORDS: Readonly<Record<string, string>> = {
  begin: 'begin', end: 'end', book: 'book', trade: 'public trade', request: 'you send', answer: 'you receive',
  receipt: 'you receive a fill', order: 'order at the exchange', execution: 'fill at the exchange', log: 'your log',
  other: 'other message',
}

/** The page: one event at a time of a stretch. */
class Viewer {
  readonly #replay: StretchReplay
  readonly #words: EventWords
  readonly #panels: readonly Panel[]
  readonly #controls: ControlBar
  readonly #time: HTMLElement = element('span', { class: 'time' })
  readonly #kind: HTMLElement = element('span', { class: 'kind' })
  readonly #place: HTMLElement = element('span', { class: 'soft num' })
  readonly #sentence: HTMLElement = element('p', { class: 'words' })
  readonly #help: HTMLDialogElement
  #event = 0
  #instrument = 0
  #speed = SPEEDS.indexOf(1)
  #isPlaying = false
  /** Market time that has been played, and the frame before; NaN where none was. */
  #playedNs = 0
  #frameMs = NaN

  constructor(replay: StretchReplay, root: HTMLElement) {
    this.#replay = replay
    const texts = replay.columns.instruments.map(instrumentText)
    this.#words = new EventWords(replay, texts)
    const setting = { replay, texts, onEvent: (event: number): void => { this.#choose(event) } }
    const jump = (timeNs: number): void => { this.#choose(replay.eventAt(timeNs)) }
    const pictures = [
      new PricePicture(replay, texts, 'The stretch', null, jump),
      new PricePicture(replay, texts, 'Ten seconds around', CLOSE_UP_NS, jump),
    ]
    const [ladder, orders, fills] = [new LadderPanel(replay, texts), ordersPanel(setting), fillsPanel(setting)]
    const [trades, journal] = [tradesPanel(setting), journalPanel(setting)]
    this.#panels = [...pictures, ladder, orders, fills, trades, journal]
    this.#controls = new ControlBar(replay, {
      step: (kind, isForward) => { this.#step(kind, isForward) },
      edge: (isLast) => { this.#choose(isLast ? replay.count - 1 : 0) },
      jump, play: () => { this.#play() },
      speed: (at) => {
        this.#speed = Math.max(0, Math.min(SPEEDS.length - 1, at))
        this.#show()
      },
      instrument: (at) => {
        this.#instrument = Math.max(0, Math.min(replay.columns.instruments.length - 1, at))
        this.#show()
      },
      help: () => { this.#help.showModal() },
    })
    this.#help = this.#helpDialog()
    const now = element('section', { class: 'now', attributes: { 'aria-label': 'Event', 'aria-live': 'polite' } }, [
      element('div', { class: 'head' }, [this.#time, this.#kind, this.#place]), this.#sentence,
    ])
    root.replaceChildren(this.#header(), element('main', {}, [
      this.#controls.root, now, element('div', { class: 'pictures' }, pictures.map((one) => one.root)),
      element('div', { class: 'grid' }, [
        column('left', [ladder, trades]), column('middle', [orders, fills]), column('right', [journal]),
      ]),
    ]), this.#help)
    this.#followHash()
    globalThis.addEventListener('hashchange', () => { this.#followHash() })
    globalThis.addEventListener('resize', () => { this.#show() })
    globalThis.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.#show() })
  }

  #header(): HTMLElement {
    const { name, facts, levelCount, unseenCount } = this.#replay.columns
    const all = [
      ...facts, ['levels of a side', String(levelCount)] as const,
      ['lines that changed none of them', String(unseenCount)] as const,
    ]
    return element('header', {}, [
      element('button', {
        class: 'help', text: '? keys', title: 'keys (?)', attributes: { type: 'button' },
        onClick: () => { this.#help.showModal() },
      }),
      element('h1', { text: name }),
      element('details', { class: 'facts' }, [
        element('summary', { text: `${facts.find(([fact]) => fact === 'strategy')?.[1] ?? ''}: how it was run` }),
        element('dl', {}, all.flatMap(([fact, value]) => (
          [element('dt', { text: fact }), element('dd', { text: value })]))),
      ]),
    ])
  }

  #helpDialog(): HTMLDialogElement {
    const notes = [
      'The book and the trades are what the strategy had received at that instant. Orders and their places in the ' +
        'queue are those at the exchange at the same instant: the strategy learns of them later.',
      'Times are UTC. Prices, quantities and times are exact; ~ marks a quantity ahead that a queue model has shared.',
    ]
    return element('dialog', { attributes: { 'aria-label': 'Keys' } }, [
      element('h2', { text: 'Keys' }),
      element('dl', {}, KEYS.flatMap(([keys, words]) => [
        element('dt', {}, keys.flatMap((text, at) => [...(at > 0 ? [' '] : []), element('kbd', { text })])),
        element('dd', { text: words }),
      ])),
      ...notes.map((text) => element('p', { text, class: 'soft' })),
      element('form', { attributes: { method: 'dialog' } }, [element('button', { text: 'Close' })]),
    ])
  }

  /** `#t=23:58:00.5` and `#event=120` name a place. */
  #followHash(): void {
    const place = new URLSearchParams(globalThis.location.hash.slice(1))
    const [time, event] = [place.get('t'), place.get('event')]
    const timeNs = time === null ? null : timeNsFromText(time, this.#replay.columns.fromEpochNs)
    if (timeNs !== null) this.#choose(this.#replay.eventAt(timeNs))
    else if (event !== null && /^\d{1,9}$/.test(event)) this.#choose(Math.min(Number(event), this.#replay.count - 1))
    else this.#show()
  }

  #step(kind: StepKind, isForward: boolean): void {
    const event = isForward ? this.#replay.next(this.#event, kind) : this.#replay.previous(this.#event, kind)
    this.#choose(event)
  }

  /** Goes to an event, and to its instrument where it is of an own order. */
  #choose(event: number): void {
    this.#isPlaying = false
    this.#event = event
    const instrument = this.#replay.columns.events.instrument[event] ?? -1
    const kind = this.#replay.kindOf(event)
    if (instrument >= 0 && kind !== 'book' && kind !== 'trade' && kind !== 'other') this.#instrument = instrument
    this.#show()
  }

  #play(): void {
    this.#isPlaying = !this.#isPlaying
    if (this.#isPlaying && this.#event === this.#replay.count - 1) this.#event = 0
    this.#playedNs = this.#replay.timeNsOf(this.#event)
    this.#frameMs = NaN
    this.#show()
    if (this.#isPlaying) requestAnimationFrame((ms) => { this.#frame(ms) })
  }

  #frame(ms: number): void {
    if (!this.#isPlaying) return
    const passedMs = Number.isNaN(this.#frameMs) ? 0 : Math.min(250, ms - this.#frameMs)
    this.#frameMs = ms
    this.#playedNs += passedMs * 1_000_000 * (SPEEDS[this.#speed] ?? 1)
    const event = Math.max(this.#event, this.#replay.eventAt(this.#playedNs))
    if (event === this.#replay.count - 1) this.#isPlaying = false
    if (event !== this.#event || !this.#isPlaying) {
      this.#event = event
      this.#show()
    }
    requestAnimationFrame((next) => { this.#frame(next) })
  }

  #show(): void {
    const [event, replay] = [this.#event, this.#replay]
    const kind = replay.kindOf(event)
    this.#time.textContent = instantText(replay.columns.fromEpochNs, replay.timeNsOf(event))
    this.#kind.textContent = KIND_WORDS[kind] ?? kind
    this.#kind.className = `kind ${kind}`
    this.#place.textContent = `event ${String(event)} of ${String(replay.count - 1)}`
    this.#sentence.textContent = this.#words.of(event)
    this.#controls.show(this.#isPlaying, this.#speed, this.#instrument)
    for (const panel of this.#panels) panel.show(event, this.#instrument)
    document.documentElement.dataset['event'] = String(event)
  }
}

function column(name: string, panels: readonly Panel[]): HTMLElement {
  return element('div', { class: `column ${name}` }, panels.map(({ root }) => root))
}

/** The text that the page carries, compressed. */
async function carriedText(id: string): Promise<string> {
  const packed = atob(document.getElementById(id)?.textContent ?? '')
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
}

async function open(): Promise<void> {
  const root = document.getElementById('view')
  if (root === null) return
  try {
    new Viewer(new StretchReplay(unpackedStretch(await carriedText('stretch'))), root)
  } catch (error) {
    root.replaceChildren(element('p', { class: 'wait error', text: `The stretch cannot be shown: ${String(error)}` }))
    throw error
  }
}

void open()
