import type { Wire } from '../../protocol/strategies/strategy-schemas.js'
import { element } from '../../panels/element-page.js'
import { CreateDialog } from './create-page.js'
import { InstanceList, type InstanceAct } from './instances-page.js'
import type { LiveFrame, LiveInstance } from './live-frames.js'
import { LiveSocket } from './live-socket-page.js'
import { ask, instancePath } from './rest-page.js'
import { ReplayPanel } from './replay-page.js'
import { instanceFacts, WatchView, type WatchedFacts } from './watch-page.js'

/** The name of the served replay behind the `#` of the page. */
const REPLAY_HASH = 'replay'

/** The page: the served replay, all instances, and the run of one of them. `#instance=ID`, or `#replay`, names it. */
class LiveView {
  readonly #words: HTMLElement = element('p', { class: 'words', attributes: { role: 'status' } })
  readonly #connection: HTMLElement = element('span', { class: 'soft' })
  readonly #list: InstanceList
  readonly #create: CreateDialog
  readonly #watch: WatchView = new WatchView()
  readonly #socket: LiveSocket
  readonly #replay: ReplayPanel
  /** An instance, or the served replay (null); undefined: nothing yet. */
  #chosen: string | null | undefined = undefined

  constructor(root: HTMLElement) {
    const name = (id: string): void => { globalThis.location.hash = `instance=${encodeURIComponent(id)}` }
    this.#list = new InstanceList(name, (one, action) => { void this.#act(one, action) })
    this.#create = new CreateDialog(name)
    this.#replay = new ReplayPanel(() => { globalThis.location.hash = REPLAY_HASH }, (action, fields) => {
      this.#socket.control(action, fields)
    })
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
      element('main', {}, [this.#words, this.#replay.root, this.#list.root, this.#watch.root]), this.#create.root,
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
        if (this.#isThere(this.#chosen)) this.#watch.about(this.#factsOf(this.#chosen))
        else this.#chooseFirst()
        return
      case 'replay':
        this.#replay.show(frame.replay)
        if (this.#chosen === undefined) this.#followHash()
        if (this.#chosen === null) this.#watch.about(this.#factsOf(null))
        return
      case 'controlled':
        this.#words.textContent = frame.refusal ?? ''
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

  #isThere(id: string | null | undefined): id is string | null {
    return id === null ? this.#replay.replay !== null : id !== undefined && this.#list.get(id) !== undefined
  }

  #factsOf(id: string | null): WatchedFacts | null {
    const { replay } = this.#replay
    if (id === null) {
      return replay === null ? null : {
        id, name: 'Served replay', place: { venue: 'served', kind: 'replay' }, state: replay.state, reason: '',
        profit: '',
      }
    }
    const instance = this.#list.get(id)
    return instance === undefined ? null : instanceFacts(instance)
  }

  /** The run that the address of the page names; undefined: none. */
  get #named(): string | null | undefined {
    const hash = globalThis.location.hash.slice(1)
    return hash === REPLAY_HASH ? null : new URLSearchParams(hash).get('instance') ?? undefined
  }

  #followHash(): void {
    const named = this.#named
    if (named !== undefined) this.#choose(named)
  }

  #chooseFirst(): void {
    const named = this.#named
    const first = this.#list.first?.instance.instanceId ?? (this.#replay.replay === null ? undefined : null)
    const id = this.#isThere(named) ? named : first
    if (id !== undefined) this.#choose(id)
    else this.#watch.about(null)
  }

  #choose(id: string | null): void {
    if (id !== this.#chosen) this.#socket.watch(id)
    this.#chosen = id
    this.#list.choose(id)
    this.#replay.choose(id === null)
    this.#watch.about(this.#factsOf(id))
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
