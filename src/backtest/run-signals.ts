import { asChecked, joinedPath, type Fault } from '../model/fault.js'
import { durationOf } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import type { SignalOptions } from '../configuration/run-options.js'
import {
  CHANNEL_COLUMN, MESSAGE_COLUMNS, SignalFeed, signalFaults, type SignalTerms,
} from '../simulation/signal-feed.js'
import { RECORD_COLUMNS } from '../simulation/message-columns.js'
import { SignalPlayer } from '../simulation/signal-player.js'
import { openRowFile, type OpenRowFile } from '../tables/reading/row-file-reader.js'

const UNITS_NS = { s: 1_000_000_000n, ms: 1_000_000n, us: 1_000n, ns: 1n } as const

function termsOf({ name, file, time, known, delay, unit, channel }: SignalOptions): SignalTerms {
  return {
    name, path: file, time, delayNs: BigInt(asChecked(durationOf(delay, { leastNs: 0 }))),
    ...(known === undefined ? {} : { known }), ...(unit === undefined ? {} : { unitNs: UNITS_NS[unit] }),
    ...(channel === undefined ? {} : { channel }),
  }
}

/** The signal, or null where its file gives reason for a fault. */
async function openedSignal(
  options: SignalOptions, epochDay: number, refuse: (fault: Fault) => void,
): Promise<SignalFeed | null> {
  const terms = termsOf(options)
  let file: OpenRowFile | null = null
  try {
    const kind = terms.unitNs === undefined ? 'timestamp' : 'integer'
    const times = [terms.time, ...(terms.known === undefined ? [] : [terms.known])]
    const implied = Object.fromEntries([
      ...(terms.channel === undefined
        ? [] : [...[...MESSAGE_COLUMNS, CHANNEL_COLUMN].map((name) => [name, 'text'] as const),
          ...Object.entries(RECORD_COLUMNS)]),
      ...times.map((name) => [name, kind] as const),
    ])
    file = await openRowFile(options.file, {
      implied, ...(options.types === undefined ? {} : { stated: options.types }),
    })
    const names = file.columns.map(({ name }) => name)
    const unknown = Object.keys(options.types ?? {}).filter((name) => !names.includes(name))
    const faults = [
      ...signalFaults(terms, file.columns),
      ...unknown.map((name) => (
        { path: 'types', expected: `columns of the file (${names.join(', ')})`, found: JSON.stringify(name) })),
    ]
    const feed = new SignalFeed(terms, file, epochDay)
    if (faults.length === 0 && !(await feed.load()))
      faults.push({ path: 'file', expected: 'a file with at least one row', found: 'none' })
    if (faults.length === 0) return feed
    faults.forEach(refuse)
  } catch (error) {
    await file?.close()
    if (!(error instanceof BacktapeError) || error.place.row !== undefined) throw error
    // The file is as it should be.
    if (error.code === 'PACKAGE_MISSING') throw error
    const { expected, found } = error.place
    if (expected === undefined || found === undefined) throw error
    refuse({ path: 'file', expected, found: error.code === 'FILE_NOT_FOUND' ? found : `${found} (${options.file})` })
    return null
  }
  await file.close()
  return null
}

/**
 * Opens the signals of a run, each with its first rows; what is wrong with a file or its columns goes to `faults`.
 * Throws ROW_INVALID for a first row that cannot be played.
 */
export async function openSignals(
  options: readonly SignalOptions[], epochDay: number, faults: Fault[],
): Promise<SignalPlayer> {
  const feeds: SignalFeed[] = []
  try {
    for (const [at, given] of options.entries()) {
      // A signal whose form is a fault already has left its place empty.
      const one = given as SignalOptions | undefined
      if (one === undefined) continue
      const refuse = (fault: Fault): void => {
        faults.push({ ...fault, path: joinedPath(`signals[${at}]`, fault.path) })
      }
      const feed = await openedSignal(one, epochDay, refuse)
      if (feed !== null) feeds.push(feed)
    }
  } catch (error) {
    await new SignalPlayer(feeds).close()
    throw error
  }
  return new SignalPlayer(feeds)
}
