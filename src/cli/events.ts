import { EVENT_KIND_NAMES, type EventKind } from '../model/event-kind.js'
import { READ_OPTIONS, type Arguments } from './arguments.js'
import type { Command } from './command.js'
import { eachDay } from './day-inputs.js'
import type { Output } from './output.js'

async function run(args: Arguments, output: Output): Promise<number> {
  const kinds = args.texts('kind') as EventKind[] | undefined
  const from = args.text('from')
  const to = args.text('to')
  const filter = { ...(kinds === undefined ? {} : { kinds }), ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  for await (const day of eachDay(args.words, args.readOptions(), output)) {
    for await (const event of day.events(filter)) await output.line(JSON.stringify(event))
  }
  return 0
}

/** `backtape events`. */
export const eventsCommand: Command = {
  name: 'events',
  summary: 'prints events as JSON lines: exact decimals as strings, times as digits (epoch nanoseconds)',
  usage: 'FILE... [--kind trades] [--from 12:00] [--to 12:05]',
  example: 'backtape events binance_swap-BTCUSDT-2024-08-08.txt.zst --kind trades --from 23:55 --to 23:56 | head',
  words: { least: 1, most: Infinity },
  options: {
    kind: { type: 'string', array: true, alias: 'kinds', choices: EVENT_KIND_NAMES, describe: 'kinds wanted; may be repeated, commas separate' },
    from: { type: 'string', describe: 'first adapter time: 12:00, 12:00:00.5, ISO-8601 or epoch nanoseconds' },
    to: { type: 'string', describe: 'end of the adapter time, exclusive' },
    json: { type: 'boolean', describe: 'JSON lines; the only form, so it changes nothing' },
    ...READ_OPTIONS,
  },
  run,
}
