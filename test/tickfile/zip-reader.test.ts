import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openSource, openSources } from '../../src/tickfile/archive/source-reader.js'
import { isSkippedMember } from '../../src/tickfile/archive/source-reader.js'
import { bytesOf, contentsOf, inPieces, refusalOf } from '../support/collected.js'
import { joined, madeTar, madeZip, type MadeZipMember } from '../support/made-archives.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-zip-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

function zstd(text: string): Uint8Array {
  return joined(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), Buffer.from(text))
}

function member(name: string, text: string, more: Partial<MadeZipMember> = {}): MadeZipMember {
  return { name, content: zstd(text), ...more }
}

describe('a zip', () => {
  test('gives stored and deflated members in the order in which they lie in it', async () => {
    const long = 'abc'.repeat(500_000)
    const inner = await madeTar([{ name: 'x', content: zstd('x') }])
    const bytes = madeZip(
      [
        member('a/1_2025-01-03.txt.zst', 'one'),
        member('2_2025-01-03.txt.zst', long, { method: 8 }),
        { name: 'a/', content: new Uint8Array(0) },
        { name: 'README.txt', content: Buffer.from('hello') },
        { name: 'README.zip.txt', content: Buffer.from('hello'.repeat(100)), method: 8 },
        { name: 'inner.tar', content: inner, method: 8 },
        member('link.txt.zst', 'x', { mode: 0o120777 }),
        member('../../up_2025-01-03.txt.zst', 'up'),
        member('..\\win_2025-01-03.txt.zst', 'win'),
        member('/root_2025-01-03.txt.zst', 'root'),
        member('big_2025-01-03.txt.zst', 'zip64', { zip64: true, method: 8 }),
      ],
      [10, 3, 1, 0, 2, 4, 9, 8, 7, 6, 5],
    )
    const wanted = [
      'a/1_2025-01-03.txt.zst: one',
      `2_2025-01-03.txt.zst: ${long}`,
      'a/ - a folder',
      'README.txt - not zstd',
      'README.zip.txt - not zstd',
      'inner.tar - an archive inside an archive',
      'link.txt.zst - a symbolic link',
      '../../up_2025-01-03.txt.zst: up',
      '..\\win_2025-01-03.txt.zst: win',
      '/root_2025-01-03.txt.zst: root',
      'big_2025-01-03.txt.zst: zip64',
    ]
    const path = join(folder, 'all.zip')
    writeFileSync(path, bytes)
    expect(await contentsOf(path)).toEqual(wanted)
    expect(await contentsOf(bytes)).toEqual(wanted)
    const names = []
    for await (const found of openSources(path)) if (!isSkippedMember(found)) names.push(found.fileName)
    expect(names).toEqual(['1_2025-01-03.txt.zst', '2_2025-01-03.txt.zst', 'up_2025-01-03.txt.zst', 'win_2025-01-03.txt.zst', 'root_2025-01-03.txt.zst', 'big_2025-01-03.txt.zst'])
    const again = await openSource(`${path}#2_2025-01-03.txt.zst`)
    for (let i = 0; i < 2; i++) expect((await bytesOf(again.open())).length).toBe(again.sizeBytes)
  })

  test('a member left early closes its file and can be read again', async () => {
    const source = await openSource(madeZip([member('1_2025-01-03.txt.zst', 'x'.repeat(3_000_000), { method: 8 })]))
    for await (const chunk of source.open()) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect((await bytesOf(source.open())).length).toBe(3_000_004)
  })

  test('a duplicate is read twice in order', async () => {
    const bytes = madeZip([member('d.zst', 'a'), member('d.zst', 'b')])
    expect(await contentsOf(bytes)).toEqual(['d.zst: a', 'd.zst: b'])
  })

  test('from a stream is refused with the reason', async () => {
    const refusal = await refusalOf(() => contentsOf(inPieces(madeZip([member('d.zst', 'a')]), 7)))
    expect(refusal.code).toBe('ARCHIVE_UNSUPPORTED')
    expect(refusal.message).toMatch(/its list of members stands at its end; save it to a file first/)
  })

  test('an encrypted member, or one of another method, is refused by its name; the others are read', async () => {
    for (const more of [{ flags: 1 }, { method: 12 }]) {
      const found = []
      for await (const item of openSources(madeZip([member('1_2025-01-03.txt.zst', 'good'), member('2_2025-01-03.txt.zst', 'bad', more), member('note.txt', 'n', more)]))) found.push(item)
      const [good, bad, note] = found
      if (good === undefined || bad === undefined || note === undefined || isSkippedMember(good) || isSkippedMember(bad)) throw new Error('two tick files')
      expect((await bytesOf(good.open())).length).toBe(8)
      const refusal = await refusalOf(() => bytesOf(bad.open()))
      expect(refusal.code).toBe('ARCHIVE_UNSUPPORTED')
      expect(refusal.message).toMatch(/#2_2025-01-03.txt.zst: it is (encrypted|packed by zip method 12)/)
      expect(note).toMatchObject({ skippedBecause: 'packed in a way that cannot be looked into' })
    }
  })

  test('cut at any byte it is damaged', async () => {
    const bytes = madeZip([member('1_2025-01-03.txt.zst', 'one'), member('2_2025-01-03.txt.zst', 'two', { method: 8 })])
    for (let length = 4; length < bytes.length; length++) {
      expect(await refusalOf(() => contentsOf(bytes.slice(0, length)))).toMatchObject({ code: 'ARCHIVE_DAMAGED', place: { byteOffset: length } })
    }
  })

  test('every byte of a member that changes is found by its checksum', async () => {
    for (const method of [0, 8]) {
      const bytes = madeZip([member('1_2025-01-03.txt.zst', 'one two three four five', { method })])
      const start = 30 + '1_2025-01-03.txt.zst'.length
      for (let at = start; at < start + 20; at++) {
        const changed = bytes.slice()
        changed[at] = (changed[at] ?? 0) ^ 0x10
        expect((await refusalOf(() => contentsOf(changed))).code).toBe('ARCHIVE_DAMAGED')
      }
    }
  })

  test.each<[string, MadeZipMember[], string]>([
    ['a size larger than the content', [member('d.zst', 'a', { method: 8, statedSize: 900 })], 'ARCHIVE_DAMAGED'],
    ['a size smaller than the content', [member('d.zst', 'a'.repeat(100), { method: 8, statedSize: 9 })], 'ARCHIVE_DAMAGED'],
    ['a bomb that states its size', [member('d.zst', 'a', { method: 8, statedSize: 0xfffffff0 })], 'ARCHIVE_DAMAGED'],
    ['a wrong checksum', [member('d.zst', 'a', { statedCrc: 1 })], 'ARCHIVE_DAMAGED'],
    ['two members in the same place', [member('d.zst', 'a'), member('e.zst', 'a', { statedOffset: 0 })], 'ARCHIVE_DAMAGED'],
    ['a member outside', [member('d.zst', 'a', { statedOffset: 1_000_000 })], 'ARCHIVE_DAMAGED'],
    ['a member where no member is', [member('d.zst', 'a', { statedOffset: 3 })], 'ARCHIVE_DAMAGED'],
    ['strong encryption', [member('d.zst', 'a', { flags: 0x40 })], 'ARCHIVE_UNSUPPORTED'],
    ['a huge name', [member(`${'n'.repeat(5000)}.zst`, 'a')], 'LIMIT_EXCEEDED'],
    ['no member', [], 'FILE_NOT_FOUND'],
    ['no tick file', [{ name: 'a.txt', content: Buffer.from('text') }], 'FILE_NOT_FOUND'],
  ])('is refused for %s', async (_, members, code) => {
    expect((await refusalOf(() => contentsOf(madeZip(members)))).code).toBe(code)
  })

  test('a member that inflates to more than it states is stopped, not stored', async () => {
    const bytes = madeZip([member('d.zst', 'a'.repeat(50_000_000), { method: 8, statedSize: 5_000_000 })])
    const source = await openSource(bytes)
    let read = 0
    const refusal = await refusalOf(async () => {
      for await (const chunk of source.open()) read += chunk.length
    })
    expect(refusal.message).toMatch(/holds more than the 5000000 bytes that it states/)
    expect(read).toBeLessThanOrEqual(5_000_000)
  })
})
