import { expect, test } from 'vitest'
import { AwaitedReaders, type ReaderParts } from '../../src/serve/awaited-readers.js'
import { MARKET, servers } from '../support/served-days.ts'

const MIB = 1 << 20
const serve = servers()

/** A connection that is sent things and takes some. */
class MadeReader {
  get unreadBytes(): number {
    return this.unsentBytes
  }

  unsentBytes = 0
  takenBytes = 0
  isStalled = false

  send(bytes: number): void {
    this.unsentBytes += bytes
  }
  read(bytes: number): void {
    this.unsentBytes -= bytes
    this.takenBytes += bytes
  }
}

class Watched {
  nowMs = 0
  readonly #readers: AwaitedReaders

  constructor(...readers: readonly MadeReader[]) {
    const connections = new Set(readers) as unknown as ReaderParts['feed']['connections']
    this.#readers = new AwaitedReaders({ feed: { connections }, orderEntry: { connections: new Set() }, nowMs: () => this.nowMs })
  }

  /** For how many milliseconds somebody is waited for, at most so many; `meanwhile` happens each millisecond. */
  waited(mostMs: number, meanwhile: () => void = () => undefined): number {
    const beginMs = this.nowMs
    while (this.#readers.isBehind(MIB) && this.nowMs - beginMs < mostMs) {
      this.nowMs++
      meanwhile()
    }
    return this.nowMs - beginMs
  }
}

test('a reader that does not read is waited for once, however often one looks', () => {
  const [silent, good] = [new MadeReader(), new MadeReader()]
  const watched = new Watched(silent, good)
  silent.send(2 * MIB)
  expect(watched.waited(5_000)).toBe(1_001)
  for (let look = 0; look < 10_000; look++) {
    silent.send(100)
    watched.nowMs += 7
    expect(watched.waited(5_000)).toBe(0)
  }
  // Others still set the pace.
  good.send(2 * MIB)
  expect(watched.waited(5_000, () => { good.read(16_384) })).toBe(64)
})

test('a reader that trickles is left as well: a byte now and then is no reading', () => {
  const trickling = new MadeReader()
  const watched = new Watched(trickling)
  trickling.send(8 * MIB)
  expect(watched.waited(60_000, () => { trickling.read(50) })).toBe(1_001)
})

test('a slow reader sets the pace as long as it takes 64 KiB in a second', () => {
  const slow = new MadeReader()
  const watched = new Watched(slow)
  slow.send(2 * MIB)
  expect(watched.waited(60_000, () => { slow.read(70) })).toBe(Math.ceil(MIB / 70))
})

test('a reader that reads again is waited for again, before it has caught up', () => {
  const reader = new MadeReader()
  const watched = new Watched(reader)
  reader.send(4 * MIB)
  watched.waited(5_000)
  reader.read(70_000)
  expect(watched.waited(60_000, () => { reader.read(1_000) })).toBeGreaterThan(2_000)
  expect(reader.unsentBytes).toBeLessThanOrEqual(MIB)
  // One that is over is forgotten: it has its second again.
  reader.send(MIB)
  expect(watched.waited(5_000)).toBe(1_001)
})

test.each([101, 1_000, 60_000])('a server that was away for %d ms between two looks has not found a reader silent', (awayMs) => {
  const reader = new MadeReader()
  const watched = new Watched(reader)
  reader.send(8 * MIB)
  // It reads 64 KiB each second turn: while the server is away nothing of it is seen.
  for (let turn = 0; turn < 60; turn++) {
    expect(watched.waited(1)).toBe(1)
    watched.nowMs += awayMs
    if (turn % 2 === 1) reader.read(65_536)
  }
  // One that reads nothing is left after ten such looks.
  let looks = 0
  while (watched.waited(1) === 1) {
    watched.nowMs += awayMs
    looks++
  }
  expect(looks).toBe(10)
})

test('a connection that is stalled on demand is not waited for at all', () => {
  const stalled = new MadeReader()
  const watched = new Watched(stalled)
  stalled.isStalled = true
  stalled.send(4 * MIB)
  expect(watched.waited(5_000)).toBe(0)
  stalled.isStalled = false
  expect(watched.waited(5_000)).toBe(1_001)
})

test.each([['does not read', false], ['is stalled on demand', true]])(
  'at max, one client that %s is closed at its limit, and the other waits for it a second at most', { timeout: 60_000 }, async (_name, isOnDemand) => {
    const served = await serve({
      replay: { speed: 'max', start: 'paused', loop: true },
      keys: [{ key: 'k', markets: [MARKET], days: 'always' }],
    })
    const [silent, good] = [await served.reader(), await served.reader()]
    if (isOnDemand) [...served.serving.feed.connections][0]!.isStalled = true
    else silent.socket.pause()
    const isOpen = (): boolean => served.serving.feed.connections.size === 2
    await served.post('resume')
    const beginMs = performance.now()
    while (isOpen() && performance.now() - beginMs < 30_000) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(isOpen()).toBe(false)
    expect(good.closeCode).toBeNull()
    silent.socket.resume()
    expect((await silent.toEnd()).slice(-2)).toEqual(['protocol violation: slow consumer', 1008])
  },
)
