import { spawnSync } from 'node:child_process'
import { File } from 'node:buffer'
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fileError } from '../../src/tickfile/archive/byte-range-reader.js'
import { openSource, openSources } from '../../src/tickfile/archive/source-reader.js'
import { bytesOf, inPieces, refusalOf } from '../support/collected.js'
import { bundleFiles, sharedData } from '../support/shared-data.js'
import { madeTar } from '../support/made-archives.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-sources-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const content = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 7) & 0xff)
content.set([0x28, 0xb5, 0x2f, 0xfd])
const path = join(folder, '7_2025-01-03.txt.zst')
writeFileSync(path, content)

describe('a source', () => {
  test('of a path knows name and size and can be opened again', async () => {
    const source = await openSource(path)
    expect(source).toMatchObject({ name: path, fileName: '7_2025-01-03.txt.zst', sizeBytes: content.length, repeatable: true })
    for (let i = 0; i < 2; i++) expect(Buffer.compare(await bytesOf(source.open()), content)).toBe(0)
  })

  test('of bytes gives copies: the receiver owns its chunks', async () => {
    const source = await openSource(content)
    expect(source).toMatchObject({ name: 'bytes', sizeBytes: content.length, repeatable: true })
    for await (const chunk of source.open()) chunk.fill(0)
    expect(Buffer.compare(await bytesOf(source.open()), content)).toBe(0)
  })

  test.each([1, 3, 511, 512, 513, 65_536, 4_000_000])('of a stream in pieces of %i bytes gives the same bytes, once', async (size) => {
    const part = size < 500 ? content.subarray(0, 5000) : content
    const source = await openSource(inPieces(part, size))
    expect(source).toMatchObject({ sizeBytes: null, repeatable: false })
    expect(Buffer.compare(await bytesOf(source.open()), part)).toBe(0)
    expect((await refusalOf(() => source.open())).code).toBe('OPTION_INVALID')
  })

  test('of a Node stream closes it when left early', async () => {
    const stream = createReadStream(path, { highWaterMark: 4096 })
    const source = await openSource(stream)
    for await (const chunk of source.open()) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(stream.destroyed).toBe(true)
  })

  test('of a File has its name, of a Blob none, and both can be opened again', async () => {
    for (const [blob, name] of [[new File([content], '7_2025-01-03.txt.zst'), '7_2025-01-03.txt.zst'], [new Blob([content]), 'blob']] as const) {
      const source = await openSource(blob)
      expect(source).toMatchObject({ name, fileName: name, sizeBytes: content.length, repeatable: true })
      for (let i = 0; i < 2; i++) expect(Buffer.compare(await bytesOf(source.open({ chunkBytes: 777 })), content)).toBe(0)
    }
  })

  test('of a shared buffer gives plain bytes', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(9)
    for await (const chunk of (await openSource(shared)).open()) expect(chunk.buffer).toBeInstanceOf(ArrayBuffer)
  })

  test.skipIf(process.platform === 'win32')('of standard input reads a file and a tar', async () => {
    const program = `
      const { openSources } = await import(${JSON.stringify(new URL('../../dist/tickfile/archive/source-reader.js', import.meta.url).href)})
      for await (const found of openSources('-')) {
        let size = 0
        for await (const chunk of found.open()) size += chunk.length
        console.log(found.name, found.fileName, size)
      }`
    const run = (input: Uint8Array): string => spawnSync(process.execPath, ['--input-type=module', '-e', program], { input, encoding: 'utf8' }).stdout
    expect(run(content)).toBe(`standard input standard input ${String(content.length)}\n`)
    const tar = await madeTar([{ name: 'a.zst', content }, { name: 'b.zst', content: content.subarray(0, 9) }])
    expect(run(tar)).toBe(`standard input#a.zst a.zst ${String(content.length)}\nstandard input#b.zst b.zst 9\n`)
  })

  test.skipIf(process.platform === 'win32')('of a named pipe is a stream', async () => {
    const pipe = join(folder, 'pipe')
    spawnSync('mkfifo', [pipe])
    const writing = import('node:child_process').then(({ spawn }) => spawn('sh', ['-c', `cat ${path} > ${pipe}`]))
    const source = await openSource(pipe)
    expect(source.repeatable).toBe(false)
    expect((await bytesOf(source.open())).length).toBe(content.length)
    await writing
  })
})

describe('an input is refused', () => {
  async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
    yield await Promise.resolve(content.slice(0, 600))
    throw new Error('line dropped')
  }

  test.each<[string, unknown, string, RegExp]>([
    ['a missing file', join(folder, 'none.txt.zst'), 'FILE_NOT_FOUND', /there is no such file; check the path$/],
    ['a missing folder', join(folder, 'none', 'a.txt.zst'), 'FILE_NOT_FOUND', /no such file/],
    ['a file as a folder', join(path, 'a.txt.zst'), 'FILE_NOT_FOUND', /no such file/],
    ['a missing bundle', join(folder, 'none.tar#a.txt.zst'), 'FILE_NOT_FOUND', /no such file/],
    ['a folder', folder, 'FILE_UNREADABLE', /it is a folder; name the files in it, as in .*\/\*\.zst$/],
    ['a member of a plain file', `${path}#a`, 'OPTION_INVALID', /neither a tar nor a zip/],
    ['an empty path', '', 'OPTION_INVALID', /found ""/],
    ['a path with a zero byte', 'a\0b', 'OPTION_INVALID', /must be a path/],
    ['a number', 7, 'OPTION_INVALID', /found number/],
    ['null', null, 'OPTION_INVALID', /found null/],
    ['nothing', undefined, 'OPTION_INVALID', /found undefined/],
    ['an object', {}, 'OPTION_INVALID', /found object/],
    ['a Blob that is no tick file and none of its parts', { size: 5, arrayBuffer: null }, 'OPTION_INVALID', /a path, a Uint8Array, a Blob or an async iterable/],
    ['a Blob that cannot be read any more', { size: 500, arrayBuffer: () => null, slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException('it changed', 'NotReadableError')) }) }, 'FILE_UNREADABLE', /the blob failed with "it changed"/],
    ['a stream of texts', (async function* () { yield await Promise.resolve('text') })(), 'OPTION_INVALID', /set no encoding/],
    ['a stream that fails', failing(), 'FILE_UNREADABLE', /the stream failed with "line dropped"/],
  ])('%s', async (_, input, code, sentence) => {
    const refusal = await refusalOf(async () => bytesOf((await openSource(input as string)).open()))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(sentence)
    expect(refusal.message).not.toMatch(/\n/)
  })

  test.each([
    ['EACCES', 'FILE_UNREADABLE', /permission denied; make it readable for this user/],
    ['EPERM', 'FILE_UNREADABLE', /permission denied/],
    ['EIO', 'FILE_UNREADABLE', /the system says broken disk/],
    ['ENOENT', 'FILE_NOT_FOUND', /check the path/],
  ])('a file that the system refuses with %s', (system, code, sentence) => {
    const error = fileError('a.txt.zst', Object.assign(new Error('broken disk'), { code: system }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(sentence)
  })

  test('an archive with several members where one is wanted', async () => {
    mkdirSync(join(folder, 'd'))
    const bundle = join(folder, 'd', 'two.tar')
    writeFileSync(bundle, await madeTar([{ name: 'a.zst', content }, { name: 'b.zst', content }]))
    const refusal = await refusalOf(() => openSource(bundle))
    expect(refusal.code).toBe('OPTION_INVALID')
    expect(refusal.message).toMatch(/two.tar holds several; name one, as in .*two.tar#a.zst$/)
    expect((await refusalOf(() => openSource(createReadStream(bundle)))).code).toBe('ARCHIVE_UNSUPPORTED')
  })
})

describe.skipIf(bundleFiles.length === 0)('the recorded bundles', () => {
  test('tar, zip and stream hold the same ten options', async () => {
    const sums: string[][] = []
    const tar = sharedData('bundles/deribit-options-2021-07-22.tar')
    for (const input of [tar, sharedData('bundles/deribit-options-2021-07-22.zip'), createReadStream(tar)]) {
      const found: string[] = []
      for await (const source of openSources(input)) if (!('skippedBecause' in source)) found.push(`${source.fileName} ${Buffer.from(await bytesOf(source.open())).toString('hex')}`)
      sums.push(found)
    }
    expect(sums[0]?.length).toBe(10)
    expect(sums[1]).toEqual(sums[0])
    expect(sums[2]).toEqual(sums[0])
  })

  test('the two days of the range tar are the day files', async () => {
    for await (const source of openSources(sharedData('bundles/binance_swap-BTCUSDT-2023-04-04..2023-04-05.tar'))) {
      if ('skippedBecause' in source) throw new Error(source.name)
      const day = await openSource(sharedData(`days/${source.fileName}`))
      expect(Buffer.compare(await bytesOf(source.open()), await bytesOf(day.open()))).toBe(0)
    }
  })
})
