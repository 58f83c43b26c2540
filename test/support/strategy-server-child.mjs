// Opens a strategy server over the store of FOLDER with runs that only run, writes its address as a line, and kills
// itself at a moment of its next request. usage: node strategy-server-child.mjs FOLDER (before|after|answer) NUMBER:
// before or after its NUMBER-th statement that changes rows, or when its answer has been made. It ends by being killed.
import { writeSync } from 'node:fs'
import { join } from 'node:path'

const load = (path) => import(join(import.meta.dirname, '../../dist', path))
const { StoreDatabase } = await load('files/store-database-writer.js')
const { openStrategyServerWith } = await load('strategy-server/open-strategy-server.js')
const { StrategyFolder } = await load('strategy-server/strategy-folder-reader.js')
const [, , folder, moment, number] = process.argv
const die = () => process.kill(process.pid, 'SIGKILL')

class Stated extends StrategyFolder {
  list() { return Promise.resolve([{ module: 'makers.ts', strategyName: 'Maker', parameters: [] }]) }
  faults() { return Promise.resolve([]) }
}

const start = (order, sink) => {
  setImmediate(() => { sink.running() })
  return { receive() {}, stop() {}, kill: () => Promise.resolve() }
}

let statements = 0
const { run } = StoreDatabase.prototype
const server = await openStrategyServerWith({ start, strategiesOf: (path, bundles) => new Stated(path, bundles) }, {
  strategies: folder, store: join(folder, 'store'), port: 0,
  venues: { paper: { type: 'replay', files: ['day.txt.zst'], speed: 'max', account: { balances: { USDT: '1' } } } },
})
process.on('message', () => {
  StoreDatabase.prototype.run = function counted(...statement) {
    statements++
    if (moment === 'before' && statements === Number(number)) die()
    const changes = run.apply(this, statement)
    if (moment === 'after' && statements === Number(number)) die()
    // The answer is made within the same turn as the last change.
    if (moment === 'answer' && statements === Number(number)) setImmediate(die)
    return changes
  }
  process.send('armed')
})
writeSync(1, `${server.url}\n`)
