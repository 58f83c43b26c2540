import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repeated } from '../support/repetitions.ts'
import { block, bytesOf, DECODERS, decompress, frame, littleEndian, MAGIC, rawBlock, skippable, type Outcome } from '../support/zstd-frames.js'

const FOLDER = join(import.meta.dirname, '../golden/zstd')
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.zst')).map((name) => name.slice(0, -4))
const packed = (name: string): Uint8Array => new Uint8Array(readFileSync(join(FOLDER, `${name}.zst`)))
const text = (name: string): Uint8Array => new Uint8Array(readFileSync(join(FOLDER, `${name}.txt`)))
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

function summary({ text: bytes, error }: Outcome): string {
  return error === null ? `whole ${latin1(bytes)}` : `${error.code} ${error.place.byteOffset} after ${latin1(bytes)}`
}

function splits(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...[...cuts].sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.slice(at[i], end))
}

describe.each(DECODERS)('%s', (zstd) => {
  test.each(NAMES)('%s', async (name) => {
    const { text: found, error } = await decompress([packed(name)], zstd)
    // Bytes are compared as bytes: toEqual asks of each of them, for seconds.
    expect([same(found, text(name)), error]).toEqual([true, null])
    expect(same((await decompress([packed(name)], zstd, 997)).text, text(name))).toBe(true)
  })

  test('several frames, skippable ones before, between and behind', async () => {
    const file = bytesOf(skippable([1, 2, 3]), packed('tiny'), skippable([]), packed('empty'), packed('unchecked'), packed('small-window'), skippable([9], 3))
    const expected = Buffer.concat([text('tiny'), text('unchecked'), text('small-window')])
    expect(await decompress([file], zstd)).toEqual({ text: expected, error: null })
  })

  test('every chunking, every room', async () => {
    const file = bytesOf(packed('small-window'), skippable([7]), packed('fast'))
    const expected = Buffer.concat([text('small-window'), text('fast')])
    await fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 0, max: file.length }), { maxLength: 40 }), fc.integer({ min: 1, max: 5000 }), async (cuts, room) => {
      expect(same((await decompress(splits(file, cuts), zstd, room)).text, expected)).toBe(true)
    }), { numRuns: 30 })
    expect(same((await decompress(Array.from(file, (byte) => Uint8Array.of(byte)), zstd)).text, expected)).toBe(true)
  })

  test.each([
    ['raw blocks', frame(rawBlock('he', false), rawBlock('', false), rawBlock('llo')), 'whole hello'],
    ['a run', frame(block(1, 5, [65], false), rawBlock('!')), 'whole AAAAA!'],
    ['a run of nothing', frame(block(1, 0, [65])), 'whole '],
    ['stated size', bytesOf(MAGIC, 0x20, 5, rawBlock('hello')), 'whole hello'],
    ['fewer bytes than stated', bytesOf(frame(rawBlock('ok')), MAGIC, 0x20, 6, rawBlock('hello')), 'ZSTD_CHECKSUM 11 after okhello'],
    ['more bytes than stated', bytesOf(MAGIC, 0x80, 0, littleEndian(4, 4), rawBlock('hel', false), rawBlock('lo')), 'ZSTD_CHECKSUM 0 after hell'],
    ['a size of eight bytes that no file has', bytesOf(MAGIC, 0xc0, 0, littleEndian(2 ** 50, 8), rawBlock('hello')), 'ZSTD_CHECKSUM 0 after hello'],
    ['wrong checksum', bytesOf(MAGIC, 4, 0, rawBlock('hello'), [0, 0, 0, 0]), 'ZSTD_CHECKSUM 0 after hello'],
    ['damaged block', frame(rawBlock('hello', false), block(2, 4, [0xff, 0xff, 0xff, 0xff])), 'ZSTD_DAMAGED 14 after hello'],
    ['cut in the second block', frame(rawBlock('hello', false), rawBlock('world')).slice(0, -2), 'ZSTD_TRUNCATED 20 after hello'],
    ['text before the fault of a later frame', bytesOf(frame(rawBlock('hello')), 1, 2, 3, 4), 'ZSTD_DAMAGED 14 after hello'],
  ])('%s', async (_, bytes, expected) => {
    for (const room of [1, 3, 100]) expect(summary(await decompress([bytes], zstd, room))).toBe(expected)
  })

  // Weights by an FSE table of one symbol: fzstd alone would never come back.
  test('Huffman weights without end are refused', async () => {
    const weights = [4, 0xf0, 0x03, 0, 4]
    const bytes = frame(block(2, 3 + weights.length + 2, [0x02 | (8 << 4), 0xc0, 2, ...weights, 1, 0]))
    expect((await decompress([bytes], zstd)).error?.code).toBe('ZSTD_DAMAGED')
  })

  test('a window beyond what zstd takes by default', async () => {
    const bytes = bytesOf(MAGIC, 0, 0x90, rawBlock('hello'))
    const expected = zstd === 'wasm' ? 'ZSTD_UNSUPPORTED 0 after ' : 'whole hello'
    expect(summary(await decompress([bytes], zstd, 100, 2 ** 28))).toBe(expected)
  })

  test('every prefix: the text so far, then ZSTD_TRUNCATED where the file ends', async () => {
    const file = bytesOf(packed('tiny'), packed('small-window'))
    const whole = Buffer.concat([text('tiny'), text('small-window')])
    const first = packed('tiny').length
    const lengths = Array.from({ length: file.length - 1 }, (_, at) => at + 1)
    // By day all of the first frame and of the head and the end of the second, and every twentieth between.
    for (const length of repeated(lengths, (one) => one < first + 40 || one > file.length - 20 || one % 20 === 0)) {
      const { text: found, error } = await decompress([file.slice(0, length)], zstd)
      expect(same(found, whole.subarray(0, found.length))).toBe(true)
      if (length === first) expect([error, found.length]).toEqual([null, text('tiny').length])
      else expect([error?.code, error?.place.byteOffset]).toEqual(['ZSTD_TRUNCATED', length])
      if (length > first) expect(found.length).toBeGreaterThanOrEqual(text('tiny').length)
    }
  })
})

test('a window beyond what zstd takes by default is taken by auto', async () => {
  expect(summary(await decompress([bytesOf(MAGIC, 0, 0x90, rawBlock('hello'))], 'auto', 100, 2 ** 28))).toBe('whole hello')
})

interface Change { readonly at: number, readonly xor: number }

function changes(length: number, xors: readonly number[]): Change[] {
  return Array.from({ length }, (_, at) => xors.map((xor) => ({ at, xor }))).flat()
}

async function changed(bytes: Uint8Array, { at, xor }: Change): Promise<Outcome[]> {
  const copy = Uint8Array.from(bytes)
  copy[at] = copy[at]! ^ xor
  const outcomes: Outcome[] = []
  for (const zstd of DECODERS) outcomes.push(await decompress([copy], zstd))
  return outcomes
}

describe('single-byte changes of checksummed files, in every decoder', () => {
  const all = Array.from({ length: 255 }, (_, i) => i + 1)
  const isBit = (xor: number): boolean => (xor & (xor - 1)) === 0
  test.each([
    ['one-byte-often', repeated(all, isBit)], ['empty', repeated(all, isBit)], ['tiny', repeated([1, 0x80, 0xff, 0x55, 2, 4, 8, 16, 32, 64], (_, at) => at < 3)],
    ['streamed', repeated([0xff, 1, 16])], ['small-window', repeated([0x80, 1])],
  ] as const)('%s', { timeout: 180_000 }, async (name, xors) => {
    const bytes = packed(name)
    const whole = text(name)
    // By day a long file is changed in its head, its end, and every sixteenth byte between.
    for (const change of repeated(changes(bytes.length, xors), ({ at }) => bytes.length < 300 || at < 40 || at > bytes.length - 20 || at % 16 === 0)) {
      const outcomes = await changed(bytes, change)
      for (const { text: found, error } of outcomes) if (error === null && !same(found, whole)) expect.fail(`other output after ${JSON.stringify(change)}`)
      // A decoder may pass over bits that mean nothing; who refuses, refuses alike.
      const refusals = new Set(outcomes.flatMap(({ error }) => error === null ? [] : [`${error.code} ${error.place.byteOffset}`]))
      if (refusals.size > 1) expect.fail(`${[...refusals].join(', ')} after ${JSON.stringify(change)}`)
    }
  })
})
