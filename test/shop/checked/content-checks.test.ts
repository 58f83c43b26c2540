import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createFrameCompressor } from '../../../src/files/zstd-compressor.js'
import { contentChecks } from '../../../src/shop/checked/content-checks.js'
import type { ShopFileKind } from '../../../src/shop/client/byte-check.js'
import type { ExpectedContent, ExpectedDay, ExpectedMember, ShopCheckLevel } from '../../../src/shop/client/byte-checks.js'
import { refusalOf } from '../../support/collected.ts'
import { madeTar, madeZip } from '../../support/made-archives.ts'
import { severalFrames } from '../../support/made-parquet.ts'
import { marketFile } from '../../support/made-market-file.ts'
import { newFolder } from '../../support/new-folder.ts'

const folder = newFolder()
const DAY: ExpectedDay = { instrumentId: 1, code: 'TEST1', exchangeCode: null, date: '2026-07-01' }
const NAMES: Readonly<Record<ShopFileKind, string>> = {
  tick: 'a-TEST1-2026-07-01.txt.zst', gzip: 'a-TEST1-2026-07-01.bbo.csv.gz', parquet: 'a-TEST1-2026-07-01.trades.parquet', zip: 'a.zip', tar: 'a.tar',
}
const MEMBERS: readonly ExpectedMember[] = [1, 2].map((id) => ({ name: `x/TEST${id}-2026-07-01.txt.zst`, instrumentId: id, date: '2026-07-01', sizeBytes: tick(id).length }))

function tick(id = 1): Uint8Array {
  return marketFile([{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, { kind: 'trades', timeNs: 90, rows: [[1, 99, 4]] }], { id })
}

/** A tick file of real frames with checksums, of so many events. */
let compressed = new Uint8Array(0)
beforeAll(async () => {
  const compress = await createFrameCompressor(1)
  const line = '{"instrument":{"id":1,"code":"TEST1","exchange_code":"a_spot","type":"spot","ticksize":0.01,"lot_size":1},"underlyings":[]}\n'
  const texts = [line, ...Array.from({ length: 40 }, (_, at) => `${`nothing ${at} `.repeat(3000)}\n`)]
  compressed = Buffer.concat(texts.map((text) => compress(new TextEncoder().encode(text))))
})

interface Checked { readonly kind: ShopFileKind, readonly bytes: Uint8Array, readonly pieceBytes?: number, readonly level?: Exclude<ShopCheckLevel, 'none'>, readonly more?: Partial<ExpectedContent> }

/** The check of bytes that come in pieces whose memory is used again. */
async function checked({ kind, bytes, pieceBytes = 1000, level = 'whole', more = {} }: Checked): Promise<void> {
  const name = NAMES[kind]
  const check = contentChecks({ name, kind, day: kind === 'zip' || kind === 'tar' ? null : DAY, members: null, ...more }, level)!
  const piece = new Uint8Array(pieceBytes)
  const path = join(folder, `${name}.part`)
  try {
    await check.begin(name, kind)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const length = Math.min(pieceBytes, bytes.length - at)
      piece.set(bytes.subarray(at, at + length))
      await check.take(piece.subarray(0, length))
    }
    writeFileSync(path, bytes)
    await check.end(path)
  } finally {
    await check.close?.()
  }
}

const codeOf = async (one: Checked): Promise<string> => checked(one).then(() => 'sound', (error: unknown) => (error as { code: string }).code)

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const other = bytes.slice()
  other[at < 0 ? bytes.length + at : at]! ^= 0x40
  return other
}

const rows = (): Uint8Array => gzipSync(Buffer.from(Array.from({ length: 3000 }, (_, at) => `${at},${at * at}\n`).join('')))

describe('a file that is whole and the one that was bought', () => {
  test.each([1, 7, 100, 100_000])('is sound in pieces of %s bytes', async (pieceBytes) => {
    const members = MEMBERS.map(({ name, instrumentId }) => ({ name, content: tick(instrumentId) }))
    const files: readonly (readonly [ShopFileKind, Uint8Array])[] = [
      ['tick', tick()], ['gzip', rows()], ['gzip', Buffer.concat([rows(), rows()])], ['parquet', await severalFrames()], ['tar', await madeTar(members)], ['zip', madeZip(members)],
    ]
    for (const [kind, bytes] of files) {
      expect(await codeOf({ kind, bytes, pieceBytes, more: kind === 'tar' || kind === 'zip' ? { members: MEMBERS } : {} })).toBe('sound')
      if (kind === 'tick' || kind === 'tar') expect(await codeOf({ kind, bytes, pieceBytes, level: 'audit' })).toBe('sound')
    }
    expect(await codeOf({ kind: 'tick', bytes: compressed, pieceBytes: Math.max(pieceBytes, 50) })).toBe('sound')
  })

  test('is not checked where none is wanted', () => {
    expect(contentChecks({ name: 'a', kind: 'tick', day: null, members: null }, 'none')).toBeNull()
  })

  test('that is begun anew, or given up, leaves nothing', async () => {
    const check = contentChecks({ name: NAMES.tick, kind: 'tick', day: DAY, members: null }, 'whole')!
    await check.begin(NAMES.tick, 'tick')
    await check.take(compressed.slice(0, 2000))
    await check.begin(NAMES.tick, 'tick')
    await check.take(tick())
    await check.end('')
    await check.begin(NAMES.tick, 'tick')
    await check.take(compressed.slice(0, 20))
    await check.close?.()
    await check.close?.()
  })

  test('audit looks at events, which a look at frames passes over', async () => {
    expect([await codeOf({ kind: 'tick', bytes: compressed }), await codeOf({ kind: 'tick', bytes: compressed, level: 'audit' })]).toEqual(['sound', 'SHOP_FILE_WRONG'])
    const other = { ...DAY, date: '2026-07-02' }
    expect([await codeOf({ kind: 'tick', bytes: tick(), more: { day: other } }), await codeOf({ kind: 'tick', bytes: tick(), level: 'audit', more: { day: other } })]).toEqual(['sound', 'SHOP_FILE_WRONG'])
  })
})

describe('damage', () => {
  test.each<readonly [string, () => Checked | Promise<Checked>, string]>([
    ['a tick file that is cut', () => ({ kind: 'tick', bytes: tick().slice(0, -3) }), 'ZSTD_TRUNCATED'], ['one with more behind it', () => ({ kind: 'tick', bytes: Buffer.concat([tick(), Buffer.from('more')]) }), 'ZSTD_DAMAGED'],
    ['one without bytes', () => ({ kind: 'tick', bytes: new Uint8Array(0) }), 'NOT_ZSTD'], ['a page', () => ({ kind: 'tick', bytes: Buffer.from('<html></html>') }), 'NOT_ZSTD'],
    ['another instrument', () => ({ kind: 'tick', bytes: tick(2) }), 'SHOP_FILE_WRONG'], ['another code', () => ({ kind: 'tick', bytes: tick(), more: { day: { ...DAY, code: 'TEST2' } } }), 'SHOP_FILE_WRONG'],
    ['another exchange', () => ({ kind: 'tick', bytes: compressed, more: { day: { ...DAY, exchangeCode: 'b_spot' } } }), 'SHOP_FILE_WRONG'],
    ['no master data', async () => ({ kind: 'tick', bytes: (await createFrameCompressor(1))(Buffer.from('[1]\n')) }), 'MASTER_DATA_MALFORMED'],
    ['gzip that is cut', () => ({ kind: 'gzip', bytes: rows().slice(0, -3) }), 'FILE_UNREADABLE'], ['gzip with a wrong sum', () => ({ kind: 'gzip', bytes: flipped(rows(), -6) }), 'FILE_UNREADABLE'], ['gzip with a wrong length', () => ({ kind: 'gzip', bytes: flipped(rows(), -1) }), 'FILE_UNREADABLE'],
    ['gzip with more behind it', () => ({ kind: 'gzip', bytes: Buffer.concat([rows(), Buffer.from('more than a few letters')]) }), 'FILE_UNREADABLE'], ['gzip that is none', () => ({ kind: 'gzip', bytes: Buffer.from('<html>') }), 'FILE_UNREADABLE'],
    ['Parquet that is cut', async () => ({ kind: 'parquet', bytes: (await severalFrames()).slice(0, -3) }), 'FILE_UNREADABLE'], ['Parquet whose end lies', async () => ({ kind: 'parquet', bytes: flipped(await severalFrames(), -6) }), 'FILE_UNREADABLE'],
    ['a tar that is cut', async () => ({ kind: 'tar', bytes: (await archive('tar')).slice(0, 700) }), 'ARCHIVE_DAMAGED'], ['a tar with a damaged member', async () => ({ kind: 'tar', bytes: flipped(await archive('tar'), 520), more: { members: MEMBERS } }), 'ZSTD_UNSUPPORTED'],
    ['a tar without one of its members', async () => ({ kind: 'tar', bytes: await archive('tar', [1]), more: { members: MEMBERS } }), 'SHOP_FILE_WRONG'], ['a tar with one more', async () => ({ kind: 'tar', bytes: await archive('tar', [1, 2, 3]), more: { members: MEMBERS } }), 'SHOP_FILE_WRONG'],
    ['a tar with one twice', async () => ({ kind: 'tar', bytes: await archive('tar', [1, 2, 2]), more: { members: MEMBERS } }), 'SHOP_FILE_WRONG'], ['a tar whose member is of another instrument', async () => ({ kind: 'tar', bytes: await archive('tar'), more: { members: MEMBERS.map((one) => ({ ...one, instrumentId: 5 })) } }), 'SHOP_FILE_WRONG'],
    ['a tar whose member has another length', async () => ({ kind: 'tar', bytes: await archive('tar'), more: { members: MEMBERS.map((one) => ({ ...one, sizeBytes: 5 })) } }), 'SHOP_FILE_WRONG'], ['a zip that is cut', async () => ({ kind: 'zip', bytes: (await archive('zip')).slice(0, -3) }), 'ARCHIVE_DAMAGED'],
    ['a zip with a damaged member', async () => ({ kind: 'zip', bytes: flipped(await archive('zip'), 80), more: { members: MEMBERS } }), 'ARCHIVE_DAMAGED'], ['a zip without one of its members', async () => ({ kind: 'zip', bytes: await archive('zip', [1]), more: { members: MEMBERS } }), 'SHOP_FILE_WRONG'],
    ['a zip with a wrong sum', () => ({ kind: 'zip', bytes: madeZip([{ name: 'a-2026-07-01.txt.zst', content: tick(), statedCrc: 5 }]) }), 'ARCHIVE_DAMAGED'], ['a tar without a tick file', async () => ({ kind: 'tar', bytes: await madeTar([{ name: 'a.txt', content: Buffer.from('a') }]) }), 'FILE_NOT_FOUND'],
    ['a member that is no zstd', async () => ({ kind: 'tar', bytes: await madeTar([{ name: 'a-2026-07-01.txt.zst', content: Buffer.from('<html></html>') }]) }), 'NOT_ZSTD'],
  ])('%s is refused', async (_, one, code) => {
    expect(await codeOf(await one())).toBe(code)
  })

  test('any byte of any frame that changes is seen, or changes nothing', async () => {
    await fc.assert(fc.asyncProperty(fc.nat(compressed.length - 1), fc.constantFrom(777, 5000), async (at, pieceBytes) => {
      const code = await codeOf({ kind: 'tick', bytes: flipped(compressed, at), pieceBytes })
      expect(['ZSTD_CHECKSUM', 'ZSTD_DAMAGED', 'ZSTD_TRUNCATED', 'ZSTD_UNSUPPORTED', 'NOT_ZSTD', 'SHOP_FILE_WRONG', 'MASTER_DATA_MALFORMED']).toContain(code)
    }), { numRuns: 60 })
  })

  test('words name the file', async () => {
    const { message } = await refusalOf(async () => checked({ kind: 'tar', bytes: await archive('tar'), more: { members: MEMBERS.map((one) => ({ ...one, instrumentId: 5 })) } }))
    expect(message).toBe('Cannot take a.tar#x/TEST1-2026-07-01.txt.zst: expected the instrument 5, found 1')
    expect(readFileSync(join(folder, 'a.zip.part')).length).toBeGreaterThan(0)
  })
})

async function archive(kind: 'tar' | 'zip', ids: readonly number[] = [1, 2]): Promise<Uint8Array> {
  const members = ids.map((id) => ({ name: `x/TEST${id}-2026-07-01.txt.zst`, content: tick(id) }))
  return kind === 'tar' ? madeTar(members) : madeZip(members)
}
