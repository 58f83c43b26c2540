import type { Options } from 'yargs'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { Command } from '../terminal/command.js'

/** Options of every command of the shop. */
export const SHOP_OPTIONS: Readonly<Record<'shop' | 'json', Options>> = {
  shop: { type: 'string', describe: 'the address of the shop; default: BACKTAPE_SHOP' },
  json: { type: 'boolean', describe: 'the answer as JSON' },
}

/** Options of lists of days. */
const DAYS_OPTIONS: Readonly<Record<'limit' | 'before', Options>> = {
  limit: { type: 'string', describe: 'so many days at most; default: all' },
  before: { type: 'string', describe: 'only days before this one, YYYY-MM-DD' },
}

/** `backtape shop search`. */
export const searchCommand: Command = {
  name: 'shop search',
  usage: '[WORD...] [--venue CODE] [--class CLASS] [--base ASSET] [--limit 20] [--json]',
  example: 'backtape shop search "btc perp" --limit 5',
  words: { least: 0, most: Infinity },
  options: {
    venue: { type: 'string', describe: 'code of a venue, or of its family' },
    class: { type: 'string', choices: Object.keys(SHOP.classes), describe: 'class of instruments' },
    base: { type: 'string', describe: 'base asset' },
    limit: { type: 'string', describe: `so many results; default 20, at most ${SHOP.limits.searchResults.value}` },
    ...SHOP_OPTIONS,
  },
  load: async () => (await import('./find.js')).runSearch,
}

/** `backtape shop days`. */
export const daysCommand: Command = {
  name: 'shop days',
  usage: 'INSTRUMENT | SERIES_KEY [--limit N] [--before DAY] [--json]',
  example: 'backtape shop days BTCUSDT --limit 10',
  words: { least: 1, most: 1 },
  options: { ...DAYS_OPTIONS, ...SHOP_OPTIONS },
  load: async () => (await import('./find.js')).runDays,
}

/** `backtape shop coverage`. */
export const coverageCommand: Command = {
  name: 'shop coverage', usage: 'INSTRUMENT [--json]', example: 'backtape shop coverage BTCUSDT',
  words: { least: 1, most: 1 }, options: SHOP_OPTIONS,
  load: async () => (await import('./find.js')).runCoverage,
}

/** `backtape shop calendar`. */
export const calendarCommand: Command = {
  name: 'shop calendar', usage: 'INSTRUMENT MONTH [--json]', example: 'backtape shop calendar BTCUSDT 2024-08',
  words: { least: 2, most: 2 }, options: SHOP_OPTIONS,
  load: async () => (await import('./find.js')).runCalendar,
}

/** `backtape shop bundles`. */
export const bundlesCommand: Command = {
  name: 'shop bundles', usage: '[--json]', example: 'backtape shop bundles', worksAlone: true,
  words: { least: 0, most: 0 }, options: SHOP_OPTIONS,
  load: async () => (await import('./find.js')).runBundles,
}

/** `backtape shop samples`. */
export const samplesCommand: Command = {
  name: 'shop samples', usage: '[--json]', example: 'backtape shop samples', worksAlone: true,
  words: { least: 0, most: 0 }, options: SHOP_OPTIONS,
  load: async () => (await import('./find.js')).runSamples,
}

/** `backtape shop stats`. */
export const statsCommand: Command = {
  name: 'shop stats', usage: 'INSTRUMENT [--json]', example: 'backtape shop stats BTCUSDT > minutes.csv',
  words: { least: 1, most: 1 }, options: SHOP_OPTIONS,
  load: async () => (await import('./find.js')).runStats,
}
