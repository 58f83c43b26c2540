import type { FileHandle } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BlockWriter } from '../../../src/shop/client/block-writer.js'
import { caseCount } from '../../support/repetitions.ts'

const BLOCK = 1 << 20

/** A file in memory that takes a part of what it is given, later; a call in `fails` fails. */
class SlowFile {
  readonly bytes = new Uint8Array(5 * BLOCK)
  readonly fails = new Set<number>()
  calls = 0
  isBusy = false

  async write(from: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }> {
    const call = this.calls++
    if (this.isBusy) throw new Error('two at once')
    this.isBusy = true
    await new Promise((resolve) => setImmediate(resolve))
    this.isBusy = false
    if (this.fails.has(call)) throw new Error(`call ${call}`)
    const bytesWritten = Math.min(length, 700_001)
    this.bytes.set(from.subarray(offset, offset + bytesWritten), position)
    return { bytesWritten }
  }
}

const opened = (): { readonly file: SlowFile, readonly writer: BlockWriter } => {
  const file = new SlowFile()
  return { file, writer: new BlockWriter(file as unknown as FileHandle) }
}
const numbered = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255)
const WHOLE = numbered(4 * BLOCK)

describe('bytes in blocks', () => {
  test('are where they belong, however they come', async () => {
    const lengths = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: BLOCK + 9 })), { maxLength: 7 })
    await fc.assert(fc.asyncProperty(fc.nat(99), lengths, async (first, pieces) => {
      const { file, writer } = opened()
      let at = first
      for (const length of pieces) {
        // What was given may be used anew at once.
        const piece = WHOLE.slice(at, at + length)
        await writer.write(piece, at)
        piece.fill(0)
        at += piece.length
        if (length === 5) await writer.flush()
      }
      await writer.flush()
      expect(Buffer.from(file.bytes.buffer, first, at - first).equals(WHOLE.subarray(first, at))).toBe(true)
      expect(Buffer.from(file.bytes.buffer, 0, first).every((byte) => byte === 0)).toBe(true)
    }), { numRuns: caseCount(40) })
  })

  test('small ones are written together', async () => {
    const { file, writer } = opened()
    for (let at = 0; at < BLOCK; at += 4096) await writer.write(WHOLE.subarray(at, at + 4096), at)
    await writer.flush()
    expect(file.calls).toBe(2)
  })

  test('a failure is said at each flush, and by the next block, until all is dropped', async () => {
    const { file, writer } = opened()
    file.fails.add(0)
    await writer.write(WHOLE.subarray(0, BLOCK), 0)
    await expect(writer.flush()).rejects.toThrow('call 0')
    await expect(writer.write(WHOLE.subarray(0, BLOCK), BLOCK)).rejects.toThrow('call 0')
    await expect(writer.flush()).rejects.toThrow('call 0')
    await writer.drop()
    await writer.write(WHOLE.subarray(0, 3), 0)
    await writer.flush()
    expect([...file.bytes.subarray(0, 4)]).toEqual([...WHOLE.subarray(0, 3), 0])
  })

  test('what is dropped is never written later', async () => {
    const { file, writer } = opened()
    await writer.write(WHOLE.subarray(0, BLOCK + 3), 0)
    await writer.drop()
    const { calls } = file
    await writer.flush()
    expect([file.calls, file.isBusy]).toEqual([calls, false])
  })
})
