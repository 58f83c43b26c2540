import type { Sent } from '../../protocol/shop/shop-schemas.js'
import type { DayStates, ShownDayState } from './day-states.js'
import { tickFileName } from './file-replies.js'
import type { Segments } from './segments.js'
import type { GoodsMember, ShopGoods } from './shop-goods.js'

/** Files that are looked at together. */
const LOOKS = 64

/** A bundle day that was bought, with the files that were in it. */
export interface BoughtDay {
  readonly date: string
  readonly exchangeCode: string
  readonly members: readonly GoodsMember[]
}

/** A file of an archive. */
export interface BoughtFile {
  /** As the sold file is named. */
  readonly name: string
  readonly instrumentId: number
  readonly date: string
  readonly bytes: number
  /** A file that is gone is `pending`. */
  readonly state: ShownDayState
  /** Null where it is not ready. */
  readonly segments: Segments | null
}

/** The files of days, each with its state; those that are ready with their bytes. */
export async function boughtFiles(
  goods: ShopGoods, states: DayStates, days: readonly BoughtDay[],
): Promise<readonly BoughtFile[]> {
  const named = days.flatMap((day) => {
    const names = memberNamesOf(day)
    return day.members.map((member, at) => ({ ...member, date: day.date, name: names[at] ?? '' }))
  })
  // All at once: the states that time has changed are kept together.
  const shown = states.shown(named)
  const files: BoughtFile[] = []
  for (let at = 0; at < named.length; at += LOOKS) {
    const some = named.slice(at, at + LOOKS)
    files.push(...await Promise.all(some.map(async ({ instrumentId, sizeBytes, date, name }, place) => {
      const state = shown[at + place] ?? 'ready'
      const segments = state === 'ready' ? await goods.dayFile(instrumentId, date) : null
      const isGone = state === 'ready' && segments === null
      return {
        name, instrumentId, date, bytes: segments?.sizeBytes ?? sizeBytes, segments,
        state: isGone ? 'pending' as const : state,
      }
    })))
  }
  return files
}

/**
 * The names of a day's files, as they are sold. Codes that are one word where letters are not told apart by their case
 * get their id, so that they do not overwrite each other in a folder.
 */
function memberNamesOf({ date, exchangeCode, members }: BoughtDay): readonly string[] {
  const nameOf = (code: string): string => tickFileName({ code, exchangeCode }, date)
  const counts = new Map<string, number>()
  for (const { code } of members) {
    const folded = nameOf(code).toLowerCase()
    counts.set(folded, (counts.get(folded) ?? 0) + 1)
  }
  return members.map(({ code, instrumentId }) => (
    (counts.get(nameOf(code).toLowerCase()) ?? 0) > 1 ? nameOf(`${code}#${String(instrumentId)}`) : nameOf(code)))
}

/** The list of the members of an archive. */
export function manifestOf(files: readonly BoughtFile[]): Sent<'Manifest'> {
  return {
    members: files.map(({ name, instrumentId, date, bytes, state }) => (
      { name, instrument_id: instrumentId, date, bytes, state })),
  }
}
