import type { Wire } from '../../protocol/strategies/strategy-schemas.js'
import { element } from '../../panels/element-page.js'
import { CreateDialog } from './create-page.js'
import { InstanceList, type InstanceAct } from './instances-page.js'
import type { LiveFrame, LiveInstance } from './live-frames.js'
import { LiveSocket } from './live-socket-page.js'
import { ask, instancePath } from './rest-page.js'
import { WatchView } from './watch-page.js'

/** The page: all instances, and the run of one of them. `#instance=ID` names it. */
class LiveView {
  readonly #words: HTMLElement = element('p', { class: 'words', attributes: { role: 'status' } })
  readonly #connection: HTMLElement = element('span', { class: 'soft' })
  readonly #list: InstanceList
  readonly #create: CreateDialog
  readonly #watch: WatchView = new WatchView()
  readonly #socket: LiveSocket
  #chosen: string | null = null

  constructor(root: HTMLElement) {
    const name = (id: string): void => { globalThis.location.hash = `instance=${encodeURIComponent(id)}` }
    this.#list = new InstanceList(name, (one, action) => { void this.#act(one, action) })
    this.#create = new CreateDialog(name)
    const button = (text: string, className: string, onClick: () => void): HTMLButtonElement => (
      element('button', { text, class: className, attributes: { type: 'button' }, onClick }))
    root.replaceChildren(
      element('header', {}, [
        element('h1', { text: 'Strategies' }), ' ', element('a', { text: 'Requests', attributes: { href: '/' } }), ' ',
        this.#connection,
        element('nav', { class: 'group help', attributes: { 'aria-label': 'Server' } }, [
          button('New instance', 'main', () => { void this.#create.open() }),
          button('Stop all', 'error', () => { void this.#stopAll() }),
        ]),
      ]),
      element('main', {}, [this.#words, this.#list.root, this.#watch.root]), this.#create.root,
    )
    this.#socket = new LiveSocket((frame) => { this.#take(frame) }, (isOpen) => {
      this.#connection.textContent = isOpen ? 'connected' : 'the server does not answer; trying again'
      this.#connection.className = isOpen ? 'soft' : 'error'
      document.documentElement.dataset['connected'] = String(isOpen)
    })
    this.#followHash()
    globalThis.addEventListener('hashchange', () => { this.#followHash() })
    globalThis.addEventListener('resize', () => { this.#watch.show() })
    globalThis.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.#watch.show() })
  }

  #take(frame: LiveFrame): void {
    switch (frame.op) {
      case 'venues': return this.#create.setVenues(frame.venues)
      case 'instances':
        this.#list.take(frame.instances, frame.deleted)
        if (this.#chosen === null || this.#list.get(this.#chosen) === undefined) this.#chooseFirst()
        else this.#watch.about(this.#list.get(this.#chosen) ?? null)
        return
      case 'stretch':
        if (frame.instanceId === this.#chosen) this.#watch.begin(frame.columns, frame.series)
        return this.#drawn()
      case 'part':
        if (frame.instanceId === this.#chosen) this.#watch.add(frame.part, frame.points)
        return this.#drawn()
      case 'error': this.#words.textContent = frame.message
    }
  }

  /** The next frame is asked for when the browser has drawn this one: a slow browser gets fewer. */
  #drawn(): void {
    requestAnimationFrame(() => { this.#socket.shown() })
  }

  #followHash(): void {
    const id = new URLSearchParams(globalThis.location.hash.slice(1)).get('instance')
    if (id === null) return
    this.#choose(id)
  }

  #chooseFirst(): void {
    const { first } = this.#list
    const named = new URLSearchParams(globalThis.location.hash.slice(1)).get('instance')
    const id = named !== null && this.#list.get(named) !== undefined ? named : first?.instance.instanceId ?? null
    if (id !== null) this.#choose(id)
    else this.#watch.about(null)
  }

  #choose(id: string): void {
    if (id !== this.#chosen) this.#socket.watch(id)
    this.#chosen = id
    this.#list.choose(id)
    this.#watch.about(this.#list.get(id) ?? null)
  }

  async #act(instance: LiveInstance, action: InstanceAct): Promise<void> {
    const { instance: { instanceName }, place } = instance
    if (action === 'delete' && !globalThis.confirm(`Delete ${instanceName} with its journal?`)) return
    if (action === 'start' && place.kind === 'live' &&
      !globalThis.confirm(`${instanceName} trades real money at ${place.venue}. Start it?`)) return
    const answer = await ask('POST', instancePath(instance.instance, action), action === 'delete' ? undefined : {})
    this.#words.textContent = 'refusal' in answer ? answer.refusal : ''
  }

  async #stopAll(): Promise<void> {
    const answer = await ask<Wire<'InstanceStatuses'>>('POST', '/stop-all')
    this.#words.textContent = 'refusal' in answer ? answer.refusal
      : `Stopped: ${answer.value.map(({ instanceName }) => instanceName).join(', ') || 'nothing ran'}`
  }
}

const root = document.getElementById('live')
if (root !== null) new LiveView(root)
