import fc from 'fast-check'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { FrameSplitter } from '../../src/feed/frame-splitter.js'

/** The receiver of `ws`, which has no types. */
interface Receiver {
  on(event: string, listener: (data: Buffer, isBinary: boolean) => void): void
  write(bytes: Buffer): boolean
}
const { Receiver } = createRequire(import.meta.url)('ws') as { readonly Receiver: new (options: { readonly maxPayload: number }) => Receiver }
const MAX = 400_000

/** A receiver that notes what it finds. */
function noting(said: string[], onError: () => void = () => undefined): Receiver {
  const receiver = new Receiver({ maxPayload: MAX })
  receiver.on('message', (data, isBinary) => said.push(`${isBinary ? 'binary' : 'text'} ${data.toString('latin1')}`))
  receiver.on('ping', (data) => said.push(`ping ${data.toString('latin1')}`))
  receiver.on('pong', (data) => said.push(`pong ${data.toString('latin1')}`))
  receiver.on('conclude', () => said.push('close'))
  receiver.on('error', () => {
    said.push('error')
    onError()
  })
  return receiver
}

/** What `ws` alone finds, and what a splitter before it does. */
async function both(bytes: Buffer, cuts: readonly number[]): Promise<{ readonly alone: string[]; readonly split: string[] }> {
  const alone: string[] = []
  const split: string[] = []
  let isBroken = false
  const reference = noting(alone, () => { isBroken = true })
  const behind = noting(split, () => splitter.stop())
  const splitter = new FrameSplitter({
    onMessage: (memory, from, end, isBinary) => {
      split.push(`${isBinary ? 'binary' : 'text'} ${Buffer.from(memory.subarray(from, end)).toString('latin1')}`)
    },
    onRest: (rest) => { behind.write(rest) },
  })
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  let from = 0
  for (const end of ends) {
    if (end === from) continue
    if (!isBroken) reference.write(Buffer.from(bytes.subarray(from, end)))
    splitter.take(Buffer.from(bytes.subarray(from, end)))
    from = end
    // A socket delivers each chunk in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { alone, split }
}

function frame(first: number, payload: Uint8Array): Buffer {
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), payload])
  if (length < 65_536) return Buffer.concat([Buffer.from([first, 126, length >> 8, length & 255]), payload])
  const head = Buffer.alloc(10)
  head[0] = first
  head[1] = 127
  head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

const size = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 300 }) }, fc.constantFrom(125, 126, 65_535, 65_536, 262_145))
const text = fc.oneof(
  size.map((length) => Buffer.alloc(length, 'abc')), fc.string({ unit: 'binary' }).map((one) => Buffer.from(one)),
)
const small = fc.uint8Array({ maxLength: 20 })
const plain = fc.oneof(text.map((one) => frame(0x81, one)), size.map((length) => frame(0x82, Buffer.alloc(length, 255))))
const odd = fc.oneof(
  small.map((one) => frame(0x89, one)), small.map((one) => frame(0x8a, one)),
  fc.tuple(small, small, small).map(([a, b, c]) => Buffer.concat([frame(0x02, a), frame(0x89, b), frame(0x80, c)])),
)
const broken = fc.oneof(
  small.map((one) => frame(0x81, Buffer.concat([one, Buffer.from([0xc3])]))), small.map((one) => frame(0xc1, one)),
  small.map((one) => frame(0x88, Buffer.concat([Buffer.from([3, 232]), Buffer.alloc(one.length, 'x')]))),
  small.map((one) => frame(0x80, one)), fc.constant(Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5])), fc.constant(Buffer.from([0x81])),
)

test('whatever comes in whatever pieces is what ws alone finds', async () => {
  const frames = fc.array(fc.oneof({ weight: 12, arbitrary: plain }, { weight: 3, arbitrary: odd }, { weight: 1, arbitrary: broken }), { maxLength: 30 })
  await fc.assert(fc.asyncProperty(frames, fc.array(fc.nat(), { maxLength: 12 }), async (parts, cuts) => {
    const { alone, split } = await both(Buffer.concat(parts), cuts)
    expect(split).toEqual(alone)
  }), { numRuns: 300 })
})

test('every cut of a few frames', async () => {
  const bytes = Buffer.concat([frame(0x81, Buffer.from('äß')), frame(0x82, Buffer.alloc(130, 1)), frame(0x89, Buffer.from('1')), frame(0x81, Buffer.from('')), frame(0x81, Buffer.from('[1]'))])
  for (let first = 0; first <= bytes.length; first++)
    for (let second = first; second <= bytes.length; second += 7) {
      const { alone, split } = await both(bytes, [first, second])
      expect(split).toEqual(alone)
    }
})
