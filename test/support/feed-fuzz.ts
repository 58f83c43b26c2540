import { connect, type Socket } from 'node:net'
import { RandomNumbers } from '../../src/model/random.js'
import { createSbeRequests } from '../../src/protocol/feed-sbe-codec.js'
import { FeedPeer, LOGIN, madeServer } from './feed-peer.ts'
import { FEED_LINES } from './made-feed.ts'

/** The outcome of a fuzz of a server. */
export interface FuzzResult {
  readonly connectionCount: number
  /** Lines that a well-behaved client should have received, and did. */
  readonly wanted: number
  readonly received: number
  /** Connections that are left of those that were attacked. */
  readonly left: number
  /** The most that memory outside of the heap grew by, bytes: the process has that of other tests too. */
  readonly externalMax: number
}

/** Draws that depend on the seed alone. */
class Draws {
  readonly #random: RandomNumbers
  #count = 0

  constructor(seed: number) {
    this.#random = new RandomNumbers(seed, 'feed fuzz', 0)
  }

  below(limit: number): number {
    return this.#random.below(limit, this.#count++)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  bytes(limit: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(limit) }, () => this.below(256)))
  }
}

const HANDSHAKE = (path: string, key: string): string => [
  `GET ${path}?apiKey=${key} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', '',
].join('\r\n')

/** A masked frame, or one that is wrong in the way that `first` and the length say. */
function frame(first: number, payload: Buffer, isMasked = true): Buffer {
  const { length } = payload
  const mask = isMasked ? 0x80 : 0
  const head = length < 126 ? [first, mask | length] : length < 65_536 ? [first, mask | 126, length >> 8, length & 255] : [first, mask | 127, 0, 0, 0, 0, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255]
  return Buffer.concat([Buffer.from(isMasked ? [...head, 0, 0, 0, 0] : head), payload])
}

const TEXTS = [
  LOGIN, LOGIN, LOGIN, '[11,1210]', '[11,1210]', '[12,1210]', '[11,1211,{"depthTopic":false}]', '[13]', '[13,1,2,3,4]', '[11,"x"]', '[11,1e400]', '[11,1210,{"x":1}]', '[]', '{}', 'null', '"', '[[[[', '[11', '\u0000', '[11,9007199254740993]', '[14,"p"]', '[11,1210,{"__proto__":{"a":1}}]',
]

function message(draws: Draws): Buffer {
  const requests = createSbeRequests().encoder
  const login = { organization: 'o', applicationName: 'a', applicationVersion: 'v', processId: 'p' }
  switch (draws.below(10)) {
    case 0: return frame(draws.below(256), draws.bytes(200))
    case 1: return frame(0x81, draws.bytes(40), false)
    case 2: return frame(0x82, draws.bytes(400))
    case 3: return frame(0x82, Buffer.from(requests.encode({ kind: 'login', login })))
    case 4: {
      const bytes = Buffer.from(requests.encode({ kind: 'subscribe', subscribe: { instrumentId: 1210, topics: {}, topOfBookCoalescing: false } }))
      if (draws.below(2) === 0) bytes[draws.below(bytes.length)] = draws.below(256)
      return frame(0x82, draws.below(3) === 0 ? bytes.subarray(0, draws.below(bytes.length)) : bytes)
    }
    case 5: return frame(draws.of([0x89, 0x8a, 0x88, 0x01, 0x80, 0x00]), draws.bytes(140))
    case 6: return Buffer.concat(Array.from({ length: draws.below(300) }, () => frame(0x81, Buffer.from('[11,1210]'))))
    case 7: return draws.below(20) === 0 ? frame(0x81, Buffer.alloc(65_000 + draws.below(2000), 91)) : frame(0x81, Buffer.from(draws.of(TEXTS)))
    case 8: return Buffer.concat([frame(0x81, Buffer.from(LOGIN)), frame(0x81, Buffer.from('[11,1210]'))])
    default: return frame(0x81, Buffer.from(draws.of(TEXTS)))
  }
}

/** The pieces that one connection writes; each is an input. */
function inputsOf(draws: Draws, key: string): Buffer[] {
  const begin = draws.below(12)
  if (begin === 0) return [draws.bytes(300)]
  const handshake = Buffer.from(HANDSHAKE(draws.of(['/api/v6', '/api/v6', '/api/v6/sbe', '/api/v7']), draws.below(8) === 0 ? '%z' : key))
  if (begin === 1) return [handshake.subarray(0, draws.below(handshake.length))]
  const messages = Array.from({ length: 1 + draws.below(12) }, () => message(draws))
  const last = messages.at(-1) as Buffer
  // Half a message at the end, now and then.
  if (draws.below(3) === 0) messages[messages.length - 1] = last.subarray(0, draws.below(last.length + 1))
  return [handshake, ...messages]
}

/** One connection from its first byte to its end; whoever is not closed by the server goes, mannerly or not. */
function attack(port: number, inputs: readonly Buffer[], draws: Draws): Promise<void> {
  const isAbrupt = draws.below(2) === 0
  const isDeaf = draws.below(4) === 0
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    if (isDeaf) socket.pause()
    else socket.on('data', () => undefined)
    socket.on('connect', () => {
      for (const input of inputs) socket.write(input)
      socket.write('', () => setImmediate(() => {
        if (isAbrupt) socket.resetAndDestroy()
        else socket.destroy()
      }))
    })
  })
}

/** Attacks a server with so many inputs while a well-behaved client reads. */
export async function fuzzFeedServer(inputCount: number, seed: number): Promise<FuzzResult> {
  const draws = new Draws(seed)
  const made = await madeServer({ unsentLimitBytes: 1 << 20, access: { rejection: (key) => (key.startsWith('k') ? null : 'unknown api key'), isPermitted: () => true } })
  const { port } = made.server.addresses[0]!
  const well: FeedPeer = await made.reader('[11,1210]')
  await well.received(1)
  let [inputs, connectionCount, wanted, externalMax] = [0, 0, 0, 0]
  const externalBefore = process.memoryUsage().external
  while (inputs < inputCount) {
    const attacks = Array.from({ length: 8 }, () => {
      const own = inputsOf(draws, `k${connectionCount++ % 3}`)
      inputs += own.length
      return attack(port, own, draws)
    })
    for (const line of [FEED_LINES.snapshot, FEED_LINES.update, FEED_LINES.trades]) made.feed.play(line)
    wanted += 3
    await Promise.all(attacks)
    await well.received(1 + wanted)
    externalMax = Math.max(externalMax, process.memoryUsage().external - externalBefore)
  }
  while (made.server.connections.size > 1) await new Promise((resolve) => setImmediate(resolve))
  return { connectionCount, wanted, received: well.texts.length - 1, left: made.server.connections.size - 1, externalMax }
}
