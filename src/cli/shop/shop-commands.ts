import type { CommandGroup } from '../terminal/command.js'

/** The commands of the shop. */
export const SHOP_COMMANDS: CommandGroup = {
  summary: 'finds, buys and downloads days: search, days, quote, buy, get; BACKTAPE_SHOP is the address of the shop',
  example: 'backtape shop search "btc perp" --limit 5',
  commands: {
    search: {
      summary: 'finds instruments by ticker, pair, base asset, id, venue and class',
      load: async () => (await import('./find-commands.js')).searchCommand,
    },
    days: {
      summary: 'lists the days of an instrument or a series that are sold, newest first',
      load: async () => (await import('./find-commands.js')).daysCommand,
    },
    coverage: {
      summary: 'says which days of an instrument there are, and which are missing',
      load: async () => (await import('./find-commands.js')).coverageCommand,
    },
    calendar: {
      summary: 'shows the days of an instrument in one month',
      load: async () => (await import('./find-commands.js')).calendarCommand,
    },
    bundles: {
      summary: 'lists the series that are sold as bundles: option chains, futures curves, prediction series',
      load: async () => (await import('./find-commands.js')).bundlesCommand,
    },
    samples: {
      summary: 'lists the days that are free',
      load: async () => (await import('./find-commands.js')).samplesCommand,
    },
    stats: {
      summary: 'prints the minutes of the newest 24 hours of an instrument as CSV',
      load: async () => (await import('./find-commands.js')).statsCommand,
    },
    quote: {
      summary: 'says what days cost, and which of them do not exist',
      load: async () => (await import('./buy-commands.js')).quoteCommand,
    },
    buy: {
      summary: 'buys days: a person pays on the page whose address it shows, and it waits',
      load: async () => (await import('./buy-commands.js')).buyCommand,
    },
    get: {
      summary: 'downloads days that are owned or free: restores, resumes, checks',
      load: async () => (await import('./buy-commands.js')).getCommand,
    },
    orders: {
      summary: 'lists the orders that are kept here, and the checkouts that are not paid yet',
      load: async () => (await import('./buy-commands.js')).ordersCommand,
    },
    restore: {
      summary: 'brings cold days of an order back from the archive',
      load: async () => (await import('./buy-commands.js')).restoreCommand,
    },
    link: {
      summary: 'prints the address of a cart with days, for a browser',
      load: async () => (await import('./buy-commands.js')).linkCommand,
    },
  },
}
