import { element, tableHead } from '../../panels/element-page.js'
import type { LiveInstance } from './live-frames.js'
import { placeText } from './place-words-page.js'

const AT_WORK: ReadonlySet<string> = new Set(['STARTING', 'RUNNING', 'STOPPING'])
const HEADS = [
  'instance', 'strategy', 'venue', 'state', 'market time, UTC', 'profit', 'position', 'open orders', 'fills',
  'last fill', '',
]
const NS_PER_MS = 1_000_000n

/** An action of an instance. */
export type InstanceAct = 'start' | 'stop' | 'delete'

/** The row of an instance: its cells stay, their texts change. */
class InstanceRow {
  readonly root: HTMLTableRowElement
  readonly #name: HTMLButtonElement
  readonly #cells: readonly HTMLTableCellElement[]
  readonly #start: HTMLButtonElement
  readonly #stop: HTMLButtonElement
  readonly #delete: HTMLButtonElement

  constructor(choose: () => void, act: (action: InstanceAct) => void) {
    const button = (text: string, action: InstanceAct): HTMLButtonElement => (
      element('button', { text, attributes: { type: 'button' }, onClick: () => { act(action) } }))
    this.#name = element('button', { class: 'name', attributes: { type: 'button' }, onClick: choose })
    this.#start = button('Start', 'start')
    this.#stop = button('Stop', 'stop')
    this.#delete = button('Delete', 'delete')
    this.#cells = HEADS.slice(2).map(() => element('td'))
    this.root = element('tr', {}, [
      element('td', { class: 'left' }, [this.#name]), ...this.#cells,
      element('td', { class: 'group' }, [this.#start, this.#stop, this.#delete]),
    ])
  }

  show({ instance, status, place }: LiveInstance, isChosen: boolean): void {
    const { instanceName, strategyName } = instance
    const { state, reason, progress, since } = status
    this.#name.textContent = instanceName
    this.#name.setAttribute('aria-pressed', String(isChosen))
    this.root.className = isChosen ? 'chosen' : ''
    const texts = [
      strategyName, placeText(place), state, progress === undefined ? '' : timeText(progress.time),
      progress?.profit === undefined ? '' : `${progress.profit.amount} ${progress.profit.currency}`,
      progress?.positions.map(({ size }) => size).join(', ') ?? '', String(progress?.openOrders ?? ''),
      String(progress?.fills ?? ''), progress?.lastFill === undefined ? '' : timeText(progress.lastFill),
    ]
    for (const [at, text] of texts.entries()) {
      const cell = this.#cells[at]
      if (cell !== undefined && cell.textContent !== text) cell.textContent = text
    }
    const [strategy, venue, condition] = this.#cells
    if (strategy !== undefined) strategy.className = 'left'
    if (venue !== undefined) venue.className = `left venue ${place.kind}`
    if (condition !== undefined) {
      condition.className = `left state ${state === 'FAILED' ? 'error' : ''}`
      condition.title = `since ${since}${reason === null ? '' : `: ${reason}`}`
    }
    const isAtWork = AT_WORK.has(state)
    this.#start.disabled = isAtWork
    this.#stop.disabled = !isAtWork || state === 'STOPPING'
    this.#delete.disabled = isAtWork
    for (const one of [this.#start, this.#stop, this.#delete])
      one.setAttribute('aria-label', `${one.textContent} ${instanceName}`)
  }
}

/** `23:58:00.123` with its day, of epoch nanoseconds. */
export function timeText(epochNs: string): string {
  return new Date(Number(BigInt(epochNs) / NS_PER_MS)).toISOString().slice(0, 23).replace('T', ' ')
}

/** The list of instances, in the order of their creation. */
export class InstanceList {
  readonly root: HTMLElement
  readonly #body: HTMLTableSectionElement = element('tbody')
  readonly #rows: Map<string, InstanceRow> = new Map()
  readonly #instances: Map<string, LiveInstance> = new Map()
  readonly #none: HTMLElement = element('p', {
    class: 'soft', text: 'There is no instance yet: New instance makes one.',
  })
  #chosen: string | null = null

  constructor(
    private readonly onChoose: (instanceId: string) => void,
    private readonly onAct: (instance: LiveInstance, action: InstanceAct) => void,
  ) {
    this.root = element('section', { class: 'panel instances', attributes: { 'aria-label': 'Instances' } }, [
      element('div', { class: 'title' }, [element('h2', { text: 'Instances' })]),
      element('div', { class: 'scroll', attributes: { tabindex: '0' } }, [
        element('table', { class: 'rows' }, [tableHead(HEADS), this.#body])]), this.#none,
    ])
  }

  get(instanceId: string): LiveInstance | undefined {
    return this.#instances.get(instanceId)
  }

  /** The first one; undefined: there is none. */
  get first(): LiveInstance | undefined {
    const [first] = this.#instances.values()
    return first
  }

  choose(instanceId: string | null): void {
    this.#chosen = instanceId
    for (const [id, instance] of this.#instances) this.#rows.get(id)?.show(instance, id === instanceId)
  }

  /** Takes those that are new or have changed, and leaves out those that are no more. */
  take(instances: readonly LiveInstance[], deleted: readonly string[]): void {
    for (const id of deleted) {
      this.#rows.get(id)?.root.remove()
      this.#rows.delete(id)
      this.#instances.delete(id)
    }
    for (const one of instances) {
      const { instanceId } = one.instance
      this.#instances.set(instanceId, one)
      let row = this.#rows.get(instanceId)
      if (row === undefined) {
        row = new InstanceRow(() => { this.onChoose(instanceId) }, (action) => {
          const instance = this.#instances.get(instanceId)
          if (instance !== undefined) this.onAct(instance, action)
        })
        this.#rows.set(instanceId, row)
        this.#body.append(row.root)
      }
      row.show(one, instanceId === this.#chosen)
    }
    this.#none.hidden = this.#instances.size > 0
  }
}
