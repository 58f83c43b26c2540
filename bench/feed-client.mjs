// A feed server and a client of the product, each a process: messages a second from the source of the server to the
// listener of the client, which has them as batches. Beside it the processor time of each of the two.
//   node bench/feed-client.mjs [FILE=a bundled day] [ROUNDS=5] [MESSAGES=1000000]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { tableRow } from '../scripts/big-day.mjs'
import { batchesOf, DAY, KEY, median, servedBatches } from './feed/served-batches.mjs'

const TOPICS = {
  depth: true, trades: true, topOfBook: true, markPrice: true, indexPrice: true, fundingRate: true, liquidations: true,
}
const ENCODINGS = ['json', 'sbe']

/** The server, a process of its own: it plays what it is asked for, and says what processor time that took. */
async function serve(file) {
  const served = await servedBatches(await batchesOf(file))
  process.send(served.addresses)
  process.on('message', async (messages) => {
    const before = process.cpuUsage()
    const { sent } = await served.send(messages)
    const { user, system } = process.cpuUsage(before)
    process.send({ sent, cpuSeconds: (user + system) / 1e6 })
  })
}

/** Counts messages as they arrive, states too, and the rows of their columns. */
function counting() {
  const listener = {
    lines: 0, rows: 0, first: 0n, last: 0n, wanted: Infinity, done: null, error: null,
    count() {
      if (listener.lines++ === 0) listener.first = process.hrtime.bigint()
      if (listener.lines !== listener.wanted) return
      listener.last = process.hrtime.bigint()
      listener.done()
    },
    onLine(batch, index) {
      listener.rows += batch.rowStart[index + 1] - batch.rowStart[index]
      listener.count()
    },
    onState() { listener.count() },
    onError(error) {
      listener.error = error
      listener.done?.()
    },
  }
  return listener
}

async function run(file, encoding, messages) {
  const { createFeedClient } = await import('../dist/feed/feed-client.js')
  const child = fork(import.meta.filename, ['--serve', file], { execArgv: [] })
  const [addresses] = await once(child, 'message')
  const [batch] = await batchesOf(file)
  const listener = counting()
  const { instrument, priceScale, quantityScale, epochDay } = batch
  const client = createFeedClient({
    url: addresses[encoding], apiKey: KEY, listener, epochDay, reconnect: false,
    login: { organization: '', applicationName: 'bench', applicationVersion: '', processId: 'bench' },
    instrumentOf: () => ({ instrument, priceScale, quantityScale }),
  })
  await client.connect()
  client.subscribe(instrument.id, TOPICS)
  // The READY of the subscription comes first.
  listener.wanted = messages + 1
  const ended = new Promise((resolve) => { listener.done = resolve })
  const reported = once(child, 'message')
  const before = process.cpuUsage()
  child.send(messages)
  await ended
  if (listener.error !== null) {
    child.kill()
    throw listener.error
  }
  const { user, system } = process.cpuUsage(before)
  const [{ cpuSeconds }] = await reported
  await client.close()
  child.kill()

  return {
    perSecond: messages / (Number(listener.last - listener.first) / 1e9),
    perServerSecond: messages / cpuSeconds, perClientSecond: messages / ((user + system) / 1e6),
  }
}

async function main() {
  const [file = DAY, roundCount = '5', messageCount = '1000000', only] = process.argv.slice(2)
  const [rounds, messages] = [Number(roundCount), Number(messageCount)]
  const encodings = only === undefined ? ENCODINGS : [only]
  const results = Object.fromEntries(encodings.map((encoding) => [encoding, []]))
  for (let round = 0; round < rounds; round++)
    for (const encoding of encodings) results[encoding].push(await run(file, encoding, messages))
  const thousand = (value) => `${(value / 1000).toFixed(0)} k/s`
  console.log(`feed-client, Node ${process.versions.node}: median of ${rounds} rounds of ${messages} messages`)
  for (const encoding of encodings) {
    const of = (unit) => thousand(median(results[encoding].map((one) => one[unit])))
    const cpu = `server ${of('perServerSecond')}, client ${of('perClientSecond')}`
    const found = `${of('perSecond')}; of processor time: ${cpu}`
    console.log(`  ${encoding} ${found}`)
    tableRow(`feed, server and client in two processes, ${encoding.toUpperCase()}`, found, '0.8 M/s')
  }
}

if (process.argv[2] === '--serve') await serve(process.argv[3])
else await main()
