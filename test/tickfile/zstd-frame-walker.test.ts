import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BacktapeError } from '../../src/model/error.js'
import { ZstdFrameWalker } from '../../src/tickfile/zstd/zstd-frame-walker.js'
import { block, bytesOf, frame, littleEndian, MAGIC, rawBlock, skippable } from '../support/zstd-frames.js'

function walk(chunks: readonly Uint8Array[], windowLimitBytes = 2 ** 27): unknown[] {
  const walker = new ZstdFrameWalker({ fileName: 'made-up.zst', windowLimitBytes })
  const pieces: unknown[] = []
  for (const chunk of chunks) {
    walker.push(chunk)
    for (let piece = walker.next(); piece !== null; piece = walker.next()) pieces.push(structuredClone(piece))
  }
  walker.end()
  return pieces
}

function refusal(bytes: Uint8Array, windowLimitBytes?: number): string {
  try {
    walk([bytes], windowLimitBytes)
  } catch (error) {
    const { code, place, message } = error as BacktapeError
    expect(message).toContain('made-up.zst')
    expect(message).toContain(`at byte ${place.byteOffset}`)
    return `${code} ${place.byteOffset}: ${place.found}`
  }
  return 'none'
}

const header = (descriptor: number, ...rest: (number | number[])[]): Uint8Array => bytesOf(MAGIC, descriptor, ...rest)
const HELLO = frame(rawBlock('hello'))

describe('what a walk gives', () => {
  test('frame, blocks and end, with their offsets', () => {
    expect(walk([bytesOf(skippable([1, 2, 3], 7), frame(rawBlock('he', false), rawBlock('llo')))])).toEqual([
      { kind: 'frame', header: { byteOffset: 11, windowBytes: 1024, contentBytes: null, hasChecksum: false } },
      { kind: 'block', bytes: rawBlock('he', false), byteOffset: 17 },
      { kind: 'block', bytes: rawBlock('llo'), byteOffset: 22 },
      { kind: 'end', checksum: null, byteOffset: 28 },
    ])
  })

  test.each([
    ['window descriptor 8, mantissa 3', header(0, 0x0b), 1024 * 2 + 3 * 256, null],
    ['single segment, one byte of size', header(0x20, 5), 5, 5],
    ['single segment, two bytes of size', header(0x60, littleEndian(1000 - 256, 2)), 1000, 1000],
    ['four bytes of size', header(0x80, 0, littleEndian(70_000, 4)), 1024, 70_000],
    ['eight bytes of size', header(0xc0, 0, littleEndian(2 ** 40, 8)), 1024, 2 ** 40],
    ['two bytes of dictionary id 0: no dictionary', header(0x02, 0, 0, 0), 1024, null],
  ])('%s', (_, head, windowBytes, contentBytes) => {
    expect(walk([bytesOf(head, block(0, 0, []))])[0]).toEqual({ kind: 'frame', header: { byteOffset: 0, windowBytes, contentBytes, hasChecksum: false } })
  })

  test('a checksum', () => {
    expect(walk([bytesOf(header(4, 0), rawBlock('x'), [9, 8, 7, 6])]).at(-1)).toEqual({ kind: 'end', checksum: bytesOf(9, 8, 7, 6), byteOffset: 10 })
  })

  test('only skippable frames: nothing', () => {
    expect(walk([bytesOf(skippable([]), skippable([0x28, 0xb5, 0x2f, 0xfd], 15))])).toEqual([])
  })

  test('every chunking gives the same pieces', () => {
    const file = bytesOf(skippable([5, 6]), HELLO, skippable([]), header(0xa4, littleEndian(5, 4)), block(1, 3, [65], false), block(0, 2, [66, 67]), [1, 2, 3, 4], HELLO)
    const whole = walk([file])
    fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: file.length }), { maxLength: 30 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), file.length]
      expect(walk(at.slice(1).map((end, i) => file.slice(at[i], end)))).toEqual(whole)
    }))
    expect(walk(Array.from(file, (byte) => Uint8Array.of(byte)))).toEqual(whole)
  })
})

describe('what it refuses', () => {
  test.each([
    ['nothing', [], 'NOT_ZSTD 0: an empty file'],
    ['gzip', [0x1f, 0x8b, 8, 0, 0, 0], 'NOT_ZSTD 0: gzip'],
    ['gzip, cut', [0x1f, 0x8b, 8], 'NOT_ZSTD 0: gzip'],
    ['zip', [0x50, 0x4b, 3, 4, 0], 'NOT_ZSTD 0: a zip archive'],
    ['JSON', Buffer.from('{"instrument":'), 'NOT_ZSTD 0: plain text (JSON), already decompressed'],
    ['other bytes', [1, 2, 3, 4], 'NOT_ZSTD 0: bytes 01 02 03 04'],
    ['zstd 0.7', [0x27, 0xb5, 0x2f, 0xfd], 'NOT_ZSTD 0: a frame of zstd before 0.8 (recompress it with a current zstd)'],
    ['zstd 0.1', [0x1e, 0xb5, 0x2f, 0xfd], 'NOT_ZSTD 0: a frame of zstd before 0.8 (recompress it with a current zstd)'],
    ['a dictionary', [0x37, 0xa4, 0x30, 0xec], 'NOT_ZSTD 0: a zstd dictionary'],
    ['rubbish after a frame', bytesOf(HELLO, Buffer.from('rest')), 'ZSTD_DAMAGED 14: bytes 72 65 73 74'],
    ['a little rubbish after a frame', bytesOf(HELLO, 7), 'ZSTD_DAMAGED 14: bytes 07'],
    ['reserved bit', header(8, 0), 'ZSTD_DAMAGED 4: 1'],
    ['dictionary', header(1, 0, 9), 'ZSTD_UNSUPPORTED 6: dictionary 9'],
    ['dictionary of a single segment', header(0x23, [1, 0, 0, 1], 0), 'ZSTD_UNSUPPORTED 5: dictionary 16777217'],
    ['window of zstd --long=28', header(0, 0x90), 'ZSTD_UNSUPPORTED 4: 268435456 bytes'],
    ['single segment beyond the window', header(0xa0, littleEndian(2 ** 27 + 1, 4)), 'ZSTD_UNSUPPORTED 4: 134217729 bytes'],
    ['reserved block', frame(block(3, 1, [0])), 'ZSTD_DAMAGED 6: 3 (reserved)'],
    ['raw block beyond the window', frame(block(0, 1025, [])), 'ZSTD_DAMAGED 6: 1025 bytes'],
    ['run beyond the window', frame(block(1, 1025, [0])), 'ZSTD_DAMAGED 6: 1025 bytes'],
    ['block beyond 128 KiB', bytesOf(MAGIC, 0, 0x60, block(2, 131_073, [])), 'ZSTD_DAMAGED 6: 131073 bytes'],
    ['compressed block of nothing', frame(block(2, 1, [0])), 'ZSTD_DAMAGED 6: 1'],
  ])('%s', (_, bytes, expected) => {
    expect(refusal(Uint8Array.from(bytes))).toBe(expected)
  })

  test('a window beyond a smaller or larger limit', () => {
    const long = bytesOf(header(0, 0x90), block(0, 0, []))
    expect(refusal(long, 2 ** 28)).toBe('none')
    expect(refusal(long, 2 ** 28 - 1)).toBe('ZSTD_UNSUPPORTED 4: 268435456 bytes')
    expect(refusal(HELLO, 1023)).toBe('ZSTD_UNSUPPORTED 4: 1024 bytes')
  })

  test('every cut, with the length of the file', () => {
    const file = bytesOf(skippable([5, 6]), header(0x24, 5), rawBlock('hello'), [1, 2, 3, 4])
    for (let length = 1; length < file.length; length++) {
      if (length === 10) expect(refusal(file.slice(0, length))).toBe('none')
      else expect(refusal(file.slice(0, length))).toMatch(new RegExp(`^ZSTD_TRUNCATED ${length}: the end of the file within (its|a) `))
    }
  })
})
