import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { writeWholeText } from '../files/whole-file-writer.js'
import { goldenPaths, type Golden } from './golden.js'
import { readJournalLines } from './golden-reader.js'
import { createJournalFile } from '../results/journal-file-writer.js'
import type { RunFile } from '../configuration/run-file-reader.js'

/** Takes files away that may not be there. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true })
}

/**
 * Takes journals of a run file's golden away that none of its sets has any more; only files that the golden's own names
 * reach. Returns their paths.
 */
export async function removeStaleJournals(runFile: string, worldCount: number): Promise<readonly string[]> {
  const { golden, journals } = goldenPaths(runFile, worldCount)
  const stem = basename(golden).replace(/\.json$/, '')
  const isOne = (name: string): boolean =>
    name.startsWith(stem) && /^(?:\.\d+)?\.jsonl\.gz$/.test(name.slice(stem.length))
  const kept = journals.map((path) => basename(path))
  const stale = (await readdir(dirname(golden)))
    .filter((name) => isOne(name) && !kept.includes(name))
    .sort()
    .map((name) => join(dirname(golden), name))
  await removeFiles(stale)
  return stale
}

async function packJournal(from: string, to: string, inputs: readonly string[]): Promise<void> {
  const file = await createJournalFile(to, { force: true, inputs })
  try {
    for await (const line of readJournalLines(from)) file.write(line)
    await file.commit()
  } finally {
    await file.abort()
  }
}

/** Puts the golden of a run file in its place, and packed copies of its journals, which lie ready under other names. */
export async function writeGolden(
  { path: runFile, inputs }: Pick<RunFile, 'path' | 'inputs'>, golden: Golden, journals: readonly string[],
): Promise<void> {
  const paths = goldenPaths(runFile, golden.worlds.length)
  for (const [number, journal] of journals.entries())
    await packJournal(journal, paths.journals[number] ?? journal, inputs)
  await writeWholeText(paths.golden, `${JSON.stringify(golden, null, 2)}\n`, { force: true, inputs })
}
