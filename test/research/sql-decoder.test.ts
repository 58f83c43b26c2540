import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { convertFiles, openCatalog } from '../../src/index.js'
import { DECODER_VERSION } from '../../src/tickfile/decoder-version.js'
import { dayBytes, masterData, time } from '../support/hand-made-day.js'
import { newFolder } from '../support/new-folder.ts'

const NAME = 'made-HAND-2026-07-01.txt.zst'

/** A day whose only trade has this quantity of one digit. */
const dayWith = (quantity: number): Uint8Array => dayBytes(masterData({}), [[2, '0', 't1', time('00:00:02'), 0, [[0, '101', String(quantity), 'x1', 0]]]])

describe('a table that a manifest lists as made by another decoder', () => {
  const MANIFEST = 'backtape-manifest.json'
  interface Entry { source: { sha256: string; sizeBytes: number }; options: string; outputs: { kind: string; file: string | null }[] }
  const ofDecoder = (entry: Entry, decoder: number | null): Entry => {
    const { decoder: _, ...options } = JSON.parse(entry.options) as { decoder: number }
    return { ...entry, options: JSON.stringify(decoder === null ? options : { ...options, decoder }) }
  }
  /** Tables of a day of 3, listed as made of a day of 7 that lies beside them: their sums show which was read. */
  const madeBy = async (change: (entry: Entry) => Entry[]): Promise<string> => {
    const [folder, other] = [newFolder(), newFolder()]
    for (const [place, quantity] of [[folder, 3], [other, 7]] as const) {
      writeFileSync(join(place, NAME), dayWith(quantity))
      await convertFiles([join(place, NAME)], { out: place, kinds: ['trades'] })
    }
    copyFileSync(join(other, NAME), join(folder, NAME))
    const read = (place: string): { entries: Entry[] } => JSON.parse(readFileSync(join(place, MANIFEST), 'utf8')) as { entries: Entry[] }
    const content = read(folder)
    const entries = content.entries.flatMap((entry) => change({ ...entry, source: read(other).entries[0]!.source }))
    writeFileSync(join(folder, MANIFEST), JSON.stringify({ ...content, entries }))
    return folder
  }
  const asked = async (folder: string): Promise<[sum: unknown, notes: string[]]> => {
    const notes: string[] = []
    const catalog = await openCatalog(folder, { cache: newFolder(), onNote: (note) => notes.push(note) })
    const [row] = (await catalog.sql('select sum(qty)::varchar as q from trades')).rows
    await catalog.close()
    return [row?.['q'], notes]
  }
  test.each([6, null])('decoder %s: its tick file is taken, and without that it is, with a warning of both versions', async (decoder) => {
    const folder = await madeBy((entry) => [ofDecoder(entry, decoder)])
    expect(await asked(folder)).toEqual(['7', []])
    rmSync(join(folder, NAME))
    const found = decoder === null ? 'an unknown decoder' : `decoder ${String(decoder)}`
    const words = `made by ${found}, and this version has decoder ${String(DECODER_VERSION)}; convert its tick file again`
    expect(await asked(folder)).toEqual(['3', [`${join(folder, NAME.replace('.txt.zst', '.trades.parquet'))}: ${words}`]])
  })
  test('is taken where this decoder has made it again, wherever its older entry stands', async () => {
    for (const order of [0, 1]) {
      const folder = await madeBy((entry) => (order === 0 ? [ofDecoder(entry, 6), entry] : [entry, ofDecoder(entry, 6)]))
      expect(await asked(folder)).toEqual(['3', []])
    }
  })
  test('a kind that another decoder found empty is asked of the tick file', async () => {
    const empty = (entry: Entry): Entry => ({ ...entry, outputs: entry.outputs.map((output) => (output.kind === 'trades' ? { ...output, file: null } : output)) })
    const folder = await madeBy((entry) => [ofDecoder(empty(entry), 6)])
    rmSync(join(folder, NAME.replace('.txt.zst', '.trades.parquet')))
    expect(await asked(folder)).toEqual(['7', []])
    const own = await madeBy((entry) => [empty(entry)])
    rmSync(join(own, NAME.replace('.txt.zst', '.trades.parquet')))
    expect(await asked(own)).toEqual([null, []])
  })
})
