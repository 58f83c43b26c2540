import { minutesCsv, minutesJson } from '../export/minutes-table.js'
import type { MinuteStatistics } from '../export/minutes.js'
import { readMinutes } from '../day/minutes-reader.js'
import { openTickFile, type TickDay } from '../day/tick-day.js'
import { epochNsFromTime } from '../model/time.js'
import { createWholeFile } from '../files/whole-file-writer.js'
import { READ_OPTIONS, STRICT_OPTION, type Arguments } from './arguments.js'
import type { Command } from './command.js'
import { dataWords } from './day-inputs.js'
import type { Output } from './output.js'

const NS_PER_MINUTE = 60_000_000_000n

function jsonText(day: TickDay, statistics: MinuteStatistics): string {
  const { rows } = statistics
  const first = rows[0]?.time ?? 0n
  const last = rows.at(-1)?.time
  const [start, end] =
    day.epochDay === null
      ? [first, last === undefined ? first : last + NS_PER_MINUTE]
      : [epochNsFromTime(0, day.epochDay), epochNsFromTime(0, day.epochDay + 1)]
  return minutesJson(statistics, { instrumentId: day.instrument.id, start, end, generatedAt: new Date().toISOString() })
}

function csvText(day: TickDay, statistics: MinuteStatistics): string {
  const { exchangeCode, code, id } = day.instrument
  return minutesCsv(statistics, `backtape minutes of ${day.fileName}, ${exchangeCode}:${code} (${String(id)})`)
}

async function run(args: Arguments, output: Output): Promise<number> {
  const out = args.text('out')
  const force = args.flag('force')
  const asJson = args.flag('json') || out?.toLowerCase().endsWith('.json') === true
  // Whether the output may be written is known before the work is done.
  const file = out === undefined ? null : await createWholeFile(out, { force, inputs: args.words })
  try {
    const day = await openTickFile(args.words[0] ?? '', args.readOptions())
    const statistics = await readMinutes(day)
    const text = asJson ? jsonText(day, statistics) : csvText(day, statistics)
    if (file === null) await output.text(text)
    else {
      await file.write(new TextEncoder().encode(text))
      await file.commit()
      output.note(`Wrote ${String(statistics.rows.length)} minutes to ${file.path}`)
    }
    if (statistics.rows.length > 0) return 0
    output.note(`${day.name}: no minute${day.day === null ? '' : ` of ${day.day}`} with a trade or a known book${await dataWords(day)}`)
    return args.flag('strict') ? 1 : 0
  } finally {
    await file?.abort()
  }
}

/** `backtape minutes`. */
export const minutesCommand: Command = {
  name: 'minutes',
  summary: 'sums up every minute in the 22 columns of the shop, exactly, as CSV or JSON',
  usage: 'FILE [--out minutes.csv] [--json]',
  example: 'backtape minutes binance_swap-BTCUSDT-2024-08-08.txt.zst --out minutes.csv',
  words: { least: 1, most: 1 },
  options: {
    out: { type: 'string', describe: 'file to write, .csv or .json; default standard output' },
    json: { type: 'boolean', describe: "the shop's JSON form with short keys" },
    force: { type: 'boolean', describe: 'overwrite the output' },
    ...STRICT_OPTION,
    ...READ_OPTIONS,
  },
  run,
}
