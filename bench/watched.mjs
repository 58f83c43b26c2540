// A replay at `max` on its thread that one viewer watches, against the same one that nobody does: processor time and
// wall, medians in pairs. Frames are made as text, as for a browser. usage: node bench/watched.mjs [ROUNDS=5]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { GrowingStretch } from '../dist/panels/growing-stretch.js'
import { startInstance } from '../dist/strategy-server/instance-thread-client.js'
import { root } from '../scripts/project.mjs'

const DAY = resolve(
  root, process.env.BACKTAPE_SHARED ?? '../shared', 'data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst',
)
const LIMITS = { heapMb: 512, bufferMb: 512, callbackMs: 10_000, journalMb: 512 }
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const nothing = () => undefined

/** A viewer that draws at once. */
class Viewer {
  lookCount = 0
  frameBytes = 0
  #stretch = null

  take({ columns, part, point }) {
    this.lookCount++
    const place = this.#stretch?.place
    if (columns === null) this.#stretch.add(part)
    else this.#stretch = new GrowingStretch(columns)
    const frame = columns === null ? { part: this.#stretch.since(place), points: [point] } : { columns, point }
    this.frameBytes += JSON.stringify(frame).length
  }
}

function play(folder, viewer) {
  const own = join(folder, `instance ${performance.now()}`)
  mkdirSync(own)
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  return new Promise((done, failed) => {
    const run = startInstance({
      instanceId: 'one', instanceName: 'one', modulePath: join(root, 'bench/peers/set-maker.ts'),
      strategyName: 'SetMaker', parameters: { instrument: 'BTCUSDT', size: '0.01', ticks: 3 }, folder: own,
      isResumed: false, limits: LIMITS, cache: join(folder, 'cache'), bundles: join(folder, 'bundles'),
      venue: {
        type: 'replay', speed: 'max', files: [DAY], day: '2024-08-08',
        account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } },
      },
    }, {
      running: nothing, opened: nothing, published: nothing, progressed: nothing, logged: nothing,
      looked: (look) => {
        viewer.take(look)
        run.look()
      },
      ended: ({ end, reason, fingerprint }) => {
        const { user, system } = process.cpuUsage(cpu)
        if (end === 'whole') done({ fingerprint, cpuMs: (user + system) / 1000, wallMs: performance.now() - started })
        else failed(new Error(reason))
      },
    })
    if (viewer !== null) run.look()
  })
}

const [rounds = '5'] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'backtape-watched-'))
try {
  await play(folder, null)
  const pairs = []
  for (let at = 0; at < Number(rounds); at++) {
    const viewer = new Viewer()
    const [watched, alone] = [await play(folder, viewer), await play(folder, null)]
    if (watched.fingerprint !== alone.fingerprint) throw new Error('other fingerprints')
    pairs.push([watched, alone, viewer])
  }
  for (const what of ['cpuMs', 'wallMs'])
    console.log(
      `watched, ${what}: ${median(pairs.map(([a, b]) => a[what] / b[what])).toFixed(2)} x unwatched ` +
        `(${(median(pairs.map(([a]) => a[what])) / 1000).toFixed(2)} s)`,
    )
  const [, , { lookCount, frameBytes }] = pairs[0]
  console.log(`${lookCount} looks, ${(frameBytes / lookCount / 1024).toFixed(0)} KiB each`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
