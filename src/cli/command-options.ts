import type { Options } from 'yargs'
import { endingsText, EXPORT_FORMATS } from '../tables/output-format.js'
import { NUMBER_FORMS, TIME_FORMS } from '../tables/table-form.js'
import type { Margins } from '../tickfile/days/margins.js'

/** Options of every command that reads tick files. */
export const READ_OPTIONS: Readonly<Record<'day' | 'onDamage' | 'zstd', Options>> = {
  day: { type: 'string', describe: 'the UTC day of the file, YYYY-MM-DD, where its name does not say it' },
  onDamage: {
    type: 'string', choices: ['stop', 'count', 'skip'],
    describe: 'stop (default): end at the first bad line; count: leave bad lines out and count them; ' +
      'skip: also read a cut file up to the cut',
  },
  zstd: {
    type: 'string', choices: ['auto', 'native', 'wasm', 'fzstd'],
    describe: 'which zstd decoder; auto takes the fastest',
  },
}

/** Of commands that take folders and patterns. */
export const PREFER_OPTION: Readonly<Record<'prefer', Options>> = {
  prefer: {
    type: 'string', describe: 'a part of the name of the file to take, where two are of one instrument and day',
  },
}

/** Of commands that print or write the rows of a file. */
export const MARGINS_OPTION: Readonly<Record<'margins', Options>> = {
  margins: {
    type: 'string',
    choices: ['trim', 'keep'] satisfies readonly Margins[],
    describe:
      "trim (default): rows of the file's UTC day alone, opened by the book of 00:00; keep: the file as it stands",
  },
}

/** Of commands that print rows. */
export const STRICT_OPTION: Readonly<Record<'strict', Options>> = {
  strict: {
    type: 'boolean', describe: 'exit code 1 where a file or the window asked for holds nothing, or is damaged',
  },
}

/** Options of every command that writes tables, beside `--to`. */
export const FORM_OPTIONS: Readonly<Record<'times' | 'numbers' | 'comment', Options>> = {
  times: {
    type: 'string', choices: [...TIME_FORMS],
    describe: 'times in CSV and JSON: epoch nanoseconds (ns) or ISO-8601 (iso)',
  },
  numbers: {
    type: 'string', choices: [...NUMBER_FORMS],
    describe: 'Parquet and Arrow: exact decimals (default) or nearest doubles; CSV and JSON are exact',
  },
  comment: { type: 'boolean', describe: 'a # line with the metadata above the header of CSV' },
}

/** The help of `--out` of a command that writes one table. */
export const TABLE_OUT: Options = {
  type: 'string', describe: `file (${endingsText(EXPORT_FORMATS)}), folder, or - for standard output (default)`,
}

/** The words for formats, an older one among them. */
export const FORMAT_WORDS: readonly string[] = [...EXPORT_FORMATS, 'arrow-stream']

/** The help of `--to`. */
export const TABLE_TO: Options = {
  type: 'string', choices: FORMAT_WORDS, describe: 'format, whatever the name ends in',
}

/** Options of the commands that open a catalog. */
export const CATALOG_OPTIONS: Readonly<Record<'cache', Options>> = {
  cache: {
    type: 'string',
    describe: "folder for the index and for converted days; default: BACKTAPE_CACHE, else the user's folder for caches",
  },
}

/** Options of commands that read a run file: values in place of those of the file. */
export const OVERRIDE_OPTIONS: Readonly<Record<string, Options>> = {
  set: {
    type: 'string', describe: "a parameter instead of the run file's, NAME=VALUE, in every set; may be repeated",
  },
  grid: {
    type: 'string',
    describe: 'parameter sets: NAME=V1,V2 or NAME=FIRST..LAST:STEP, each with each; may be repeated',
  },
  assume: { type: 'string', describe: "an assumption instead of the run file's, NAME=VALUE; may be repeated" },
  data: {
    type: 'string', describe: "a tick file, folder or pattern instead of the run file's data; may be repeated",
  },
  ...PREFER_OPTION,
  from: {
    type: 'string',
    describe: 'the time at which strategies begin, as in a run file; a clock time is of the first day of the data',
  },
  seed: { type: 'string', describe: "instead of the run file's seed" },
}

/** The value of `--report` that stands alone. */
export const IN_RECORD = 'record'

/** The option of commands that write reports. */
export const PNG_OPTION: Readonly<Record<'png', Options>> = {
  png: {
    type: 'boolean', describe: 'pictures of the report as PNG too, beside it: report-pictures for report.html',
  },
}

/** `--jobs` of commands that run strategies. */
export const JOBS_OPTION: Readonly<Record<'jobs', Options>> = {
  jobs: { type: 'string', describe: 'threads over which several parameter sets are divided; default 1' },
}

/** Runs that the list of runs shows. */
export const LIST_LIMIT = 20

/** The page of `view`, where none is named. */
export const VIEW_PAGE = 'view.html'

/** When a server begins to move. */
export const STARTS = ['first-subscription', 'now', 'paused'] as const

/** The way of a server over days without data. */
export const HOLES = ['play', 'skip'] as const

/** The example of `import`. */
export const IMPORT_EXAMPLE = 'backtape import tardis datasets --out days'
