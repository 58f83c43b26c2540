import { join } from 'node:path'
import { BacktapeError } from '../model/error.js'
import type { Wire } from '../protocol/strategies/strategy-schemas.js'
import { readJournal } from '../results/journal-file-reader.js'

/** Lines of a page without a limit of its own. */
const PAGE_LINES = 100

/** The pages of a journal. */
export type PageName = 'journal' | 'log' | 'orders' | 'fills' | 'positions'

/** The kinds of lines of a journal by the pages that have them; null: all. */
export const PAGE_KINDS: Readonly<Record<PageName, readonly string[] | null>> = {
  journal: null,
  log: ['log'],
  orders: [
    'place', 'amend', 'replace', 'cancel', 'cancelAll', 'placeResponse', 'amendResponse', 'replaceResponse',
    'cancelResponse', 'cancelAllResponse', 'orderUpdate',
  ],
  fills: ['fill'],
  positions: ['positionUpdate', 'walletUpdate'],
}

/**
 * A page of the journal in the folder of an instance: lines of some kinds from a number on. Nothing where it has not
 * begun. While a run goes on there is always a next page; lines that its file does not have whole come with it.
 */
export async function journalPage(
  folder: string, kinds: readonly string[] | null, { line = 0, limit = PAGE_LINES }: Wire<'PageQuery'>,
  isAtWork: boolean,
): Promise<Wire<'Lines'>> {
  const lines: Wire<'Line'>[] = []
  let nextLine = line
  try {
    for await (const part of readJournal(join(folder, 'journal.btj'))) {
      if (part.firstLine + part.lineCount <= line) continue
      let number = part.firstLine
      for (const text of part.lines()) {
        const own = number++
        if (own < line) continue
        if (lines.length === limit) return { lines, nextLine: own }
        if (isOfKinds(text, kinds)) lines.push({ line: own, text })
        nextLine = own + 1
      }
    }
  } catch (error) {
    // A journal that is being written, or was cut off, has no end: what came of it is whole.
    if (!(error instanceof BacktapeError)) throw error
  }
  return isAtWork ? { lines, nextLine } : { lines }
}

function isOfKinds(text: string, kinds: readonly string[] | null): boolean {
  if (kinds === null) return true
  if (!kinds.some((kind) => text.includes(`"kind":"${kind}"`))) return false
  const { kind } = JSON.parse(text) as { readonly kind?: unknown }
  return typeof kind === 'string' && kinds.includes(kind)
}
