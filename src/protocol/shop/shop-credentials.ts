/** Where a credential stands. */
export interface ShopCredentialPlace {
  readonly credential: string
  readonly where: string
  /** The first cell of its row in "Authentication" (spec 1); none: ours. */
  readonly row?: string
  readonly isOurs?: true
  readonly choice?: string
}

/** The credentials of the shop's routes (spec 1, "Authentication"), and ours. */
export const SHOP_CREDENTIALS = {
  none: {
    credential: 'none', where: 'nowhere',
    row: 'Search, coverage, days, calendar, bundles, samples, statistics, quote, checkout, session poll',
    choice: 'a signed-in buyer may send `Authorization: Bearer TOKEN` (400 for a wrong one), or has its session cookie',
  },
  bearer: {
    credential: 'download token', where: '`Authorization: Bearer DOWNLOAD_TOKEN`', row: 'Order read',
    choice: 'the token of the account that bought it, too',
  },
  query: {
    credential: 'download token', where: 'the parameter `t`', row: 'Download routes',
    choice: 'the only place: a header does not stand for it',
  },
  account: {
    credential: 'account token', where: '`Authorization: Bearer TOKEN`, or the session cookie', isOurs: true,
    choice: 'realtime key and days stand on `/account`; a paid day opens at the next UTC midnight, today is free',
  },
} as const

/** The name of a credential. */
export type ShopCredential = keyof typeof SHOP_CREDENTIALS
