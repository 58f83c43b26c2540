import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openTextStream, type TextSlots, type TextStream } from '../../src/tickfile/zstd/text-stream.js'
import { isNight } from '../support/repetitions.ts'
import { block, bytesOf, DECODERS, frame, MAGIC, rawBlock } from '../support/zstd-frames.js'

const FOLDER = join(import.meta.dirname, '../golden/zstd')
const PACKED = new Uint8Array(readFileSync(join(FOLDER, 'many-blocks.zst')))
const TEXT = readFileSync(join(FOLDER, 'many-blocks.txt'))
const LARGE = bytesOf(PACKED, PACKED, PACKED)
const LARGE_TEXT = Buffer.concat([TEXT, TEXT, TEXT])

function slots(count: number, capacityBytes: number): TextSlots {
  const headroom = 100
  const offsets = Array.from({ length: count }, (_, i) => headroom + i * (headroom + capacityBytes))
  return { buffer: new SharedArrayBuffer((count + 1) * (headroom + capacityBytes)), offsets, capacityBytes }
}

/** A source that counts what is taken and knows whether it was closed. */
class CountingSource {
  taken = 0
  closed = false
  readonly #bytes: Uint8Array
  readonly #chunkBytes: number
  readonly #failAt: number

  constructor(bytes: Uint8Array, chunkBytes = 10_000, failAt = Infinity) {
    this.#bytes = bytes
    this.#chunkBytes = chunkBytes
    this.#failAt = failAt
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < this.#bytes.length; at += this.#chunkBytes) {
        if (at >= this.#failAt) throw new Error('the disk is gone')
        this.taken += Math.min(this.#chunkBytes, this.#bytes.length - at)
        yield this.#bytes.slice(at, at + this.#chunkBytes)
        await new Promise(setImmediate)
      }
    } finally {
      this.closed = true
    }
  }
}

const OPTIONS = { fileName: 'made-up.zst', zstd: 'auto', windowLimitBytes: 2 ** 27 } as const

async function drain(stream: TextStream, { buffer, offsets }: TextSlots, heldMax = 0): Promise<Buffer> {
  const parts: Uint8Array[] = []
  const held: number[] = []
  for (let filled = await stream.next(); filled !== null; filled = await stream.next()) {
    expect(filled.lengthBytes).toBeGreaterThan(0)
    parts.push(new Uint8Array(buffer, offsets[filled.slot], filled.lengthBytes).slice())
    held.push(filled.slot)
    // Slots come back in another order than they went out.
    if (held.length > heldMax) stream.release(held.splice(held.length >> 1, 1)[0]!)
  }
  return Buffer.concat(parts)
}

describe.each(DECODERS)('a file through slots, %s', (zstd) => {
  test.each([
    ['on this thread', PACKED.slice(0, 0), 'empty'],
    ['in the worker', LARGE, LARGE_TEXT],
  ])('%s', async (_, bytes, expected) => {
    const room = slots(3, 50_000)
    const source = new CountingSource(bytes)
    const stream = openTextStream(source, room, { ...OPTIONS, zstd })
    if (expected === 'empty') await expect(stream.next()).rejects.toMatchObject({ code: 'NOT_ZSTD' })
    else expect((await drain(stream, room)).equals(LARGE_TEXT)).toBe(true)
    expect([source.closed, stream.compressedBytes]).toEqual([true, bytes.length])
    expect(await stream.next()).toBeNull()
    await stream.close()
  })

  test.each([[1, 1], [1, 1000], [2, 333], [8, 65_536], [64, 4096], [5, 7777]])('%i slots of %i bytes, chunks of many sizes', async (count, capacity) => {
    // A third of the text fills a thousand small slots, and is enough for the worker.
    const [bytes, whole] = capacity < 100 ? [bytesOf(frame(rawBlock('hello'))), Buffer.from('hello')] : capacity < 4000 && !isNight ? [PACKED, TEXT] : [LARGE, LARGE_TEXT]
    for (const chunkBytes of [1 + count * 97, 300_000]) {
      const room = slots(count, capacity)
      const text = await drain(openTextStream(new CountingSource(bytes, chunkBytes), room, { ...OPTIONS, zstd }), room, count - 1)
      expect(text.equals(whole)).toBe(true)
    }
  })

  test('text before a fault, then the fault, then nothing', async () => {
    const room = slots(2, 50_000)
    const source = new CountingSource(bytesOf(PACKED, PACKED.slice(0, -1)))
    const stream = openTextStream(source, room, { ...OPTIONS, zstd })
    const parts: Buffer[] = []
    await expect((async () => {
      for (let filled = await stream.next(); filled !== null; filled = await stream.next()) {
        parts.push(Buffer.from(new Uint8Array(room.buffer, room.offsets[filled.slot], filled.lengthBytes).slice()))
        stream.release(filled.slot)
      }
    })()).rejects.toMatchObject({ code: 'ZSTD_TRUNCATED', place: { file: 'made-up.zst', byteOffset: 2 * PACKED.length - 1 } })
    expect(Buffer.concat(parts).equals(Buffer.concat([TEXT, TEXT]))).toBe(true)
    expect(source.closed).toBe(true)
    expect(await stream.next()).toBeNull()
  })
})

test('a source that fails: its text so far, then its error', async () => {
  const room = slots(2, 50_000)
  const stream = openTextStream(new CountingSource(LARGE, 10_000, 200_000), room, OPTIONS)
  await expect(drain(stream, room)).rejects.toThrow('the disk is gone')
  await expect(drain(openTextStream(new CountingSource(LARGE, 10_000, 0), room, OPTIONS), room)).rejects.toThrow('the disk is gone')
})

test.each([300, 100_000])('a source that uses its memory again, chunks of %i bytes', async (chunkBytes) => {
  const source = {
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      const memory = new Uint8Array(chunkBytes)
      for (let at = 0; at < LARGE.length; at += chunkBytes) {
        memory.fill(0)
        memory.set(LARGE.subarray(at, at + chunkBytes))
        yield memory.subarray(0, LARGE.length - at)
      }
    },
  }
  const room = slots(2, 50_000)
  expect((await drain(openTextStream(source, room, OPTIONS), room)).equals(LARGE_TEXT)).toBe(true)
})

test('a consumer that stops reading stops the source, and closing ends all', async () => {
  const large = bytesOf(...Array.from({ length: 60 }, () => PACKED))
  const source = new CountingSource(large, 50_000)
  const stream = openTextStream(source, slots(2, 10_000), OPTIONS)
  await stream.next()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(source.taken).toBeLessThan(2_097_152 + 500_000)
  expect(source.taken).toBeLessThan(large.length / 2)
  await stream.close()
  await stream.close()
  expect(source.closed).toBe(true)
  expect(await stream.next()).toBeNull()
})

test('closing before anything was read, and while a read hangs', async () => {
  const source = new CountingSource(LARGE)
  await openTextStream(source, slots(1, 10), OPTIONS).close()
  expect(source.taken).toBe(0)
  const stuck = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }
  const stream = openTextStream(stuck, slots(1, 10), OPTIONS)
  const pending = stream.next()
  await stream.close()
  expect(await Promise.race([pending, Promise.resolve('still reading')])).toBe('still reading')
})

test('closing while a next waits gives null', async () => {
  let stop: () => void = () => undefined
  const source = {
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      yield LARGE.slice(0, 100_000)
      await new Promise<void>((resolve) => { stop = resolve })
    },
  }
  const room = slots(2, 1 << 20)
  const stream = openTextStream(source, room, OPTIONS)
  // What came before the source fell silent is not held back.
  expect((await stream.next())?.lengthBytes).toBeGreaterThan(0)
  const pending = stream.next()
  setTimeout(() => { void stream.close() }, 50)
  expect(await pending).toBeNull()
  stop()
})

test('a bomb: gigabytes from a few kilobytes pass through two small slots', { timeout: 180_000 }, async () => {
  const run = block(1, 131_072, [10], false)
  const bomb = bytesOf(MAGIC, 0, 0x38, ...Array.from({ length: 8000 }, () => run), block(1, 0, [0]))
  const room = slots(2, 1 << 20)
  const before = process.memoryUsage().rss
  const stream = openTextStream(new CountingSource(bomb, 1 << 16), room, OPTIONS)
  let total = 0
  for (let filled = await stream.next(); filled !== null; filled = await stream.next()) {
    total += filled.lengthBytes
    stream.release(filled.slot)
  }
  expect(total).toBe(8000 * 131_072)
  expect(process.memoryUsage().rss - before).toBeLessThan(60e6)
})

test('many files at once and after each other, sharing workers', { timeout: 180_000 }, async () => {
  const one = async (): Promise<void> => {
    for (let i = 0; i < 4; i++) {
      const room = slots(3, 20_000)
      expect((await drain(openTextStream(new CountingSource(LARGE, 60_000), room, OPTIONS), room)).equals(LARGE_TEXT)).toBe(true)
    }
  }
  await Promise.all([one(), one(), one(), one()])
})

test('a process ends with a stream half read, closed or not', { timeout: 180_000 }, async () => {
  const url = new URL('../../dist/tickfile/zstd/text-stream.js', import.meta.url).href
  const script = `
    import { readFileSync } from 'node:fs'
    import { openTextStream } from '${url}'
    const bytes = readFileSync(process.argv[1])
    const source = { async *[Symbol.asyncIterator]() { for (;;) yield Uint8Array.from(bytes) } }
    const room = { buffer: new SharedArrayBuffer(30000), offsets: [0, 10000], capacityBytes: 10000 }
    const stream = openTextStream(source, room, { fileName: 'x', zstd: 'auto', windowLimitBytes: 2 ** 27 })
    await stream.next()
    if (process.argv[2] === 'close') await stream.close()
    console.log('done')`
  for (const how of ['close', 'leave']) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, join(FOLDER, 'many-blocks.zst'), how], { timeout: 180_000 })
    expect(stdout).toBe('done\n')
  }
})

test.each([1, 2, 3, 4, 5, 6, 7, 8])('a stop within call %i of next, whatever it is busy with, is no end of the text', async (call) => {
  const own = slots(2, 4096)
  const controller = new AbortController()
  const stream = openTextStream(new CountingSource(LARGE), own, OPTIONS, controller.signal)
  for (let before = 1; before < call; before++) stream.release((await stream.next())!.slot)
  const next = stream.next()
  controller.abort()
  await expect(next).rejects.toMatchObject({ code: 'STOPPED' })
  await expect(stream.next()).rejects.toMatchObject({ code: 'STOPPED' })
})
