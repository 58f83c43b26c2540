import { BacktapeError } from '../model/error.js'
import { keptValue } from '../model/kept-value.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import type { TickCopy } from '../tickfile/source-copies-reader.js'
import { sourceFacts } from '../tickfile/source-checksum-reader.js'
import { openSource } from '../tickfile/archive/source-reader.js'
import type { CatalogDay, FoundTick } from './catalog-day.js'
import { stampKey, type FileStamp } from './catalog-file.js'
import { currentStamp } from './catalog-scan-reader.js'

/** One text for one state of a tick file. */
export function tickKey(name: string, stamp: FileStamp): string {
  return `${name}\n\n${stampKey(stamp)}`
}

/** Tick files of a day that may be copies: each has the size of another one. */
function likelyCopies({ ticks }: CatalogDay): readonly FoundTick[] {
  if (ticks.length < 2) return []
  const bySize = new Map<number, FoundTick[]>()
  for (const tick of ticks) keptValue(bySize, tick.facts.sizeBytes, (): FoundTick[] => []).push(tick)
  return [...bySize].flatMap(([size, own]) => (size > 0 && own.length > 1 ? own : []))
}

/**
 * SHA-256 of the bytes of a tick file, 64 hex digits. Throws STOPPED, FILE_UNREADABLE where it is no longer as it was
 * found, and what opening it throws.
 */
export async function readDigest({ facts: { name }, stamp }: FoundTick, signal: StopSignal | undefined):
  Promise<string> {
  const { sha256 } = await sourceFacts(await openSource(name), signal)
  await checkUnchanged(name, stamp)
  return sha256
}

/** Throws FILE_UNREADABLE where a file is no longer as it was found. */
export async function checkUnchanged(name: string, stamp: FileStamp): Promise<void> {
  const now = await currentStamp(stamp.path)
  if (now !== null && stampKey(now) === stampKey(stamp)) return
  const sentence = `Cannot read ${name}: it has changed while it was read; ask again when nobody writes to it`
  throw new BacktapeError('FILE_UNREADABLE', sentence, { file: name })
}

/**
 * Reads the digests of likely copies that are not known; one that cannot be read has none, and is no copy. True where
 * it has read any. Throws STOPPED.
 */
export async function readCopyDigests(
  days: readonly CatalogDay[], known: Map<string, string>, signal: StopSignal | undefined,
): Promise<boolean> {
  let hasRead = false
  for (const day of days)
    for (const tick of likelyCopies(day)) {
      const key = tickKey(tick.facts.name, tick.stamp)
      if (known.has(key)) continue
      refuseStopped(signal, tick.facts.name)
      known.set(key, await readDigest(tick, signal).catch(() => ''))
      refuseStopped(signal, tick.facts.name)
      hasRead = true
    }
  return hasRead
}

/** Days with one tick file of each content, the first by its name, and the copies that were left out. */
export function withoutCopies(
  days: readonly CatalogDay[],
): { readonly days: readonly CatalogDay[]; readonly copies: readonly TickCopy[] } {
  const copies: TickCopy[] = []
  const found = days.map((day) => {
    const likely = new Set(likelyCopies(day))
    if (likely.size === 0) return day
    const first = new Map<string, FoundTick>()
    const ticks = day.ticks.filter((tick) => {
      const { digest } = tick
      if (digest === null || !likely.has(tick)) return true
      const other = first.get(digest)
      if (other === undefined) first.set(digest, tick)
      else copies.push({ name: tick.facts.name, of: other.facts.name })
      return other === undefined
    })
    return ticks.length === day.ticks.length ? day : { ...day, ticks }
  })
  return { days: found, copies }
}
