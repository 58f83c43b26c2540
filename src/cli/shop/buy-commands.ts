import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { Command } from '../terminal/command.js'
import { SHOP_OPTIONS } from './find-commands.js'

const FORMATS = SHOP.schemas.ExportFormat.enum

/** `backtape shop quote`. */
export const quoteCommand: Command = {
  name: 'shop quote',
  usage: 'INSTRUMENT DAYS [INSTRUMENT DAYS ...] [--json]',
  example: 'backtape shop quote BTCUSDT 2024-08-07..2024-08-09',
  words: { least: 2, most: Infinity },
  options: SHOP_OPTIONS,
  load: async () => (await import('./buy.js')).runQuote,
}

/** `backtape shop buy`. */
export const buyCommand: Command = {
  name: 'shop buy',
  usage: 'INSTRUMENT DAYS [INSTRUMENT DAYS ...] --email ADDRESS [--yes] [--dry-run] [--max-eur 20] [--again] [--open]',
  example: 'backtape shop buy BTCUSDT 2024-08-08 --email me@example.org',
  words: { least: 2, most: Infinity },
  options: {
    email: { type: 'string', describe: 'where the receipt goes' },
    yes: { type: 'boolean', describe: 'buy without a question; days that do not exist are left out' },
    dryRun: { type: 'boolean', describe: 'say what would be bought, and for how many payments; buy nothing' },
    maxEur: { type: 'string', describe: 'buy nothing where the days cost more euros' },
    again: {
      type: 'boolean', describe: 'ask once more for days of sessions that are not paid, of orders that the shop lost',
    },
    open: { type: 'boolean', describe: 'open the pay page in the browser' },
    ...SHOP_OPTIONS,
  },
  load: async () => (await import('./buy.js')).runBuy,
}

/** `backtape shop get`. */
export const getCommand: Command = {
  name: 'shop get',
  usage: 'INSTRUMENT DAYS | --order ORDER [--out FOLDER] [--format FORMAT] [--check HOW] [--jobs 4] [--no-wait]',
  example: 'backtape shop get BTCUSDT 2024-08-08 --out bought',
  moreExamples: ['backtape shop get --order last --format trades.parquet --out tables'],
  needsOptions: true,
  words: { least: 0, most: Infinity },
  options: {
    order: { type: 'string', describe: 'an order of `shop orders`, or `last`' },
    token: { type: 'boolean', describe: 'read the download token of --order from standard input' },
    out: { type: 'string', describe: 'the folder; default: this one' },
    format: { type: 'string', choices: FORMATS, describe: 'an export in place of the tick file' },
    check: {
      type: 'string', choices: ['whole', 'audit', 'none'],
      describe: 'whole (default): frames, checksums, instrument, archives; audit: every event too; none',
    },
    jobs: { type: 'string', describe: 'downloads side by side; default 4' },
    noWait: { type: 'boolean', describe: 'do not wait for cold days and exports: exit code 3' },
    force: { type: 'boolean', describe: 'overwrite what exists' },
    ...SHOP_OPTIONS,
  },
  load: async () => (await import('./get.js')).runGet,
}

/** `backtape shop orders`. */
export const ordersCommand: Command = {
  name: 'shop orders', usage: '[--json]', example: 'backtape shop orders', worksAlone: true,
  words: { least: 0, most: 0 }, options: SHOP_OPTIONS,
  load: async () => (await import('./get.js')).runOrders,
}

/** `backtape shop restore`. */
export const restoreCommand: Command = {
  name: 'shop restore', usage: 'ORDER | last [--json]', example: 'backtape shop restore last',
  words: { least: 1, most: 1 }, options: SHOP_OPTIONS,
  load: async () => (await import('./get.js')).runRestore,
}

/** `backtape shop link`. */
export const linkCommand: Command = {
  name: 'shop link', usage: 'INSTRUMENT | SERIES_KEY DAYS',
  example: 'backtape shop link BTCUSDT 2024-08-08..2024-08-09',
  words: { least: 2, most: 2 }, options: SHOP_OPTIONS,
  load: async () => (await import('./buy.js')).runLink,
}
