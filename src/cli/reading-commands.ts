import { EVENT_KIND_NAMES } from '../model/event-kind.js'
import type { Command } from './terminal/command.js'
import {
  READ_OPTIONS, PREFER_OPTION, MARGINS_OPTION, STRICT_OPTION, FORM_OPTIONS, TABLE_OUT, TABLE_TO, CATALOG_OPTIONS,
} from './command-options.js'

/** `backtape info`. */
export const infoCommand: Command = {
  name: 'info',
  usage: 'FILE... [--quick] [--json]',
  example: 'backtape info binance_swap-BTCUSDT-2024-08-08.txt.zst',
  words: { least: 1, most: Infinity },
  options: {
    quick: {
      type: 'boolean',
      describe: 'instrument, day, first event and sizes alone, and the last event where the last zstd frame is ' +
        'small; names what was not read',
    },
    cache: { type: 'string', describe: 'folder of decoded days: one that is kept there is read from it' },
    json: { type: 'boolean', describe: 'one JSON array, an object a file' }, ...PREFER_OPTION, ...READ_OPTIONS,
  },
  load: async () => (await import('./info.js')).runInfo,
}

/** `backtape audit`. */
export const auditCommand: Command = {
  name: 'audit',
  usage: 'FILE... [--json]',
  example: 'backtape audit day.txt.zst bundle.tar --json',
  moreExamples: [
    'backtape audit days --on-damage skip',
  ],
  words: { least: 1, most: Infinity },
  options: {
    json: {
      type: 'boolean',
      describe: 'one JSON array, an object a file, and at the end one for master data that change between days',
    },
    ...READ_OPTIONS,
  },
  load: async () => (await import('./audit.js')).runAudit,
}

/** `backtape events`. */
export const eventsCommand: Command = {
  name: 'events',
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
  load: async () => (await import('./events.js')).runEvents,
}

/** `backtape book`. */
export const bookCommand: Command = {
  name: 'book',
  usage:
    'FILE --at 12:00:00 [--levels 10]  |  FILE --every 1s [--levels 10] [--from TIME] [--to TIME] [--out grid.parquet]',
  example: 'backtape book binance_swap-BTCUSDT-2024-08-08.txt.zst --at 23:55:00 --levels 10',
  moreExamples: [
    'backtape book day.txt.zst --every 1s --levels 20 --out grid.parquet',
  ],
  words: { least: 1, most: 1 },
  options: {
    at: { type: 'string', describe: 'time of one book: 12:00, 12:00:00.5, ISO-8601 or epoch nanoseconds' },
    every: { type: 'string', describe: 'distance of the books of a grid: 500ms, 1s, 5m, 1h' },
    levels: { type: 'string', describe: 'levels of each side; default 10' },
    from: { type: 'string', describe: 'first time of a grid' },
    to: {
      type: 'string', array: true,
      describe: 'end of a grid, exclusive; or the format, whatever the name ends in; may be repeated for both',
    },
    out: TABLE_OUT,
    ...FORM_OPTIONS,
    json: { type: 'boolean', describe: 'JSON, one book a line' },
    force: { type: 'boolean', describe: 'overwrite the output' },
    ...MARGINS_OPTION,
    ...STRICT_OPTION,
    ...READ_OPTIONS,
  },
  load: async () => (await import('./book.js')).runBook,
}

/** `backtape minutes`. */
export const minutesCommand: Command = {
  name: 'minutes',
  usage: 'FILE... [--every 10s] [--out minutes.csv] [--to FORMAT] [--json]',
  example: 'backtape minutes binance_swap-BTCUSDT-2024-08-08.txt.zst --out minutes.csv',
  moreExamples: [
    'backtape minutes day.txt.zst --every 10s --columns all --out rows.parquet',
    'backtape minutes day.txt.zst --every trades=100 --out bars.csv',
  ],
  words: { least: 1, most: Infinity },
  options: {
    out: TABLE_OUT,
    to: TABLE_TO,
    every: {
      type: 'string',
      describe: 'length of the rows: whole seconds that make a day, such as 10s; default 1m; or bars by trades=100, ' +
        'volume=5, turnover=100000 or imbalance=2',
    },
    columns: {
      type: 'string', choices: ['shop', 'all'],
      describe: 'the 22 of the shop (default of minutes), or all: with volume_buy and volume_sell in base units',
    },
    json: { type: 'boolean', describe: "the same as --to json: the shop's JSON form with short keys" },
    ...FORM_OPTIONS,
    force: { type: 'boolean', describe: 'overwrite the output' },
    ...STRICT_OPTION,
    ...PREFER_OPTION,
    ...READ_OPTIONS,
  },
  load: async () => (await import('./minutes.js')).runMinutes,
}

/** `backtape catalog`. */
export const catalogCommand: Command = {
  name: 'catalog',
  usage: 'FOLDER... [--audit] [--json]',
  example: 'backtape catalog days archive',
  words: { least: 1, most: Infinity },
  options: {
    audit: { type: 'boolean', describe: 'audit tick files that were not audited before' },
    out: TABLE_OUT,
    to: TABLE_TO,
    json: { type: 'boolean', describe: 'the same as --to json: an object for each instrument and day' },
    ...CATALOG_OPTIONS,
    ...FORM_OPTIONS,
    force: { type: 'boolean', describe: 'overwrite the output' },
  },
  load: async () => (await import('./catalog.js')).runCatalog,
}

/** `backtape sql`. */
export const sqlCommand: Command = {
  name: 'sql',
  usage: '"STATEMENT" [--data FOLDER] [--out result.parquet] [--to FORMAT] [--json]',
  example: 'backtape sql "select side, sum(qty) from trades group by side" --data archive',
  words: { least: 1, most: 1 },
  options: {
    data: {
      type: 'string', array: true, describe: 'folder with tick files and tables, or a file; repeat it; default .',
    },
    out: TABLE_OUT,
    to: TABLE_TO,
    json: { type: 'boolean', describe: 'the same as --to json: an object a row' },
    trust: { type: 'boolean', describe: 'take tables whose metadata do not say what they hold' },
    limitRows: { type: 'string', describe: 'most rows of the result; default 1000000' },
    ...CATALOG_OPTIONS,
    cacheLimitGb: { type: 'string', describe: 'most gigabytes of converted days; default 20' },
    memoryGb: { type: 'string', describe: 'most gigabytes of memory; default 2' },
    ...FORM_OPTIONS,
    force: { type: 'boolean', describe: 'overwrite the output' },
    ...PREFER_OPTION,
  },
  load: async () => (await import('./sql.js')).runSql,
}
