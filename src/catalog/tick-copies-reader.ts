import { keptValue } from '../model/kept-value.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import type { TickCopy } from '../tickfile/source-copies-reader.js'
import { sourceFacts } from '../tickfile/source-checksum-reader.js'
import { openSource } from '../tickfile/archive/source-reader.js'
import type { CatalogDay, FoundTick } from './catalog-day.js'
import { stampKey } from './catalog-file.js'

/** Digests of tick files by their state; only those of a size that another file of the day has are read. */
export type KnownDigests = Map<string, string>

const keyOf = ({ facts, stamp }: FoundTick): string => `${facts.name}\n\n${stampKey(stamp)}`

/** Tick files of a day that may be copies: each has the size of another one. */
function likelyCopies({ ticks }: CatalogDay): readonly FoundTick[] {
  const bySize = new Map<number, FoundTick[]>()
  for (const tick of ticks) keptValue(bySize, tick.facts.sizeBytes, (): FoundTick[] => []).push(tick)
  return [...bySize].flatMap(([size, own]) => (size > 0 && own.length > 1 ? own : []))
}

async function digestOf({ facts: { name } }: FoundTick, signal: StopSignal | undefined): Promise<string> {
  return (await sourceFacts(await openSource(name), signal)).sha256
}

/** Reads the digests that are not known; one that cannot be read has none, and is no copy. Throws STOPPED. */
export async function readDigests(
  days: readonly CatalogDay[], known: KnownDigests, signal: StopSignal | undefined,
): Promise<void> {
  for (const day of days)
    for (const tick of likelyCopies(day)) {
      if (known.has(keyOf(tick))) continue
      refuseStopped(signal, tick.facts.name)
      const found = await digestOf(tick, signal).catch(() => '')
      refuseStopped(signal, tick.facts.name)
      known.set(keyOf(tick), found)
    }
}

/** Days with one tick file of each content, the first by its name, and the copies that were left out. */
export function withoutCopies(
  days: readonly CatalogDay[], known: KnownDigests,
): { readonly days: readonly CatalogDay[]; readonly copies: readonly TickCopy[] } {
  const copies: TickCopy[] = []
  const found = days.map((day) => {
    const first = new Map<string, FoundTick>()
    const ticks = day.ticks.filter((tick) => {
      const digest = known.get(keyOf(tick)) ?? ''
      const other = digest === '' ? undefined : first.get(digest)
      if (other === undefined) first.set(digest, tick)
      else copies.push({ name: tick.facts.name, of: other.facts.name })
      return other === undefined
    })
    return ticks.length === day.ticks.length ? day : { ...day, ticks }
  })
  return { days: found, copies }
}
