import { EVENT_KIND_NAMES, type EventKind } from '../model/event-kind.js'
import type { EventNote } from '../day/event-stream.js'
import { readEvents } from '../day/tick-day.js'
import { MARGINS_OPTION, PREFER_OPTION, READ_OPTIONS, STRICT_OPTION, type Arguments } from './arguments.js'
import type { Command } from './command.js'
import { isoFromEpochNs } from '../model/time.js'
import type { Output } from './output.js'
import { ReadProgress } from './read-progress.js'

/** The time is looked at after so many events. */
const EVENTS_PER_STEP = 1024

async function run(args: Arguments, output: Output): Promise<number> {
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
    output.note(code === 'damaged' ? `Warning: ${sentence}` : sentence)
  }
  const options = { ...args.selectionOptions(), ...filter, margins: args.margins(), onNote }
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
  return isLacking && args.flag('strict') ? 1 : 0
}

/** `backtape events`. */
export const eventsCommand: Command = {
  name: 'events',
  summary: 'prints events as JSON lines: exact decimals as strings, times as digits (epoch nanoseconds)',
  usage: 'FILE... [--kind trades] [--from 12:00] [--to 12:05]',
  example: 'backtape events binance_swap-BTCUSDT-2024-08-08.txt.zst --kind trades --from 23:55 --to 23:56 | head',
  moreExamples: [
    'backtape events days --kind mark,funding --from 2024-08-08T12:00Z > marks.jsonl',
  ],
  words: { least: 1, most: Infinity },
  options: {
    kind: {
      type: 'string', array: true, alias: 'kinds', choices: EVENT_KIND_NAMES,
      describe: 'kinds wanted; may be repeated, commas separate',
    },
    from: {
      type: 'string', describe: 'first adapter time: 12:00 of the first day, 12:00:00.5, ISO-8601 or epoch nanoseconds',
    },
    to: {
      type: 'string',
      describe: 'end of the adapter time, exclusive; clock times are of the first day; a bare date includes that day',
    },
    json: { type: 'boolean', describe: 'JSON lines; the only form, so it changes nothing' },
    ...PREFER_OPTION,
    ...MARGINS_OPTION,
    ...STRICT_OPTION,
    ...READ_OPTIONS,
  },
  run,
}
