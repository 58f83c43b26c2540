import type { EventKind } from '../model/event-kind.js'
import type { EventNote } from '../day/event-stream.js'
import { readEvents } from '../day/tick-day.js'
import type { Arguments } from './terminal/arguments.js'
import { checkedMargins, type Margins } from '../tickfile/days/margins.js'
import { isoFromEpochNs } from '../model/time.js'
import { FailedFiles } from './failed-files.js'
import type { Output } from './terminal/output.js'
import { ReadProgress } from './read-progress.js'

/** The time is looked at after so many events. */
const EVENTS_PER_STEP = 1024

/** The work of `backtape events`. */
export async function runEvents(args: Arguments, output: Output): Promise<number> {
  const kinds = args.texts('kind') as EventKind[] | undefined
  const from = args.text('from')
  const to = args.text('to')
  const filter = {
    ...(kinds === undefined ? {} : { kinds }), ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  let isLacking = false
  const onNote = ({ code, sentence }: EventNote): void => {
    isLacking ||= code === 'empty' || code === 'damaged'
    output.note(code === 'damaged' || code === 'clock' ? `Warning: ${sentence}` : sentence)
  }
  const margins = checkedMargins(args.text('margins') as Margins | undefined)
  const failed = new FailedFiles(output)
  const onFailedFile = (name: string, error: unknown): void => void failed.add(name, error)
  const options = { ...args.selectionOptions(), ...filter, margins, onNote, onFailedFile }
  const progress = new ReadProgress(output)
  let count = 0
  try {
    for await (const event of readEvents(args.data(), options)) {
      await output.line(JSON.stringify(event))
      if (++count % EVENTS_PER_STEP === 0) progress.showRows(count, isoFromEpochNs(event.adapterTimestampNs))
    }
  } finally {
    progress.end()
  }
  return isLacking && args.flag('strict') ? 1 : failed.exitCode
}
