import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openSource, openSources } from '../../src/tickfile/archive/source-reader.js'
import { isSkippedMember } from '../../src/tickfile/archive/source-reader.js'
import type { TickSource } from '../../src/tickfile/archive/tick-source.js'
import { bytesOf, contentsOf, inPieces, refusalOf } from '../support/collected.js'
import { joined, madeTar, madeZip, tarBlock, tarContent } from '../support/made-archives.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-archives-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** Bytes that begin as a zstd frame and go on with a text. */
function zstd(text: string): Uint8Array {
  return joined(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), Buffer.from(text))
}

function onDisk(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

const end = new Uint8Array(1024)
const long = `${'folder/'.repeat(30)}1_2025-01-03.txt.zst`

describe('a tar', () => {
  const members = [
    { name: 'a/', type: 'directory' as const },
    { name: 'a/1_2025-01-03.txt.zst', content: zstd('one') },
    { name: 'README.txt', content: Buffer.from('hello') },
    { name: 'looks-like-nothing', content: zstd('two') },
    { name: long, content: zstd('x'.repeat(2_000_000)) },
    { name: 'damaged-B-2025-01-03.txt.zst', content: Buffer.from('not a frame at all') },
    { name: '._1_2025-01-03.txt.zst', content: Buffer.from('resource fork') },
    { name: 'link.txt.zst', type: 'symlink' as const, linkname: '/etc/passwd' },
    { name: 'hard.txt.zst', type: 'link' as const, linkname: 'a/1_2025-01-03.txt.zst' },
    { name: 'pipe', type: 'fifo' as const },
    { name: '../../up_2025-01-03.txt.zst', content: zstd('up') },
    { name: '/root_2025-01-03.txt.zst', content: zstd('root') },
    { name: 'empty', content: new Uint8Array(0) },
  ]
  const wanted = [
    'a/ - a folder',
    'a/1_2025-01-03.txt.zst: one',
    'README.txt - not zstd',
    'looks-like-nothing: two',
    `${long}: ${'x'.repeat(2_000_000)}`,
    'damaged-B-2025-01-03.txt.zst: a frame at all',
    '._1_2025-01-03.txt.zst - not zstd',
    'link.txt.zst - a symbolic link',
    'hard.txt.zst - a hard link',
    'pipe - a pipe',
    '../../up_2025-01-03.txt.zst: up',
    '/root_2025-01-03.txt.zst: root',
    'empty - not zstd',
  ]

  test('gives its members in order from disk, memory and streams of any chunk size', async () => {
    const bytes = await madeTar(members)
    expect(await contentsOf(onDisk('all.tar', bytes))).toEqual(wanted)
    expect(await contentsOf(bytes)).toEqual(wanted)
    for (const size of [997, 65_536, bytes.length]) expect(await contentsOf(inPieces(bytes, size))).toEqual(wanted)
  })

  test('on disk gives members that can be opened again, later and in any order', async () => {
    const path = onDisk('again.tar', await madeTar(members.slice(0, 4)))
    const sources = []
    for await (const found of openSources(path)) if (!isSkippedMember(found)) sources.push(found)
    for (const source of [...sources, ...sources.reverse()]) expect((await bytesOf(source.open())).length).toBe(source.sizeBytes)
    expect(sources.map(({ fileName, repeatable }) => [fileName, repeatable])).toEqual([
      ['looks-like-nothing', true],
      ['1_2025-01-03.txt.zst', true],
    ])
  })

  test('from a stream reads past members that nobody opens, and past the rest of those left early', async () => {
    const bytes = await madeTar([1, 2, 3, 4].map((n) => ({ name: `${String(n)}_2025-01-0${String(n)}.txt.zst`, content: zstd(String(n).repeat(100_000)) })))
    const read: string[] = []
    for await (const found of openSources(inPieces(bytes, 10_000))) {
      if (isSkippedMember(found)) throw new Error('all are tick files')
      if (found.fileName.startsWith('1')) continue
      for await (const chunk of found.open()) {
        read.push(Buffer.from(chunk.subarray(4, 6)).toString())
        break
      }
    }
    expect(read).toEqual(['22', '33', '44'])
  })

  test('from a stream gives each member once, while it passes', async () => {
    const bytes = await madeTar(members)
    let kept: TickSource | null = null
    for await (const found of openSources(inPieces(bytes, 512))) {
      if (!isSkippedMember(found)) {
        if (kept !== null) break
        kept = found
      }
    }
    expect((await refusalOf(() => kept?.open())).code).toBe('OPTION_INVALID')
  })

  test('GNU long names, base-256 sizes and the old form without a magic are read', async () => {
    const size = new Uint8Array(12)
    size[0] = 0x80
    size[11] = 7
    const gnu = joined(
      tarBlock({ name: '././@LongLink', size: '00000000351\0', type: 'L', magic: 'ustar  \0' }),
      tarContent(Buffer.from(`${long.padEnd(232, 'z')}\0`)),
      tarBlock({ name: 'cut', size, type: '0', magic: 'ustar  \0' }),
      tarContent(zstd('gnu')),
      tarBlock({ name: '7_2025-01-03.txt.zst', size: '7', type: '\0', magic: '' }),
      tarContent(zstd('old')),
      end,
    )
    expect(await contentsOf(gnu)).toEqual([`${long.padEnd(232, 'z')}: gnu`, '7_2025-01-03.txt.zst: old'])
    const old = joined(tarBlock({ name: '7_2025-01-03.txt.zst', size: '7', type: '\0', magic: '' }), tarContent(zstd('old')), end)
    expect(await contentsOf(inPieces(old, 100))).toEqual(['7_2025-01-03.txt.zst: old'])
  })

  test('pax path and size overrule the header; control characters do not reach a terminal', async () => {
    const bytes = await madeTar([{ name: 'short', content: zstd('pax'), pax: { path: 'evil\u001b[2J_é.zst' } }])
    expect(await contentsOf(bytes)).toEqual(['evil\ufffd[2J_é.zst: pax'])
  })

  test('archives inside are named and skipped', async () => {
    const inner = await madeTar([{ name: '1_2025-01-03.txt.zst', content: zstd('x') }])
    const bytes = await madeTar([{ name: 'inner.tar', content: inner }, { name: 'inner.zip', content: madeZip([]) }, { name: '1_2025-01-03.txt.zst', content: zstd('y') }])
    expect(await contentsOf(bytes)).toEqual(['inner.tar - an archive inside an archive', 'inner.zip - an archive inside an archive', '1_2025-01-03.txt.zst: y'])
  })

  test('a duplicate is read twice in order; by name it is ambiguous', async () => {
    const path = onDisk('twice.tar', await madeTar([{ name: 'd/1_2025-01-03.txt.zst', content: zstd('a') }, { name: 'd/1_2025-01-03.txt.zst', content: zstd('b') }]))
    expect(await contentsOf(path)).toEqual(['d/1_2025-01-03.txt.zst: a', 'd/1_2025-01-03.txt.zst: b'])
    const refusal = await refusalOf(() => openSource(`${path}#d/1_2025-01-03.txt.zst`))
    expect(refusal.code).toBe('OPTION_INVALID')
    expect(refusal.message).toMatch(/2 members have that name; read the whole archive/)
  })

  test('a member is named in full or by its base name where that is enough', async () => {
    const path = onDisk('names.tar', await madeTar([{ name: 'a/x.zst', content: zstd('a') }, { name: 'b/x.zst', content: zstd('b') }, { name: 'b/y.zst', content: zstd('y') }, { name: 'x.txt', content: zstd('') }, { name: 'b/x.txt' }]))
    expect(await contentsOf(`${path}#b/x.zst`)).toEqual(['b/x.zst: b'])
    expect(await contentsOf(`${path}#y.zst`)).toEqual(['b/y.zst: y'])
    expect(await contentsOf(`${path}#x.txt`)).toEqual(['x.txt: '])
    expect((await refusalOf(() => openSource(`${path}#x.zst`))).message).toMatch(/name it with its folder/)
    expect(await refusalOf(() => openSource(`${path}#z.zst`))).toMatchObject({ code: 'FILE_NOT_FOUND' })
    expect(await refusalOf(() => openSource(`${path}#b/x.txt`))).toMatchObject({ code: 'FILE_UNREADABLE' })
  })

  test('a file whose own name holds a # wins', async () => {
    const bundle = onDisk('c.tar', await madeTar([{ name: 'm.zst', content: zstd('member') }]))
    expect(await contentsOf(`${bundle}#m.zst`)).toEqual(['m.zst: member'])
    onDisk('c.tar#m.zst', zstd('file'))
    expect(await contentsOf(`${bundle}#m.zst`)).toEqual(['m.zst: file'])
    const odd = onDisk('odd#.tar', await madeTar([{ name: 'm.zst', content: zstd('odd') }]))
    expect(await contentsOf(`${odd}#m.zst`)).toEqual(['m.zst: odd'])
  })

  test('cut at any byte it is damaged, with the offset, never shorter', async () => {
    const bytes = await madeTar([{ name: '1_2025-01-03.txt.zst', content: zstd('a'.repeat(700)) }, { name: '2_2025-01-03.txt.zst', content: zstd('b') }])
    const whole = bytes.length - 1024 + 512
    for (let length = 512; length < whole; length += 61) {
      for (const input of [bytes.slice(0, length), inPieces(bytes.slice(0, length), 300)]) {
        const refusal = await refusalOf(() => contentsOf(input))
        expect(refusal.code).toBe('ARCHIVE_DAMAGED')
        expect(refusal.place.byteOffset).toBe(length)
      }
    }
    expect((await contentsOf(bytes.slice(0, whole))).length).toBe(2)
  })

  test('a byte changed in a header is damage', async () => {
    const bytes = await madeTar([{ name: '1_2025-01-03.txt.zst', content: zstd('a') }, { name: '2_2025-01-03.txt.zst', content: zstd('b') }])
    const at = 1024 + 3
    bytes[at] = (bytes[at] ?? 0) ^ 1
    const refusal = await refusalOf(() => contentsOf(bytes))
    expect(refusal).toMatchObject({ code: 'ARCHIVE_DAMAGED', place: { byteOffset: 1024 } })
  })

  const one = joined(tarBlock({ name: '1_2025-01-03.txt.zst', size: '7', type: '0' }), tarContent(zstd('one')))
  const pax = (records: string): Uint8Array =>
    joined(tarBlock({ name: 'p', size: Buffer.byteLength(records).toString(8), type: 'x' }), tarContent(Buffer.from(records)), one, end)
  test.each([
    ['a name that goes on behind the end mark', joined(one, end, one, end), 'ARCHIVE_DAMAGED'],
    ['a size that is no number', joined(tarBlock({ name: 'x', size: 'zzz', type: '0' }), end), 'ARCHIVE_DAMAGED'],
    ['a size beyond 2^53', joined(tarBlock({ name: 'x', size: Uint8Array.of(0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), type: '0' }), end), 'ARCHIVE_DAMAGED'],
    ['a size beyond the archive', joined(tarBlock({ name: 'x', size: '77777777777', type: '0' }), tarContent(zstd('x')), end), 'ARCHIVE_DAMAGED'],
    ['a pax record without a length', pax('path=x\n'), 'ARCHIVE_DAMAGED'],
    ['a pax record longer than its header', pax('99 path=x\n'), 'ARCHIVE_DAMAGED'],
    ['a pax record of length zero', pax('0 path=x\n'), 'ARCHIVE_DAMAGED'],
    ['a pax size that is no number', pax('12 size=-1\n\n'), 'ARCHIVE_DAMAGED'],
    ['a huge extended header', joined(tarBlock({ name: 'p', size: '77777777', type: 'x' }), end), 'LIMIT_EXCEEDED'],
    ['a huge name', joined(tarBlock({ name: 'p', size: (5000).toString(8), type: 'L' }), tarContent(Buffer.alloc(5000, 'n')), one, end), 'LIMIT_EXCEEDED'],
    ['no tick file', joined(tarBlock({ name: 'x', size: '0', type: '5' }), end), 'FILE_NOT_FOUND'],
  ])('is refused for %s', async (_, bytes, code) => {
    expect((await refusalOf(() => contentsOf(bytes))).code).toBe(code)
  })

  test('sparse members are skipped with their content', async () => {
    const sparse = joined(tarBlock({ name: 's.txt.zst', size: '7', type: 'S', magic: 'ustar  \0' }), tarContent(zstd('spa')), one, end)
    expect(await contentsOf(sparse)).toEqual(['s.txt.zst - a sparse file', '1_2025-01-03.txt.zst: one'])
  })

  test.each([
    ['short.tar', new Uint8Array(100), 100],
    ['text.tar', Buffer.alloc(2000, 'text'), 0],
    ['nothing.tar', new Uint8Array(0), 0],
  ])('%s is not one', async (name, bytes, offset) => {
    expect(await refusalOf(() => openSource(onDisk(name, bytes)))).toMatchObject({ code: 'ARCHIVE_DAMAGED', place: { byteOffset: offset } })
  })

  test('an empty one says that it holds nothing', async () => {
    expect(await refusalOf(() => openSource(onDisk('empty.tar', end)))).toMatchObject({ code: 'FILE_NOT_FOUND' })
  })
})
