import type { RestError } from '../rest/rest-tables.js'

/** A refusal of the shop, or a 202. */
export interface ShopError extends RestError {
  /** The status and the code as "Errors" (spec 1) has them, where the code is other words there. */
  readonly row?: string
}

/** The error table (spec 1, "Errors"), and ours. */
export const SHOP_ERRORS = {
  invalidInput: {
    sentence: 'The input does not fit.',
    status: 400, code: 'INVALID_INPUT', condition: 'bad input of a checkout: return URLs outside the shop\'s origin',
    details: ['field', 'expected', 'found'],
    choice: 'bad input elsewhere too; a checkout without `Idempotency-Key`, or with a used one and another body',
  },
  unknownClass: {
    sentence: 'The class is not known.',
    status: 400, code: 'INVALID_INPUT', row: '(vocabulary returned)', condition: 'unknown `class` of a search',
    details: ['allowed'], choice: 'the vocabulary stands in `details.allowed`',
  },
  notFound: {
    sentence: 'There is no such thing here.',
    status: 404, code: 'NOT_FOUND', condition: 'unknown or hidden instrument: equal bytes and headers',
    choice: 'also an unknown path, an unknown bundle, a day that is not there, an export without rows',
  },
  noAccess: {
    sentence: 'There is no such session, order or file, or its token is another.',
    status: 404, condition: 'unknown session, wrong token or unknown order: equal bytes and headers',
    choice: 'also a file that the order does not hold',
  },
  alreadyOwned: {
    sentence: 'The account has some of it already.',
    status: 409, code: 'ALREADY_OWNED', condition: 'a signed-in buyer has the file', details: ['owned'],
    choice: 'accounts stand in `shop.accounts` of the configuration; `details.owned` has the items',
  },
  partialArchive: {
    sentence: 'Not all of the archive is ready.',
    status: 409, condition: '`complete=1`, and the archive would be partial',
  },
  orderExpired: {
    sentence: 'The order has expired.',
    status: 410, code: 'ORDER_EXPIRED', condition: 'guest order older than 30 days', choice: 'of a download too',
  },
  notAvailable: {
    sentence: 'Some of it does not exist; leave that out and try again.',
    status: 422, code: 'FILE_NOT_AVAILABLE', condition: 'an item of the basket does not exist', details: ['missing'],
  },
  tooManyCalls: {
    sentence: 'Too many calls; wait as long as Retry-After says.',
    status: 429, condition: 'more calls of an IP address than its bucket has', headers: ['retry-after'],
    choice: '`Retry-After` in whole seconds, rounded up',
  },
  preparing: {
    sentence: 'It is being prepared; ask again later.',
    status: 202, condition: 'an export or archive is being prepared', headers: ['retry-after'],
    choice: 'a cold day and a restore that runs too',
  },
  foreignPage: {
    sentence: 'Only an address of this server, and its own pages, have access.',
    status: 403, condition: 'a `Host` or `Origin` that is not the server\'s', isOurs: true,
  },
  wrongMethod: {
    sentence: 'The path has no such method.',
    status: 405, condition: 'another method than the path has', headers: ['allow'], isOurs: true,
  },
  tooLarge: {
    sentence: 'The body is too long.',
    status: 413, condition: 'a body over its limit', isOurs: true,
  },
  wrongMediaType: {
    sentence: 'The body has another media type than this path takes.',
    status: 415, condition: 'a body of another content type', isOurs: true,
  },
  beyondEnd: {
    sentence: 'The range begins beyond the end.',
    status: 416, condition: 'a `Range` that begins beyond the end', headers: ['content-range'], isEmpty: true,
    isOurs: true,
    choice: 'a `Range` of several parts is answered whole, with 200',
  },
  headersTooLong: {
    sentence: 'The address and the headers are too long.',
    status: 431, condition: 'a first line and headers of more than 16,384 bytes', isEmpty: true, isOurs: true,
  },
  failed: {
    sentence: 'The server failed; its log says why.',
    status: 500, condition: 'a fault of the server', isOurs: true,
  },
} as const

/** The name of a refusal. */
export type ShopErrorName = keyof typeof SHOP_ERRORS

/** The refusals of every route, beside those that it names itself. */
export const COMMON_ERRORS = [
  'invalidInput', 'foreignPage', 'wrongMethod', 'tooManyCalls', 'headersTooLong', 'failed',
] as const
