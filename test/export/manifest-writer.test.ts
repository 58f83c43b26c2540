import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Manifest, type ManifestEntry, ResultBatch } from '../../src/export/manifest-writer.js'
import { createWholeFile } from '../../src/files/whole-file-writer.js'
import { resultNames } from '../support/export-lines.js'
import { newFolder } from '../support/new-folder.ts'

function entryOf(file: string, sizeBytes = 1): ManifestEntry {
  const counts = { events: 0, damagedLines: 0, margins: 'keep', openingSnapshot: 'none' } as const
  return { source: { file, sizeBytes, sha256: '' }, options: '{}', ...counts, leftOut: { before: 0, after: 0 }, outputs: [] }
}

const listed = ({ path }: Manifest): string[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as { entries: ManifestEntry[] }).entries.map(({ source }) => source.file)

describe('a manifest', () => {
  it('keeps the entries of conversions that write at the same time', async () => {
    const folder = newFolder()
    const manifests = Array.from({ length: 4 }, () => new Manifest(folder, false))
    const names = Array.from({ length: 24 }, (_, i) => `day-${String(i + 10)}`)
    await Promise.all(names.map((name, i) => (manifests[i % 4] ?? new Manifest(folder, false)).put([entryOf(name)])))
    expect(listed(new Manifest(folder, false))).toEqual(names)
    for (const manifest of manifests) expect(await manifest.entriesOf('day-10')).toHaveLength(1)
  })

  it('sees what another conversion has listed since', async () => {
    const folder = newFolder()
    const [mine, other] = [new Manifest(folder, false), new Manifest(folder, false)]
    await mine.put([entryOf('a', 1)])
    await other.put([entryOf('a', 2), entryOf('b')])
    expect(await mine.entriesOf('a')).toMatchObject([{ source: { sizeBytes: 2 } }])
    expect(await mine.entriesOf('b')).toHaveLength(1)
  })

  it('is not replaced where it is none, and what waits for it is refused', async () => {
    const folder = newFolder()
    const manifest = new Manifest(folder, false)
    writeFileSync(manifest.path, 'mine')
    await expect(manifest.put([entryOf('a')])).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect(readFileSync(manifest.path, 'utf8')).toBe('mine')
    expect(resultNames(folder)).toEqual([])
  })
})

describe('results of many sources', () => {
  it('have their names after one write of the manifest, which lists them before', async () => {
    const folder = newFolder()
    const puts: { entries: number; standing: number }[] = []
    class Counted extends Manifest {
      override put(entries: readonly ManifestEntry[]): Promise<void> {
        puts.push({ entries: entries.length, standing: resultNames(folder).filter((name) => !name.startsWith('.')).length })
        return super.put(entries)
      }
    }
    const batch = new ResultBatch(new Counted(folder, false))
    const files = await Promise.all(Array.from({ length: 100 }, (_, i) => createWholeFile(`${folder}/${String(i)}.csv`)))
    await Promise.all(files.map((file, i) => batch.add(entryOf(`day-${String(i)}`), [file])))
    expect(puts).toEqual([{ entries: 100, standing: 0 }])
    expect(resultNames(folder)).toHaveLength(100)
  })

  it('fail alone: a name that is taken meanwhile is the fault of one', async () => {
    const folder = newFolder()
    const batch = new ResultBatch(new Manifest(folder, false))
    const files = await Promise.all(['a', 'b'].map((name) => createWholeFile(`${folder}/${name}.csv`)))
    writeFileSync(`${folder}/a.csv`, 'of somebody')
    const [a, b] = await Promise.allSettled(files.map((file, i) => batch.add(entryOf(String(i)), [file])))
    expect(a).toMatchObject({ status: 'rejected', reason: { code: 'OUTPUT_EXISTS' } })
    expect(b?.status).toBe('fulfilled')
    expect(readFileSync(`${folder}/a.csv`, 'utf8')).toBe('of somebody')
  })

  it('are all refused where the manifest cannot be written', async () => {
    const folder = newFolder()
    const manifest = new Manifest(folder, false)
    writeFileSync(manifest.path, 'mine')
    const batch = new ResultBatch(manifest)
    const file = await createWholeFile(`${folder}/a.csv`)
    await expect(batch.add(entryOf('a'), [file])).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
    await file.abort()
    expect(resultNames(folder)).toEqual([])
  })
})
