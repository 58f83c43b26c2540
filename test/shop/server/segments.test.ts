import fc from 'fast-check'
import { renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type FileStretch, partsWithin, type Segment, type Segments, segmentsOf } from '../../../src/shop/server/segments.js'
import { fileSegments, readSegments } from '../../../src/shop/server/segments-reader.js'
import { newFolder } from '../../support/new-folder.ts'
import { refusalOf } from '../../support/collected.ts'

const folder = newFolder()
const path = join(folder, 'day.txt.zst')
const CONTENT = Buffer.from([...Array(100).keys()])
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values)

async function read(parts: readonly Segment[], bufferBytes = 16): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of readSegments(parts, new Uint8Array(bufferBytes))) pieces.push(Buffer.from(piece))
  expect(pieces.slice(0, -1).every((piece) => piece.length === bufferBytes)).toBe(true)
  return Buffer.concat(pieces)
}

let made = 0
/** A file of its own, as it was looked at. */
async function looked(content: Uint8Array = CONTENT): Promise<{ readonly path: string, readonly segments: Segments }> {
  const one = join(folder, `file-${made++}`)
  writeFileSync(one, content)
  return { path: one, segments: await fileSegments(one) }
}

beforeAll(() => { writeFileSync(path, CONTENT) })

describe('what cannot be served', () => {
  test.each([
    ['gone', 'FILE_NOT_FOUND', /the system says ENOENT/], ['day.txt.zst/in-it', 'FILE_NOT_FOUND', /the system says ENOTDIR/], ['.', 'FILE_UNREADABLE', /expected a file, found something else/],
    ['\0', 'FILE_UNREADABLE', /null bytes/],
  ])('%j is refused', async (name, code, words) => {
    const { code: found, message } = await refusalOf(() => fileSegments(name === '.' ? folder : `${folder}/${name}`))
    expect(found).toBe(code)
    expect(message).toMatch(words)
  })

  test.each<readonly [what: string, act: (path: string) => void, code: string]>([
    ['goes', (one) => { rmSync(one) }, 'FILE_NOT_FOUND'],
    ['shrinks', (one) => { truncateSync(one, 99) }, 'FILE_UNREADABLE'],
    ['grows', (one) => { truncateSync(one, 101) }, 'FILE_UNREADABLE'],
    ['becomes empty', (one) => { truncateSync(one, 0) }, 'FILE_UNREADABLE'],
    ['is touched', (one) => { utimesSync(one, 1, 1) }, 'FILE_UNREADABLE'],
    ['is written again', (one) => { writeFileSync(one, CONTENT) }, 'FILE_UNREADABLE'],
    ['gives its place to another', (one) => {
      writeFileSync(`${one}.new`, CONTENT)
      utimesSync(`${one}.new`, 1, 1)
      renameSync(`${one}.new`, one)
    }, 'FILE_UNREADABLE'],
  ])('a file that %s after it was looked at', async (_, act, code) => {
    const { path: one, segments } = await looked()
    await new Promise((resolve) => setTimeout(resolve, 20))
    act(one)
    const { code: found, place } = await refusalOf(() => read(segments.parts))
    expect([found, place.file]).toEqual([code, one])
    // A part that lies wholly in what is left, too.
    expect((await refusalOf(() => read(partsWithin(segments.parts, 0, 5)))).code).toBe(code)
  })

  test.each<readonly [what: string, act: (path: string) => void]>([
    ['shrinks', (one) => { truncateSync(one, 50) }], ['grows', (one) => { truncateSync(one, 200) }], ['is written over', (one) => { writeFileSync(one, Buffer.alloc(100, 7)) }],
  ])('a file that %s while it is read ends in an error before its last byte', async (_, act) => {
    const { path: one, segments } = await looked()
    const pieces = readSegments([...segments.parts, bytes(1)], new Uint8Array(16))
    let count = (await pieces.next()).value?.length ?? 0
    await new Promise((resolve) => setTimeout(resolve, 20))
    act(one)
    const { code } = await refusalOf(async () => { for await (const piece of pieces) count += piece.length })
    expect(code).toBe('FILE_UNREADABLE')
    expect(count).toBeLessThan(100)
  })

  test('an empty file that is gone is missed too', async () => {
    const { path: one, segments } = await looked(bytes())
    expect(await read(segments.parts)).toHaveLength(0)
    rmSync(one)
    expect((await refusalOf(() => read([bytes(1), ...segments.parts]))).code).toBe('FILE_NOT_FOUND')
  })
})

describe('an ETag', () => {
  test('of other parts is another, of the same ones the same', async () => {
    const file = await fileSegments(path)
    const stretch = file.parts[0] as FileStretch
    const things = [
      [], [bytes()], [bytes(1)], [bytes(1, 2)], [bytes(1), bytes(2)], [bytes(2, 1)], [bytes(50)], file.parts, [...file.parts, ...file.parts], [bytes(1), ...file.parts], [...file.parts, bytes(1)],
      partsWithin(file.parts, 0, 99), partsWithin(file.parts, 1, 100), partsWithin(file.parts, 1, 99), [{ ...stretch, path: '/elsewhere' }], [{ ...stretch, stamp: '100-1-1' }],
    ] as readonly (readonly Segment[])[]
    const etags = things.map((parts) => segmentsOf(parts).etag)
    expect(new Set(etags).size).toBe(things.length)
    expect(things.map((parts) => segmentsOf(parts, 5).etag)).toEqual(etags)
    expect(etags.every((etag) => /^"[\w-]{32}"$/.test(etag))).toBe(true)
    expect(await fileSegments(path)).toEqual(file)
  })

  test('changes with the file, and so does the date', async () => {
    const { path: one, segments } = await looked()
    await new Promise((resolve) => setTimeout(resolve, 20))
    writeFileSync(one, CONTENT)
    utimesSync(one, 1, 1)
    const again = await fileSegments(one)
    expect(again.etag).not.toBe(segments.etag)
    expect(again.modifiedMs).toBeGreaterThanOrEqual(segments.modifiedMs!)
  })
})

test('every stretch of every mixture of bytes and files is that of the whole', async () => {
  const file = await fileSegments(path)
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map((value): { parts: readonly Segment[], plain: Uint8Array } => ({ parts: [value], plain: value })),
    fc.tuple(fc.nat(100), fc.nat(100)).map(([a, b]) => ({ parts: partsWithin(file.parts, Math.min(a, b), Math.max(a, b)), plain: CONTENT.subarray(Math.min(a, b), Math.max(a, b)) })),
  )
  await fc.assert(fc.asyncProperty(fc.array(piece, { maxLength: 5 }), fc.nat(300), fc.nat(300), fc.integer({ min: 1, max: 40 }), async (pieces, a, b, bufferBytes) => {
    const whole = Buffer.concat(pieces.map(({ plain }) => plain))
    const { parts, sizeBytes } = segmentsOf(pieces.flatMap((one) => one.parts))
    expect(sizeBytes).toBe(whole.length)
    expect((await read(parts, bufferBytes)).equals(whole)).toBe(true)
    const [from, end] = [Math.min(a, b), Math.max(a, b)]
    expect((await read(partsWithin(parts, from, end), bufferBytes)).equals(whole.subarray(from, end))).toBe(true)
  }), { numRuns: 400 })
})
