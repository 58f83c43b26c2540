import type { RestLimit } from '../rest/rest-tables.js'

/** A limit of the shop. */
export interface ShopLimit extends RestLimit {
  /** The first cell of its row in "Limits" (spec 1); none: ours. */
  readonly row?: string
}

/** The limits (spec 1, "Limits"), and ours. */
export const SHOP_LIMITS = {
  quoteCalls: { value: 30, unit: 'calls a minute', row: '`/api/quote`', description: 'quotes of an IP address' },
  checkoutCalls: { value: 10, unit: 'calls a minute', row: 'checkout', description: 'checkouts of an IP address' },
  orderCalls: { value: 30, unit: 'calls a minute', row: 'order reads', description: 'order reads of an IP address' },
  generalCalls: {
    value: 120, unit: 'calls a minute', row: 'search and coverage',
    description: 'search, coverage and everything without a limit of its own, of an IP address',
    choice: 'the general bucket has 120 calls a minute',
  },
  downloadCalls: {
    value: 600, unit: 'calls a minute', description: 'downloads, with their states and manifests, of an IP address',
    isOurs: true,
  },
  searchResults: { value: 100, unit: 'results', row: 'search results', description: 'results of a search at most' },
  quoteItemsMin: { value: 1, unit: 'items', row: 'quote items', description: 'items of a basket at least' },
  quoteItems: { value: 365, unit: 'items', row: 'quote items', description: 'items of a basket at most' },
  quoteInstruments: {
    value: 20, unit: 'instruments', row: 'quote items', description: 'instruments and bundles of a basket at most',
  },
  linkSpan: { value: 366, unit: 'days', row: 'buy link', description: 'first to last day of a buy link' },
  linkLines: { value: 1000, unit: 'lines', row: 'buy link', description: 'lines of a cart at most' },
  rangeDays: {
    value: 100, unit: 'days', row: 'range download', description: 'first to last day of a range',
    choice: 'a longer range is 400 `INVALID_INPUT`',
  },
  archiveBytes: {
    value: 4_000_000_000, unit: 'bytes', row: 'bundle zip', description: 'files of a bundle zip together',
    choice: '4 GB is 4 * 10^9 bytes, of the files in it',
  },
  guestOrderDays: { value: 30, unit: 'days', row: 'guest order lifetime', description: 'life of a guest order' },
  coldDays: {
    value: 30, unit: 'days', row: 'cold archive', description: 'a day is cold when it ended longer ago',
    choice: 'about a month is 30 days; nothing is cold without `--cold`',
  },
  restoreHours: {
    value: 12, unit: 'hours', row: 'cold archive', description: 'time that a restore takes',
    choice: 'about 12 hours is 12 hours, or `--restore-time`',
  },
  pollSecondsMin: { value: 10, unit: 'seconds', row: 'session poll interval', description: 'shortest poll' },
  pollSecondsMax: { value: 15, unit: 'seconds', row: 'session poll interval', description: 'longest poll' },
  sessionHours: { value: 24, unit: 'hours', description: 'a session that is not paid expires', isOurs: true },
  bodyBytes: { value: 131_072, unit: 'bytes', description: 'the body of a request', isOurs: true },
  retrySeconds: { value: 5, unit: 'seconds', description: '`Retry-After` of a 202', isOurs: true },
} as const

/** The buckets that calls are counted in, each of an IP address, by the limit of each. */
export const SHOP_BUCKETS = {
  general: 'generalCalls', quote: 'quoteCalls', checkout: 'checkoutCalls', orders: 'orderCalls',
  downloads: 'downloadCalls',
} as const

/** The name of a bucket. */
export type ShopBucket = keyof typeof SHOP_BUCKETS
