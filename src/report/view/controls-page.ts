import { element } from '../../panels/element-page.js'
import { timeNsFromText } from '../../panels/exact-text.js'
import type { StepKind, StretchReplay } from '../../panels/stretch-replay.js'

/** Market seconds in a second of playing. */
export const SPEEDS: readonly number[] = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60]

/** Everything that somebody may do with the page. */
export interface Actions {
  step(kind: StepKind, isForward: boolean): void
  edge(isLast: boolean): void
  jump(timeNs: number): void
  play(): void
  speed(at: number): void
  instrument(at: number): void
  help(): void
}

/** The keys of the page, as its help lists them. */
export const KEYS: readonly (readonly [keys: readonly string[], words: string])[] = [
  [['→', 'l'], 'next event'], [['←', 'h'], 'previous event'],
  [['f'], 'next own fill'], [['F'], 'previous own fill'],
  [['o'], 'next event of an own order'], [['O'], 'previous event of an own order'],
  [['t'], 'next public trade'], [['T'], 'previous public trade'],
  [['Home', 'End'], 'begin and end of the stretch'], [['Space'], 'play, pause'], [['+', '-'], 'faster, slower'],
  [['[', ']'], 'previous, next instrument'], [['g'], 'jump to a time'], [['?'], 'this help'],
]

const STEP_KEYS: Readonly<Record<string, readonly [kind: StepKind, isForward: boolean]>> = {
  ArrowRight: ['event', true], l: ['event', true], ArrowLeft: ['event', false], h: ['event', false],
  f: ['fill', true], F: ['fill', false], o: ['order', true], O: ['order', false], t: ['trade', true],
  T: ['trade', false],
}

/** The bar with the buttons. */
export class ControlBar {
  readonly root: HTMLElement
  readonly #play: HTMLButtonElement
  readonly #speed: HTMLSelectElement
  readonly #instrument: HTMLSelectElement
  readonly #jump: HTMLInputElement

  constructor(replay: StretchReplay, private readonly actions: Actions) {
    const { instruments, fromEpochNs } = replay.columns
    const step = (text: string, title: string, kind: StepKind, isForward: boolean): HTMLButtonElement => {
      const made = element('button', {
        text, title, attributes: { type: 'button', 'aria-label': title },
        onClick: () => { actions.step(kind, isForward) },
      })
      made.disabled = replay.countOf(kind) === 0
      return made
    }
    const pair = (name: string, kind: StepKind, key: string): HTMLElement => element('div', { class: 'group' }, [
      step(`◀ ${name}`, `previous ${name} (${kind === 'event' ? '←' : key.toUpperCase()})`, kind, false),
      step(`${name} ▶`, `next ${name} (${kind === 'event' ? '→' : key})`, kind, true),
    ])
    this.#play = element('button', {
      class: 'main', text: 'Play', title: 'play, pause (Space)', attributes: { type: 'button' },
      onClick: () => { actions.play() },
    })
    const option = (text: string, at: number): HTMLOptionElement => (
      element('option', { text, attributes: { value: String(at) } }))
    this.#speed = element('select', { title: 'speed (+ and -)', attributes: { 'aria-label': 'speed' } },
      SPEEDS.map((speed, at) => option(`${String(speed)} ×`, at)))
    this.#speed.addEventListener('change', () => { actions.speed(Number(this.#speed.value)) })
    this.#instrument = element('select', { title: 'instrument ([ and ])', attributes: { 'aria-label': 'instrument' } },
      instruments.map(({ name }, at) => option(name, at)))
    this.#instrument.addEventListener('change', () => { actions.instrument(Number(this.#instrument.value)) })
    this.#jump = element('input', {
      class: 'jump', title: 'jump to a time (g), then Enter',
      attributes: {
        type: 'text', placeholder: 'jump to 12:34:56.789', 'aria-label': 'jump to a time', spellcheck: 'false',
      },
    })
    this.#jump.addEventListener('change', () => { this.#goTo(fromEpochNs) })
    this.root = element('nav', { class: 'bar', attributes: { 'aria-label': 'steps' } }, [
      pair('event', 'event', ''), pair('fill', 'fill', 'f'), pair('order', 'order', 'o'), pair('trade', 'trade', 't'),
      element('div', { class: 'group' }, [this.#play, this.#speed]), this.#jump,
      ...(instruments.length > 1 ? [this.#instrument] : []),
    ])
    document.addEventListener('keydown', (event) => { this.#key(event) })
  }

  show(isPlaying: boolean, speed: number, instrument: number): void {
    this.#play.textContent = isPlaying ? 'Pause' : 'Play'
    this.#speed.value = String(speed)
    this.#instrument.value = String(instrument)
  }

  #goTo(fromEpochNs: string): void {
    const timeNs = timeNsFromText(this.#jump.value, fromEpochNs)
    this.#jump.setAttribute('aria-invalid', String(timeNs === null))
    this.#jump.classList.toggle('error', timeNs === null)
    if (timeNs === null) return
    this.actions.jump(timeNs)
    this.#jump.blur()
  }

  #key(event: KeyboardEvent): void {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null) return
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
      if (key === 'Escape') target.blur()
      return
    }
    // A button that has the focus is pressed by the space bar.
    if (key === ' ' && target instanceof HTMLButtonElement) return
    if (this.#act(key)) event.preventDefault()
  }

  #act(key: string): boolean {
    const { actions } = this
    const step = Object.hasOwn(STEP_KEYS, key) ? STEP_KEYS[key] : undefined
    if (step !== undefined) actions.step(...step)
    else if (key === 'Home' || key === 'End') actions.edge(key === 'End')
    else if (key === ' ') actions.play()
    else if (key === '+' || key === '-') actions.speed(Number(this.#speed.value) + (key === '+' ? 1 : -1))
    else if (key === '[' || key === ']') actions.instrument(Number(this.#instrument.value) + (key === ']' ? 1 : -1))
    else if (key === 'g') {
      this.#jump.focus()
      this.#jump.select()
    } else if (key === '?') actions.help()
    else return false
    return true
  }
}
