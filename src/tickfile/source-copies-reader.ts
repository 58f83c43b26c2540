import { BacktapeError } from '../model/error.js'
import { keptValue } from '../model/kept-value.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { TickSource } from './archive/tick-source.js'
import { sourceFacts } from './source-checksum-reader.js'

/** A tick file that holds the same bytes as another one. */
export interface TickCopy {
  /** Its name: a path, or `bundle.tar#member`. */
  readonly name: string
  /** The name of the other one, which is taken. */
  readonly of: string
}

/**
 * Takes the copies out of groups of files of one instrument and day: of equal bytes the first one stays. Only files of
 * equal size are read; one that cannot be read is no copy. Throws STOPPED.
 */
export async function leaveOutCopies(
  groups: readonly { readonly source: TickSource }[][], signal: StopSignal | undefined,
): Promise<readonly TickCopy[]> {
  const copies: TickCopy[] = []
  for (const group of groups) {
    const bySize = new Map<number, { readonly source: TickSource }[]>()
    for (const one of group)
      if (one.source.sizeBytes !== null && one.source.repeatable)
        keptValue(bySize, one.source.sizeBytes, (): { readonly source: TickSource }[] => []).push(one)
    for (const own of bySize.values()) {
      if (own.length < 2) continue
      const first = new Map<string, string>()
      for (const one of own) {
        const { name } = one.source
        const digest = await digestOf(one.source, signal)
        const of = digest === null ? undefined : first.get(digest)
        if (digest !== null && of === undefined) first.set(digest, name)
        if (of === undefined) continue
        copies.push({ name, of })
        group.splice(group.indexOf(one), 1)
      }
    }
  }
  return copies
}

async function digestOf(source: TickSource, signal: StopSignal | undefined): Promise<string | null> {
  try {
    return (await sourceFacts(source, signal)).sha256
  } catch (error) {
    if (error instanceof BacktapeError && error.code !== 'STOPPED') return null
    throw error
  }
}
