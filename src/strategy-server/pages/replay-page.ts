import { element } from '../../panels/element-page.js'
import { timeText } from './instances-page.js'
import type { LiveReplay, ReplayAction } from './live-frames.js'
import { placeWords } from './place-words-page.js'

const SPEEDS = ['0.1', '1', '2', '10', '60', '300', '1000', 'max']
const WORDS: Readonly<Record<LiveReplay['state'], string>> = {
  WAITING: 'waits for Play, or the first subscription', PLAYING: 'plays', PAUSED: 'is paused',
  ENDED: 'the data have ended',
}

/** The served replay: its time and state, and the five actions that move it. */
export class ReplayPanel {
  readonly root: HTMLElement
  readonly #name: HTMLButtonElement
  readonly #time: HTMLElement = element('span', { class: 'time' })
  readonly #state: HTMLElement = element('span', { class: 'kind' })
  readonly #play: HTMLButtonElement
  readonly #step: HTMLButtonElement
  readonly #speed: HTMLSelectElement = element('select', { attributes: { id: 'replay-speed' } })
  readonly #goTo: HTMLInputElement = element('input', {
    class: 'jump', attributes: { id: 'replay-time', type: 'text', autocomplete: 'off', spellcheck: 'false' },
  })
  readonly #go: HTMLButtonElement
  #replay: LiveReplay | null = null

  constructor(onChoose: () => void, onAct: (action: ReplayAction, fields: Readonly<Record<string, unknown>>) => void) {
    const button = (text: string, onClick: () => void): HTMLButtonElement => (
      element('button', { text, attributes: { type: 'button' }, onClick }))
    this.#name = element('button', {
      class: 'name', text: 'Served replay', attributes: { type: 'button' }, onClick: onChoose,
    })
    this.#play = button('Play', () => { onAct(this.#replay?.state === 'PLAYING' ? 'pause' : 'resume', {}) })
    this.#step = button('Step', () => { onAct('step', {}) })
    this.#step.title = 'plays until a client is sent something, a second of its clock at most'
    this.#speed.addEventListener('change', () => {
      const { value } = this.#speed
      onAct('speed', { speed: value === 'max' ? value : Number(value) })
    })
    this.#go = element('button', { text: 'Go', attributes: { type: 'submit' } })
    const form = element('form', { class: 'group' }, [
      element('label', { text: 'time', attributes: { for: 'replay-time' } }), this.#goTo, this.#go,
    ])
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      onAct('go-to', { time: this.#goTo.value.trim() })
    })
    this.root = element('section', {
      class: 'panel replay-panel', attributes: { 'aria-label': 'Served replay', 'hidden': '' },
    }, [
      this.#name, element('span', { class: 'venue replay', text: placeWords({ venue: 'served', kind: 'replay' }) }),
      this.#time, this.#state,
      element('div', { class: 'group', attributes: { 'role': 'group', 'aria-label': 'Replay' } }, [
        this.#play, this.#step]),
      element('div', { class: 'group' }, [
        element('label', { text: 'speed', attributes: { for: 'replay-speed' } }), this.#speed]),
      form,
    ])
  }

  /** The replay as it was said last; null: none is served. */
  get replay(): LiveReplay | null {
    return this.#replay
  }

  choose(isChosen: boolean): void {
    this.#name.setAttribute('aria-pressed', String(isChosen))
  }

  show(replay: LiveReplay): void {
    const { time, from, state, speed, isStepped } = replay
    this.#replay = replay
    this.root.hidden = false
    this.#time.textContent = `${timeText(time)} UTC`
    this.#state.textContent = WORDS[state]
    const isOver = state === 'ENDED'
    const word = state === 'PLAYING' ? 'Pause' : 'Play'
    if (this.#play.textContent !== word) this.#play.textContent = word
    this.#play.disabled = isOver
    this.#step.disabled = isOver || !isStepped
    this.#go.disabled = isOver || speed === 'lockstep'
    this.#speed.disabled = isOver || speed === 'lockstep'
    const shown = String(speed)
    const speeds = SPEEDS.includes(shown) ? SPEEDS : [shown, ...SPEEDS]
    if (this.#speed.options.length !== speeds.length)
      this.#speed.replaceChildren(...speeds.map((text) => element('option', { text, attributes: { value: text } })))
    // The user chooses one just now.
    if (document.activeElement !== this.#speed) this.#speed.value = shown
    this.#goTo.placeholder = timeText(from).slice(0, 19).replace(' ', 'T')
  }
}
