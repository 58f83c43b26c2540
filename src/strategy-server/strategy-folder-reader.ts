import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import { fault, type Fault } from '../model/fault.js'
import { afterMs } from '../model/wall-client.js'
import type { InstalledStrategy, LookCheck, LookMessage, LookOrder } from './strategy-look.js'

/** A module may take so long to load, and a run to be checked, milliseconds. */
const LOOK_MS = 30_000
/** The heap of a thread that loads modules, MiB. */
const HEAP_MB = 1_024
/** Modules of a folder at most. */
const MODULES_MAX = 1_000
/** Folders within the folder that are read. */
const DEPTH_MAX = 4

const MODULE = /\.m?[jt]s$/
const NO_MODULE = /\.d\.m?ts$|\.(?:test|spec)\.m?[jt]s$/

/** A strategy that an instance can be made of. */
export interface FoundStrategy {
  readonly strategyName: string
  /** The path of its module in the folder, with `/`. */
  readonly module: string
}

/** The times of a folder of strategies, where they differ from its own. */
export interface LookTimes {
  readonly lookMs?: number
}

/**
 * The strategies of a folder: of all modules in it and in the folders within it. They are read anew each time, on a
 * thread of their own, as a module may do anything when it is loaded. One thread is at work at a time.
 */
export class StrategyFolder {
  #before: Promise<unknown> = Promise.resolve()

  /** `bundles` is the folder of compiled strategies; null: none are kept. */
  constructor(
    readonly path: string, private readonly bundles: string | null, private readonly times: LookTimes = {},
  ) {}

  /** Every strategy, and every module that cannot be loaded, with its error. Throws FILE_NOT_FOUND, LIMIT_EXCEEDED. */
  list(): Promise<readonly InstalledStrategy[]> {
    return this.#inTurn(() => this.#list())
  }

  /** The absolute path of a module. */
  modulePath(module: string): string {
    return join(this.path, ...module.split('/'))
  }

  /** The strategy that a config names: see {@link strategyNamed}. */
  async find(name: string): Promise<FoundStrategy | Fault> {
    return strategyNamed(name, await this.list())
  }

  /** The faults of a run of a strategy, compared with its data or hosts, by the paths of a run file. */
  async faults({ module, strategyName }: FoundStrategy, options: LookCheck): Promise<readonly Fault[]> {
    return this.#inTurn(async () => {
      let faults: readonly Fault[] | null = null
      const order = { modules: [this.modulePath(module)], check: { strategyName, options }, bundles: this.bundles }
      const end = await this.#look(order, (message) => { if (message.kind === 'faults') ({ faults } = message) })
      return faults ?? [{ path: 'strategyName', expected: 'a strategy that can be loaded', found: end }]
    })
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#before.then(work)
    this.#before = turn.catch(() => undefined)
    return turn
  }

  async #list(): Promise<readonly InstalledStrategy[]> {
    const modules = await this.#modules()
    const found: InstalledStrategy[] = []
    // A module that ends its thread is named; those behind it are loaded by another.
    for (let at = 0; at < modules.length;) {
      const rest = modules.slice(at)
      const order = { modules: rest.map((one) => this.modulePath(one)), check: null, bundles: this.bundles }
      let count = 0
      const end = await this.#look(order, (message) => {
        const module = rest[count++] ?? ''
        if (message.kind === 'strategies') found.push(...message.found.map((one) => ({ module, ...one })))
      })
      const ended = rest[count]
      if (ended !== undefined) found.push({ module: ended, error: end })
      at += count + (ended === undefined ? 0 : 1)
    }
    return found
  }

  async #modules(): Promise<readonly string[]> {
    const modules: string[] = []
    const read = async (names: readonly string[]): Promise<void> => {
      const entries = await readdir(join(this.path, ...names), { withFileTypes: true })
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
        if (entry.isDirectory() && names.length < DEPTH_MAX) await read([...names, entry.name])
        else if (!entry.isDirectory() && MODULE.test(entry.name) && !NO_MODULE.test(entry.name))
          modules.push([...names, entry.name].join('/'))
      }
    }
    await read([]).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      const sentence = `Cannot read the strategies of ${this.path}: ${why}`
      throw new BacktapeError('FILE_NOT_FOUND', sentence, { file: this.path }, error)
    })
    if (modules.length <= MODULES_MAX) return modules
    const sentence =
      `Cannot read the strategies of ${this.path}: it has ${modules.length} modules, at most ${MODULES_MAX} are read`
    throw new BacktapeError('LIMIT_EXCEEDED', sentence, { file: this.path, expected: String(MODULES_MAX) })
  }

  /** Runs a thread to its end; the reason why it ended early, in words. Each message starts its deadline anew. */
  #look(order: LookOrder, take: (message: LookMessage) => void): Promise<string> {
    const { lookMs = LOOK_MS } = this.times
    const worker = new Worker(new URL('./strategy-look-worker.js', import.meta.url), {
      workerData: order, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    return new Promise((resolve) => {
      let why = 'the module ended its thread when it was loaded'
      const start = (): (() => void) => afterMs(lookMs, () => {
        why = `the module was not loaded after ${lookMs / 1_000} s`
        void worker.terminate()
      })
      let stop = start()
      worker.on('message', (message: LookMessage) => {
        stop()
        stop = start()
        take(message)
      })
      worker.on('error', (error: unknown) => { why = error instanceof Error ? error.message : String(error) })
      worker.once('exit', () => {
        stop()
        resolve(why)
      })
    })
  }
}

/** The strategy of a folder that a config names, `NAME` or `MODULE#NAME`; a fault where there is none, or several. */
export function strategyNamed(name: string, all: readonly InstalledStrategy[]): FoundStrategy | Fault {
  const at = name.lastIndexOf('#')
  const [module, own] = at < 0 ? [null, name] : [name.slice(0, at), name.slice(at + 1)]
  const fitting = all.filter((one) => one.strategyName === own && (module === null || one.module === module))
  const [only] = fitting
  if (only?.error !== undefined) return fault('strategyName', `a strategy that can be used (${only.error})`, name)
  if (only !== undefined && fitting.length === 1) return { strategyName: own, module: only.module }
  if (only !== undefined)
    return fault('strategyName', `one of ${fitting.map((one) => `${one.module}#${own}`).join(', ')}`, name)
  const names = all.flatMap(({ strategyName }) => strategyName ?? [])
  const expected = names.length === 0 ? 'an installed strategy: there is none' : `one of ${names.join(', ')}`
  return fault('strategyName', expected, name)
}
