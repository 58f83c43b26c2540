import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { InstanceEnd, InstanceOrder, InstanceProgress, InstanceRun, InstanceSink, ReplayVenue } from '../../src/strategy-server/instance-run.js'
import type { LiveLook } from '../../src/panels/live-look.js'
import { startInstance } from '../../src/strategy-server/instance-thread-client.js'
import { datasetsFolder } from './datasets-folder.ts'
import type * as unruly from './unruly-strategies.ts'

const SWAP_DAY = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
export const UNRULY_MODULE = join(import.meta.dirname, 'unruly-strategies.ts')

let count = 0

/** An order of a strategy of {@link UNRULY_MODULE}, in a folder of its own below another. */
export function unrulyOrder(folder: string, strategyName: keyof typeof unruly, more: Partial<InstanceOrder<ReplayVenue>> = {}): InstanceOrder<ReplayVenue> {
  const own = join(folder, `instance ${++count}`)
  mkdirSync(own, { recursive: true })
  return {
    instanceId: `i${count}`, instanceName: strategyName.toLowerCase(), modulePath: UNRULY_MODULE, strategyName, folder: own, isResumed: false,
    parameters: { instrument: 'XRPUSDT' }, cache: join(folder, 'cache'), bundles: join(folder, 'bundles'),
    venue: { type: 'replay', files: [SWAP_DAY], speed: 'max', from: '23:59', account: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } } },
    limits: { heapMb: 128, bufferMb: 192, callbackMs: 2_500, journalMb: 64 }, ...more,
  }
}

/** A run of an instance, and what it has said. */
export class WatchedInstance {
  readonly opened: string[] = []
  readonly published: string[] = []
  readonly logged: string[] = []
  readonly progress: InstanceProgress[] = []
  readonly looks: LiveLook[] = []
  readonly calls: string[] = []
  readonly run: InstanceRun
  readonly running: Promise<void>
  readonly ended: Promise<InstanceEnd>

  constructor(readonly order: InstanceOrder<ReplayVenue>, hooks: Partial<Pick<InstanceSink, 'published' | 'progressed' | 'looked'>> = {}) {
    let [setRunning, setEnded] = [(): void => {}, (_end: InstanceEnd): void => {}]
    this.running = new Promise((resolve) => { setRunning = resolve })
    this.ended = new Promise((resolve) => { setEnded = resolve })
    const note = (name: keyof InstanceSink): void => { this.calls.push(name) }
    this.run = startInstance(order, {
      running: () => {
        note('running')
        setRunning()
      },
      opened: (channel) => {
        note('opened')
        this.opened.push(channel)
      },
      published: (channel, message, record) => {
        note('published')
        this.published.push(`${channel} ${message.slice(0, 20)}`)
        hooks.published?.(channel, message, record)
      },
      progressed: (progress) => {
        note('progressed')
        this.progress.push(progress)
        hooks.progressed?.(progress)
      },
      logged: (_, level, text) => {
        note('logged')
        this.logged.push(`${level} ${text}`)
      },
      looked: (look) => {
        note('looked')
        this.looks.push(look)
        hooks.looked?.(look)
      },
      ended: (end) => {
        note('ended')
        setRunning()
        setEnded(end)
      },
    })
  }
}
