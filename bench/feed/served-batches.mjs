// The benches of the feed share a day in memory, a source that plays it as fast as it is asked to, and a server on it.
import { copyBatch, openSource, readTickFile } from '../../dist/columns.js'
import { createFeedServer } from '../../dist/feed/feed-server.js'

const MARKET = 'bench'
export const KEY = 'k'
export const DAY = 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const UNSENT_MAX = 1 << 20
const TURN = 512

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** The batches of a day, copied; their instrument is of the bench's market. */
export async function batchesOf(path) {
  const reading = await readTickFile(await openSource(path), { day: '2026-07-01' })
  const batches = []
  for await (const batch of reading.batches()) batches.push(copyBatch(batch))
  const instrument = { ...batches[0].instrument, exchangeCode: MARKET }
  for (const batch of batches) batch.instrument = instrument
  return batches
}

/** A source that plays batches as fast as they are asked for. */
function benchSource(batches) {
  const { instrument } = batches[0]
  const entry = { instrument, priceScale: batches[0].priceScale, quantityScale: batches[0].quantityScale }
  const source = {
    listener: null, instrument,
    clock: { epochDay: batches[0].epochDay, nowNs: () => 0, now: () => 0n },
    instruments: { entries: [entry], get: () => entry }, underlyings: { entries: [], get: () => undefined },
    market: () => ({ state: 'PENDING' }),
    subscribe: (_id, _topics, listener) => {
      source.listener = listener
      return { unsubscribe() {} }
    },
  }
  return source
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Sends lines until so many messages are sent and nothing is unsent; seconds of wall time. */
export async function pump(batches, messages, send, unsent) {
  let sent = 0
  const started = process.hrtime.bigint()
  while (sent < messages) {
    for (const batch of batches) {
      for (let i = 0; i < batch.count && sent < messages;) {
        const end = Math.min(i + TURN, batch.count)
        sent += end - i
        for (; i < end; i++) send(batch, i)
        unsent(true)
        while (unsent(false) > UNSENT_MAX) await turn()
      }
    }
  }
  while (unsent(false) > 0) await turn()
  return { sent, seconds: Number(process.hrtime.bigint() - started) / 1e9 }
}

/** A feed server on batches; `send` plays so many messages at least to the first connection that has subscribed. */
export async function servedBatches(batches) {
  const source = benchSource(batches)
  const server = await createFeedServer({
    source, markets: [{ code: MARKET, exchangeId: 1, name: '', port: 0 }], processId: 'bench', clock: 'wall',
    access: { rejection: (key) => key === KEY ? null : 'unknown api key', isPermitted: () => true },
  })
  const play = (batch, index) => source.listener.onEvent(batch, index)
  return {
    port: server.addresses[0].port,
    addresses: server.addresses[0],
    async send(messages) {
      while (![...server.connections].some((one) => one.commandCount > 0)) await turn()
      const [connection] = server.connections
      const before = connection.sentCount
      const pumped = await pump(batches, messages, play, (isTurn) => {
        if (isTurn) server.flush()
        return connection.unsentBytes
      })
      if (connection.sentCount - before < messages) throw new Error('messages are missing')
      return pumped
    },
    close: () => server.close(),
  }
}
