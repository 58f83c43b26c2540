import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileFacts } from '../../src/catalog/catalog-file.js'
import { seriesOf } from '../../src/catalog/catalog-series.js'
import { FolderCatalog } from '../../src/catalog/folder-catalog.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { madeTar, madeZip } from '../support/made-archives.ts'
import { newFolder } from '../support/new-folder.ts'
import { hasSharedData, sharedData } from '../support/shared-data.ts'

const SWAP = 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const CALL = 'synthetic_option-BTC-68000-C-2026-07-01.txt.zst'
const CALLS = 'synthetic_option-BTC-calls-2026-07-01.tar'
const RANGE = 'synthetic_option-BTC-72000-C-2026-07-01..2026-07-02.tar'
const bytes = readFileSync(join(datasetsFolder, SWAP))

async function filesOf(folder: string): Promise<readonly FileFacts[]> {
  return (await new FolderCatalog({ folders: [folder], indexPath: join(newFolder(), 'index') }).refresh()).files
}

function folderWith(...paths: readonly string[]): string {
  const folder = newFolder()
  for (const path of paths) copyFileSync(existsSync(path) ? path : join(datasetsFolder, path), join(folder, basename(path)))
  return folder
}

/** The bytes of the file on the disk that the catalog says are those of a tick file. */
function stretchOf({ stamp }: FileFacts, fromByte: number | null, sizeBytes: number): Buffer | null {
  return fromByte === null ? null : readFileSync(stamp.path).subarray(fromByte, fromByte + sizeBytes)
}

describe('a tick file in a catalog', () => {
  test.each([
    [SWAP, { exchangeCode: 'synthetic_swap', code: 'XRPUSDT', type: 'perpetual', state: 'open', base: 'XRP', counter: 'USDT' }],
    [CALL, { exchangeCode: 'synthetic_option', code: 'BTC-68000-C', type: 'call', state: 'open', base: 'BTC', counter: 'USD' }],
    ['synthetic_prediction-BTC-ABOVE-65000-2026-07-01.txt.zst', { type: 'prediction', base: 'BTC65K', counter: 'USD' }],
  ])('%s has the instrument of its line 1', async (name, wanted) => {
    const [file] = await filesOf(folderWith(name))
    expect(file?.ticks[0]?.instrument).toMatchObject(wanted)
  })

  test('in a zip that packs it lies nowhere as it is; stored, in a tar and alone it does', async () => {
    const folder = folderWith(SWAP)
    const member = { name: SWAP, content: bytes }
    writeFileSync(join(folder, 'packed.zip'), madeZip([{ ...member, method: 8 }]))
    writeFileSync(join(folder, 'stored.zip'), madeZip([{ name: 'readme', content: bytes.subarray(0, 9) }, member]))
    writeFileSync(join(folder, 'long.zip'), madeZip([{ ...member, zip64: true }]))
    writeFileSync(join(folder, 'wide.tar'), await madeTar([{ name: `${'deep/'.repeat(60)}${SWAP}`, content: bytes }]))
    const files = await filesOf(folder)
    const found = files.map((file) => {
      const [tick] = file.ticks
      return [basename(file.stamp.path), stretchOf(file, tick?.fromByte ?? null, tick?.sizeBytes ?? 0)?.equals(bytes) ?? null]
    })
    expect(found).toEqual([['long.zip', true], ['packed.zip', null], ['stored.zip', true], [SWAP, true], ['wide.tar', true]])
  })

  test('an index remembers all of it', async () => {
    const [folder, indexPath] = [folderWith(SWAP, CALLS), join(newFolder(), 'index')]
    const first = await new FolderCatalog({ folders: [folder], indexPath }).refresh()
    expect((await new FolderCatalog({ folders: [folder], indexPath }).refresh()).files).toEqual(first.files)
  })
})

describe('series', () => {
  test('an archive of options of one day is a day of one; a tar of the days of one option is none', async () => {
    const series = seriesOf(await filesOf(folderWith(SWAP, CALL, CALLS, RANGE)))
    expect(series).toMatchObject([{ key: 'synthetic_option-BTC-calls', kind: 'option_chain' }])
    expect([...series[0]?.days.keys() ?? []]).toEqual(['2026-07-01'])
    const ids = series[0]?.days.get('2026-07-01')?.map(({ instrument }) => instrument.id) ?? []
    expect(ids.length).toBeGreaterThan(1)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  })

  test.each([
    ['KEY-2026-07-01.tar', [CALL, SWAP], [['KEY', 'option_chain', ['2026-07-01 2']]]],
    ['KEY-2026-07-01..2026-07-02.tar', [CALL, SWAP], [['KEY', 'option_chain', ['2026-07-01 2']]]],
    ['KEY-2026-07-01.tar', [CALL], []],
    ['KEY.tar', [CALL, SWAP], []],
    ['KEY-2026-07-01.tar', [SWAP, 'synthetic_spot-XRPUSDT-2026-07-01.txt.zst'], []],
    ['a-b-2026-07-01-2026-07-01.tar', [SWAP, 'synthetic_prediction-BTC-ABOVE-65000-2026-07-01.txt.zst'], [
      ['a-b-2026-07-01', 'prediction_series', ['2026-07-01 2']],
    ]],
  ])('%s of %j', async (name, members, wanted) => {
    const folder = newFolder()
    const content = members.map((member) => ({ name: member, content: readFileSync(join(datasetsFolder, member)) }))
    writeFileSync(join(folder, name), await madeTar(content))
    const found = seriesOf(await filesOf(folder)).map(({ key, kind, days }) =>
      [key, kind, [...days].map(([day, own]) => `${day} ${String(own.length)}`)])
    expect(found).toEqual(wanted)
  })

  test.skipIf(!hasSharedData)('tar and zip of the recorded options are one series, its members once', async () => {
    const paths = ['deribit-options-2021-07-22.tar', 'deribit-options-2021-07-22.zip', 'binance_swap-BTCUSDT-2023-04-04..2023-04-05.tar']
    const files = await filesOf(folderWith(...paths.map((path) => sharedData(`bundles/${path}`))))
    const [series, ...more] = seriesOf(files)
    expect(more).toEqual([])
    expect(series).toMatchObject({ key: 'deribit-options', kind: 'option_chain' })
    expect([...series?.days ?? []].map(([day, own]) => [day, own.length])).toEqual([['2021-07-22', 10]])
    for (const file of files)
      for (const { fromByte, sizeBytes } of file.ticks) {
        const stretch = stretchOf(file, fromByte, sizeBytes)
        expect(stretch?.subarray(0, 4).toString('hex')).toBe('28b52ffd')
        expect(stretch).toHaveLength(sizeBytes)
      }
  })
})
