import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundleIdOf } from '../../src/serve/goods-list.js'
import { openFolderGoods } from '../../src/serve/folder-goods-reader.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { madeTar, madeZip } from '../support/made-archives.ts'
import { newFolder } from '../support/new-folder.ts'
import { hasSharedData, sharedData } from '../support/shared-data.ts'
import { afterNextLook, bytesOfSegments, folderWith, openGoods, SWAP_DAYS, SWAP_ID } from '../support/shop-folder.ts'

const CALLS = 'synthetic_option-BTC-calls-2026-07-01.tar'
const CALL_RANGE = 'synthetic_option-BTC-72000-C-2026-07-01..2026-07-02.tar'
const [FIRST, SECOND] = SWAP_DAYS
const bytesOf = (name: string): Buffer => readFileSync(join(datasetsFolder, name))

describe('the list of goods', () => {
  test('has an instrument with its days, and the series of archives', async () => {
    const { goods, notes } = await openGoods(folderWith(FIRST, SECOND, CALLS, CALL_RANGE))
    const { version, instruments, series } = await goods.look()
    expect(version).toBe(1)
    expect(instruments.get(SWAP_ID)).toEqual({
      id: SWAP_ID, code: 'XRPUSDT', type: 'perpetual', base: 'XRP', counter: 'USDT', exchangeCode: 'synthetic_swap',
      exchangeName: 'synthetic_swap', state: 'open',
      days: [FIRST, SECOND].map((name) => ({ date: name.slice(-18, -8), sizeBytes: bytesOf(name).length })),
    })
    const key = 'synthetic_option-BTC-calls'
    const { days = [], ...bundle } = series.get(key) ?? {}
    expect(bundle).toEqual({ bundleId: bundleIdOf(key), seriesKey: key, kind: 'option_chain', priceCents: 100, exchangeCode: 'synthetic_option' })
    expect(days).toHaveLength(1)
    for (const { instrumentId, code, sizeBytes } of days[0]?.members ?? []) {
      expect(instruments.get(instrumentId)).toMatchObject({ code, type: 'call' })
      expect(await goods.dayFile(instrumentId, '2026-07-01')).toMatchObject({ sizeBytes })
    }
    expect([...series.keys()]).toEqual([key])
    expect([...instruments.values()].find(({ code }) => code === 'BTC-72000-C')?.days).toHaveLength(2)
    expect(notes).toEqual([])
    await goods.close()
  })

  test('the id of a bundle is that of its key, a safe number that no instrument has', () => {
    expect(bundleIdOf('deribit-options')).toBe(5_549_676_498_038)
    expect(bundleIdOf('deribit-option')).not.toBe(bundleIdOf('deribit-options'))
  })

  test('what has changed is seen at the next look, under another version', async () => {
    const folder = folderWith(FIRST)
    const { goods } = await openGoods(folder)
    copyFileSync(join(datasetsFolder, SECOND), join(folder, SECOND))
    expect((await goods.look()).version).toBe(1)
    await afterNextLook(goods, async () => (await goods.look()).version === 2)
    expect((await goods.look()).instruments.get(SWAP_ID)?.days).toHaveLength(2)
    await goods.close()
  })

  test('a folder that goes leaves the list of before, with one note, and no bytes', async () => {
    const folder = folderWith(FIRST)
    const { goods, notes } = await openGoods(folder)
    renameSync(folder, `${folder}-gone`)
    await afterNextLook(goods, () => notes.length > 0)
    expect(notes).toEqual([expect.stringMatching(/there is no file or folder .*; the shop shows what lay there before$/)])
    expect((await goods.look()).instruments.size).toBe(1)
    expect(await goods.dayFile(SWAP_ID, '2026-07-01')).toBeNull()
    renameSync(`${folder}-gone`, folder)
    await afterNextLook(goods, async () => await goods.dayFile(SWAP_ID, '2026-07-01') !== null)
    await goods.close()
  })

  test('of files that are named has none that went; one that comes back is sold again', async () => {
    const folder = folderWith(FIRST, SECOND)
    const [first, second] = [join(folder, FIRST), join(folder, SECOND)]
    const { goods, notes } = await openGoods('', { folders: [first, second] })
    const datesNow = async (): Promise<string[] | undefined> => (await goods.look()).instruments.get(SWAP_ID)?.days.map(({ date }) => date)
    renameSync(second, `${second}-gone`)
    await afterNextLook(goods, async () => (await datesNow())?.length === 1)
    expect(await datesNow()).toEqual(['2026-07-01'])
    renameSync(first, `${first}-gone`)
    await afterNextLook(goods, async () => await datesNow() === undefined)
    renameSync(`${second}-gone`, second)
    await afterNextLook(goods, async () => (await datesNow())?.length === 1)
    expect(await datesNow()).toEqual(['2026-07-02'])
    expect(notes).toEqual([])
    await goods.close()
  })

  test.each([
    ['a packed member', 'a.zip', () => madeZip([{ name: FIRST, content: bytesOf(FIRST), method: 8 }]), /^Not sold: .*a\.zip#.*lies packed/],
    ['a file without a day', 'day.txt.zst', () => bytesOf(FIRST), /^Not sold: .*day\.txt\.zst: its name does not say its day$/],
    ['a file that is damaged', 'x-y-2026-07-01.txt.zst', () => bytesOf(FIRST).subarray(0, 60), /^Not sold: Cannot decompress .*x-y-2026-07-01/],
    ['another file of a day', `${String(SWAP_ID)}_2026-07-02.txt.zst`, () => bytesOf(FIRST), /^Not sold: .*swap-XRPUSDT-2026-07-02\.txt\.zst: the file of instrument 9100001 of 2026-07-02 is .*9100001_2026-07-02/],
    ['a key with a space', 'a b-2026-07-01.tar', () => bytesOf(CALLS), /^Not sold as a series: "a b": a key has/],
  ])('%s is not sold, and a sentence says so', async (_, name, content, sentence) => {
    const folder = folderWith(SECOND)
    writeFileSync(join(folder, name), content())
    const { goods, notes } = await openGoods(folder)
    expect(notes).toEqual([expect.stringMatching(sentence)])
    expect((await goods.look()).instruments.get(SWAP_ID)?.days).toHaveLength(1)
    expect((await goods.look()).series.size).toBe(0)
    await goods.close()
  })
})

describe('the file of a day', () => {
  test.each([
    ['alone', FIRST, () => bytesOf(FIRST)],
    ['in a tar', 'a.tar', () => madeTar([{ name: 'readme', content: Buffer.from('x') }, { name: `days/${FIRST}`, content: bytesOf(FIRST) }])],
    ['stored in a zip', 'a.zip', () => madeZip([{ name: 'readme', content: Buffer.from('x') }, { name: FIRST, content: bytesOf(FIRST) }])],
  ])('%s has its own bytes', async (_, name, content) => {
    const folder = newFolder()
    writeFileSync(join(folder, name), await content())
    const { goods } = await openGoods(folder)
    const segments = await goods.dayFile(SWAP_ID, '2026-07-01')
    expect((await bytesOfSegments(segments))?.equals(bytesOf(FIRST))).toBe(true)
    expect(segments?.sizeBytes).toBe(bytesOf(FIRST).length)
    expect(segments?.modifiedMs).toBeLessThanOrEqual(Date.now())
    expect((await goods.dayFile(SWAP_ID, '2026-07-01'))?.etag).toBe(segments?.etag)
    await goods.close()
  })

  test.skipIf(!hasSharedData)('of each recorded member is that of the tool tar', async () => {
    const { goods } = await openGoods(folderWith(sharedData('bundles/deribit-options-2021-07-22.zip'), sharedData('bundles/deribit-options-2021-07-22.tar')))
    const tar = readFileSync(sharedData('bundles/deribit-options-2021-07-22.tar'))
    const { series, instruments } = await goods.look()
    const members = series.get('deribit-options')?.days[0]?.members ?? []
    expect(members).toHaveLength(10)
    for (const { instrumentId, code } of members) {
      const bytes = await bytesOfSegments(await goods.dayFile(instrumentId, '2021-07-22'))
      const header = tar.indexOf(`deribit-${code}-2021-07-22.txt.zst`)
      expect(bytes?.equals(tar.subarray(header + 512, header + 512 + (bytes?.length ?? 0)))).toBe(true)
      expect(instruments.get(instrumentId)?.type).toBe(code.endsWith('C') ? 'call' : 'put')
    }
    await goods.close()
  })

  test.each([
    ['an unknown instrument', 1, '2026-07-01'], ['an unknown day', SWAP_ID, '2026-07-03'], ['no day', SWAP_ID, '../2026-07-01'],
    ['a half number', 0.5, '2026-07-01'], ['a name of every object', SWAP_ID, '__proto__'],
  ])('%s has none', async (_, id, date) => {
    const { goods } = await openGoods(folderWith(FIRST))
    expect(await goods.dayFile(id, date)).toBeNull()
    expect(await goods.dayExport(id, date, 'trades.csv.gz', 'request')).toEqual({ state: 'none', segments: null })
    await goods.close()
  })

  test.each([
    ['is gone', (path: string) => { rmSync(path) }],
    ['is another', (path: string) => {
      renameSync(path, `${path}.old`)
      copyFileSync(join(datasetsFolder, SECOND), path)
    }],
    ['has grown', (path: string) => { appendFileSync(path, 'x') }],
    ['has other bytes of the same length and date', (path: string) => {
      const bytes = readFileSync(path)
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      writeFileSync(path, bytes)
      utimesSync(path, 1, 1)
    }],
    ['is a folder now', (path: string) => {
      rmSync(path)
      mkdirSync(path)
    }],
  ])('that %s is not sent under its old ETag', async (_, change) => {
    const folder = folderWith(FIRST)
    const path = join(folder, FIRST)
    utimesSync(path, 1, 1)
    const { goods } = await openGoods(folder)
    const before = await goods.dayFile(SWAP_ID, '2026-07-01')
    change(path)
    expect(await goods.dayFile(SWAP_ID, '2026-07-01')).toBeNull()
    await expect(bytesOfSegments(before)).rejects.toMatchObject({ code: expect.stringMatching(/^FILE_/) as string })
    await afterNextLook(goods, async () => (await goods.look()).version === 2)
    const after = await goods.dayFile(SWAP_ID, '2026-07-01')
    expect(after?.etag).not.toBe(before?.etag)
    if (after !== null) expect((await bytesOfSegments(after))?.equals(readFileSync(path))).toBe(true)
    await goods.close()
  })
})

describe('refusals', () => {
  const folder = folderWith(FIRST)
  const other = { indexPath: join(newFolder(), 'index'), exportFolder: newFolder() }
  test.each([
    ['no folder', { folders: [], ...other }, 'OPTION_INVALID', /folders/],
    ['a folder that is not there', { ...other, folders: [join(folder, 'nothing')] }, 'FILE_NOT_FOUND', /nothing/],
    ['exports among the sold files', { ...other, folders: [folder], exportFolder: join(folder, 'exports') }, 'OPTION_INVALID', /apart from/],
    ['exports around the sold files', { ...other, folders: [folder], exportFolder: join(folder, '..') }, 'OPTION_INVALID', /apart from/],
    ['a limit of none', { ...other, folders: [folder], exportLimitBytes: 0 }, 'OPTION_INVALID', /exportLimitBytes/],
    ['half a byte', { ...other, folders: [folder], exportLimitBytes: 1.5 }, 'OPTION_INVALID', /exportLimitBytes/],
    ['a file in the place of the exports', { ...other, folders: [folder], exportFolder: join(folder, FIRST, 'x') }, 'OPTION_INVALID', /apart/],
    ['a stopped signal', { ...other, folders: [folder], signal: AbortSignal.abort() }, 'STOPPED', /stopped/],
  ])('%s', async (_, options, code, words) => {
    await expect(openFolderGoods(options)).rejects.toMatchObject({ code, message: expect.stringMatching(words) as string })
  })

  test('exports behind a link into the sold folder', async () => {
    const link = join(newFolder(), 'link')
    symlinkSync(folder, link)
    await expect(openFolderGoods({ ...other, folders: [folder], exportFolder: join(link, 'exports') })).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    expect(readdirSync(folder)).toEqual([FIRST])
  })
})
