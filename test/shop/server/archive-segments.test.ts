import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { extract } from 'tar-stream'
import { fromBufferPromise } from 'yauzl'
import { describe, expect, test } from 'vitest'
import { type FileStretch, type Segment, type Segments, segmentsOf } from '../../../src/shop/server/segments.js'
import { checksumOf, fileSegments, readSegments } from '../../../src/shop/server/segments-reader.js'
import { tarSegments } from '../../../src/shop/server/tar-segments.js'
import { zipSegments, type ZipMember } from '../../../src/shop/server/zip-segments.js'
import { refusalOf } from '../../support/collected.ts'
import { newFolder } from '../../support/new-folder.ts'
import { repeated } from '../../support/repetitions.ts'

const folder = newFolder()
const GIB = 2 ** 30
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const member = (name: string, text = '', modifiedMs = Date.UTC(2024, 7, 8, 9, 10, 12)): ZipMember => ({ name, content: segmentsOf([bytes(text)], modifiedMs), crc32: crc32(bytes(text)) })

async function whole({ parts, sizeBytes }: Segments): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of readSegments(parts, new Uint8Array(1 << 16))) pieces.push(Buffer.from(piece))
  const all = Buffer.concat(pieces)
  expect(all.length).toBe(sizeBytes)
  return all
}

/** The members of a tar, as an independent reader has them: name, content, size, time. */
async function untarred(tar: Buffer): Promise<readonly (readonly [name: string, content: string, size: number, time: number])[]> {
  const found: [string, string, number, number][] = []
  const reader = extract()
  reader.end(tar)
  for await (const entry of reader) {
    const pieces: Buffer[] = []
    for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece)
    found.push([entry.header.name, Buffer.concat(pieces).toString(), entry.header.size, entry.header.mtime.getTime()])
  }
  return found
}

async function unzipped(zip: Buffer): Promise<readonly (readonly [name: string, content: string, crc: number, time: number])[]> {
  const found: [string, string, number, number][] = []
  const reader = await fromBufferPromise(zip, { strictFileNames: true })
  for await (const entry of reader.eachEntry()) {
    const pieces: Buffer[] = []
    for await (const piece of await reader.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
    found.push([entry.fileName, Buffer.concat(pieces).toString(), entry.crc32, entry.getLastModDate({ timezone: 'UTC' }).getTime()])
  }
  return found
}

/** A file that says to be large: only headers are asked of it. */
const vast = (sizeBytes: number): Segments => segmentsOf([{ path: '/vast', stamp: '1', fromByte: 0, sizeBytes }], 0)
/** The bytes in memory of an archive. */
const headers = ({ parts }: Segments): Buffer => Buffer.concat(parts.filter((part): part is Uint8Array => part instanceof Uint8Array))
const offsetOf = (parts: readonly Segment[], path: string, nth = 0): number => {
  let at = 0
  let left = nth
  for (const part of parts) {
    if (!(part instanceof Uint8Array) && part.path === path && left-- === 0) return at
    at += part instanceof Uint8Array ? part.length : part.sizeBytes
  }
  return -1
}

describe.each([['tar', (members: readonly ZipMember[]) => tarSegments(members)], ['zip', zipSegments]])('a %s', (_, make) => {
  test.each([
    '', '/', '/a', 'a/', 'a//b', '.', '..', './a', '../a', 'a/../b', 'a/..', 'a/.', '\\a', 'a\\b', '..\\a', 'C:a', 'c:/a', '\0', 'a\0b', 'a\nb', 'a\u001b[2Jb', 'a\u007f', 'a\u0085b', '\ud800', 'a\udc00b', 'x'.repeat(1025), '\u00e4'.repeat(513),
  ])('refuses the name %j', async (name) => {
    expect(await refusalOf(() => make([member('good'), member(name)]))).toMatchObject({ code: 'OPTION_INVALID', place: { field: 'name', expected: 'a relative path' } })
  })

  test.each([['a', 'a'], ['a', 'A'], ['d/a', 'D/a'], ['\u00e4', 'a\u0308'], ['\u00c4', '\u00e4']])('refuses %j beside %j', async (one, two) => {
    expect(await refusalOf(() => make([member(one), member('b'), member(two)]))).toMatchObject({ code: 'OPTION_INVALID', place: { field: 'name', expected: 'a name of its own' } })
  })

  test('of the same members has the same ETag, of others another, and no date', () => {
    const a = member('a', '1')
    const things = [[], [a], [member('b', '1')], [member('a', '2')], [member('a', '1', 0)], [a, member('b')], [member('b'), a]]
    expect(new Set(things.map((one) => make(one).etag)).size).toBe(things.length)
    expect(make([a])).toEqual(make([member('a', '1')]))
    expect(make([a]).modifiedMs).toBeNull()
  })
})

const NAMES = ['a', 'd/e/f.txt.zst', '...', 'a b', '-rf', '*', '100 %', 'n'.repeat(99), 'n'.repeat(100), 'n'.repeat(101), 'd/'.repeat(60) + 'x', 'x'.repeat(255), 'y'.repeat(1024), '\u00e4\u20ac.txt', '\u{1f600}', '\u00e4'.repeat(512)]
const MEMBERS = NAMES.map((name, index) => member(name, 'z'.repeat(index * 100 + (index === 5 ? 12 : 0))))

describe('another reader', () => {
  test('finds in a tar what was put there', async () => {
    const tar = await whole(tarSegments(MEMBERS))
    expect(tar.length % 512).toBe(0)
    expect(await untarred(tar)).toEqual(MEMBERS.map(({ name, content }) => [name, Buffer.from(content.parts[0] as Uint8Array).toString(), content.sizeBytes, content.modifiedMs]))
    expect(await untarred(await whole(tarSegments([])))).toEqual([])
  })

  test('finds in a zip what was put there', async () => {
    const zip = await whole(zipSegments(MEMBERS))
    expect(await unzipped(zip)).toEqual(MEMBERS.map(({ name, content, crc32: crc }) => [name, Buffer.from(content.parts[0] as Uint8Array).toString(), crc, content.modifiedMs]))
    expect(await unzipped(await whole(zipSegments([])))).toEqual([])
  })

  test('finds any members', async () => {
    const made = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z0-9]{1,120}$/), fc.string({ maxLength: 1100, unit: 'grapheme-ascii' }), fc.integer({ min: 315532800, max: 4354819198 })), { maxLength: 6, selector: ([name]) => name })
    await fc.assert(fc.asyncProperty(made, async (drawn) => {
      const members = drawn.map(([name, text, seconds]) => member(name, text, (seconds - seconds % 2) * 1000))
      expect(await untarred(await whole(tarSegments(members)))).toEqual(members.map(({ name, content }, i) => [name, drawn[i]![1], content.sizeBytes, content.modifiedMs]))
      expect(await unzipped(await whole(zipSegments(members)))).toEqual(members.map(({ name, content, crc32: crc }, i) => [name, drawn[i]![1], crc, content.modifiedMs]))
    }), { numRuns: 100 })
  })

  test.each([[-5, 0, Date.UTC(1980, 0, 1)], [0, 0, Date.UTC(1980, 0, 1)], [Date.UTC(2200, 0, 1), Date.UTC(2200, 0, 1), Date.UTC(2107, 11, 31, 23, 59, 58)], [8.64e15, (8 ** 11 - 1) * 1000, Date.UTC(2107, 11, 31, 23, 59, 58)]])('a time of %i is one that the format has', async (ms, inTar, inZip) => {
    expect((await untarred(await whole(tarSegments([member('a', '', ms)]))))[0]?.[3]).toBe(inTar)
    expect((await unzipped(await whole(zipSegments([member('a', '', ms)]))))[0]?.[3]).toBe(inZip)
  })
})

describe('large members', () => {
  test.each([[8 * GIB - 1, false], [8 * GIB, true], [8 * GIB + 1, true]])('of %i bytes have a pax size in a tar: %j', (sizeBytes, isWide) => {
    const tar = tarSegments([{ name: 'a', content: vast(sizeBytes) }, { name: 'b', content: vast(1) }])
    expect(headers(tar).includes(`size=${sizeBytes}\n`)).toBe(isWide)
    expect(headers(tar).toString('latin1', isWide ? 1024 + 124 : 124, isWide ? 1024 + 135 : 135)).toBe(isWide ? '00000000000' : '77777777777')
    expect(tar.sizeBytes % 512).toBe(0)
    expect(offsetOf(tar.parts, '/vast')).toBe(isWide ? 1536 : 512)
  })

  test.each([[2 ** 32 - 2, 10, 30 + 1], [2 ** 32 - 1, 45, 30 + 1 + 20], [2 ** 32, 45, 30 + 1 + 20]])('of %i bytes need version %i of a zip', (sizeBytes, version, begin) => {
    const zip = zipSegments([{ name: 'a', content: vast(sizeBytes), crc32: 1 }])
    const all = headers(zip)
    expect([all.readUInt16LE(4), offsetOf(zip.parts, '/vast')]).toEqual([version, begin])
    if (version === 45) expect([all.readUInt32LE(18), all.readUInt32LE(22), all.readBigUInt64LE(35), all.readBigUInt64LE(43)]).toEqual([0xffffffff, 0xffffffff, BigInt(sizeBytes), BigInt(sizeBytes)])
  })

  test('a list beyond 4 GiB, and members behind it, are found by zip64', () => {
    const zip = zipSegments([{ name: 'a', content: vast(5 * GIB), crc32: 1 }, { name: 'b', content: segmentsOf([bytes('hello')]), crc32: crc32(bytes('hello')) }])
    const all = headers(zip)
    const end64 = all.indexOf(Buffer.from([0x50, 0x4b, 6, 6]))
    expect(Number(all.readBigUInt64LE(end64 + 32))).toBe(2)
    expect(Number(all.readBigUInt64LE(end64 + 48))).toBe(all.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 5 * GIB)
    expect(Number(all.readBigUInt64LE(end64 + 56 + 8))).toBe(end64 + 5 * GIB)
  })

  test.each(repeated([[65_535, true], [65_534, false]] as const))('%i members need zip64: %j', async (count, isWide) => {
    const zip = await whole(zipSegments(Array.from({ length: count }, (_, index) => member(String(index)))))
    expect(zip.subarray(-98).includes(Buffer.from([0x50, 0x4b, 6, 6]))).toBe(isWide)
    const reader = await fromBufferPromise(zip)
    expect(reader.entryCount).toBe(count)
  })
})

describe('a checksum', () => {
  test('is read beforehand, of the file that is then served', async () => {
    const path = join(folder, 'sparse')
    writeFileSync(path, 'begin')
    truncateSync(path, 3 * 2 ** 20 + 7)
    const handle = openSync(path, 'r+')
    writeSync(handle, 'end', 3 * 2 ** 20 + 4)
    closeSync(handle)
    const content = await fileSegments(path)
    const plain = await whole(content)
    expect(await checksumOf(content)).toBe(crc32(plain))
    expect(await checksumOf(segmentsOf([]))).toBe(0)
    const [entry] = await unzipped(await whole(zipSegments([{ name: 'a', content, crc32: await checksumOf(content) }])))
    expect(Buffer.from(entry![1]).equals(plain)).toBe(true)
    const gone: FileStretch = { ...(content.parts[0] as FileStretch), path: `${path}-gone` }
    expect((await refusalOf(() => checksumOf(segmentsOf([gone])))).code).toBe('FILE_NOT_FOUND')
  })
})
