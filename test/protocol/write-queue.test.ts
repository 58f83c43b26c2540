import { expect, test } from 'vitest'
import { PongWatch } from '../../src/protocol/pong-watch.js'
import { WriteQueue } from '../../src/protocol/write-queue.js'

/** A socket that takes pieces when it is told to. */
class MadeSocket {
  readonly given: string[] = []
  isReady = true
  takesOne = false
  #onTaken: (() => void)[] = []

  write(piece: string, onTaken: () => void): void {
    this.given.push(piece)
    this.#onTaken.push(onTaken)
    if (this.takesOne) this.isReady = false
  }

  take(): void {
    this.isReady = true
    for (const onTaken of this.#onTaken.splice(0)) onTaken()
  }
}

test('a socket is given a piece when it is ready, all in their order, and actions in their turn', () => {
  const socket = new MadeSocket()
  socket.takesOne = true
  const queue = new WriteQueue<string>(socket)
  const done: string[] = []
  for (const piece of ['a', 'bb', 'ccc']) queue.push(piece)
  queue.then(() => { done.push(`behind ${socket.given.join(' ')}`) })
  queue.push('d')
  expect([socket.given, queue.givenBytes, queue.waitingBytes, done]).toEqual([['a'], 1, 6, []])
  socket.take()
  socket.take()
  expect([socket.given, done]).toEqual([['a', 'bb', 'ccc'], ['behind a bb ccc']])
  socket.take()
  expect([socket.given.at(-1), queue.givenBytes, queue.waitingBytes]).toEqual(['d', 7, 0])
})

test('what was dropped never comes; what is held waits; a push from within an action comes behind it', () => {
  const socket = new MadeSocket()
  const queue = new WriteQueue<string>(socket)
  queue.isHeld = true
  queue.push('held')
  queue.then(() => { queue.push('behind') })
  expect(socket.given).toEqual([])
  queue.isHeld = false
  expect(socket.given).toEqual(['held', 'behind'])
  socket.isReady = false
  queue.push('dropped')
  queue.clear()
  socket.take()
  queue.push('next')
  expect([socket.given.at(-1), queue.waitingBytes, queue.givenBytes]).toEqual(['next', 0, 14])
})

test('a thousand pieces through a socket that takes one at a time', () => {
  const socket = new MadeSocket()
  socket.takesOne = true
  const queue = new WriteQueue<string>(socket)
  const pieces = Array.from({ length: 1000 }, (_, at) => String(at))
  for (const piece of pieces) queue.push(piece)
  for (let turn = 0; turn < 1000; turn++) socket.take()
  expect(socket.given).toEqual(pieces)
})

test.each([
  ['soon', 999, 32, 8_388_608], ['soon, but few', 999, 2, 1_048_576 + 8 * 65_536], ['late', 1_000, 16, 1_048_576],
])('a client whose pongs come %s (%d ms) for %d pings may have %d bytes ahead of them', (_name, ms, count, ahead) => {
  const watch = new PongWatch(30_000)
  expect([watch.mayBeGiven(1_048_575), watch.mayBeGiven(1_048_576)]).toEqual([true, false])
  for (let at = 1; at <= count; at++) watch.ping(0, at * 65_536)
  watch.pong(ms, count)
  const read = count * 65_536
  expect(watch.readBytes).toBe(read)
  expect([watch.mayBeGiven(read + ahead - 1), watch.mayBeGiven(read + ahead)]).toEqual([true, false])
  // One late pong, and it has little ahead again.
  const last = watch.ping(5_000, read + 1)!
  watch.pong(6_000, last)
  expect([watch.mayBeGiven(read + 1_048_576), watch.mayBeGiven(read + 1_048_577)]).toEqual([true, false])
})

test('a slow client is there while its pongs come; one that stops is not', () => {
  const watch = new PongWatch(30_000)
  for (let at = 0; at < 20; at++) {
    expect(watch.ping(at * 5_000, at * 100)).toBe(at + 1)
    watch.pong(at * 5_000 + 4_000, at)
  }
  // Pings 1 to 20, pongs up to 19: the last pong came at 99 s.
  expect(watch.readBytes).toBe(1_800)
  expect(watch.ping(128_999, 0)).toBe(21)
  expect(watch.ping(129_000, 0)).toBeNull()
  // A pong of a ping that was never sent says nothing; one of the last answers all.
  watch.pong(129_000, 99)
  expect(watch.ping(129_000, 0)).toBeNull()
  watch.pong(129_000, 21)
  expect(watch.ping(1_000_000, 0)).toBe(22)
})
