import { brand } from './brand.js'
import { safeText } from './display-table.js'
import { showSentence } from './display.js'

/**
 * Every stable error code with its meaning. docs/reference/errors.md prints this table; a test compares the two.
 *
 * @example
 * ```ts
 * import { DISCARD_REASONS, ERROR_CODES } from 'backtape'
 * console.log(ERROR_CODES.NOT_ZSTD, DISCARD_REASONS.MIN_ORDER_SIZE)
 * ```
 */
export const ERROR_CODES = {
  ADDRESS_TAKEN: 'a port or a socket file is in use by another program',
  ARCHIVE_DAMAGED: 'a tar or zip archive is cut off or contradicts itself',
  ARCHIVE_UNSUPPORTED: 'an archive uses something we refuse: encryption, an unknown compression, a zip from a stream',
  BROKER_FAILED: 'a broker of messages cannot be reached, lacks a topic, or does not take or give records',
  CONNECTION_FAILED: 'a server cannot be reached, refuses the connection, or does not speak the protocol',
  DAY_UNKNOWN:
    'the day of a file is needed but neither its name nor an option (`--day YYYY-MM-DD`, `day` of a run file) says it',
  FEED_REJECTED: 'a feed or its directory rejects the API key, or refuses the connection',
  FEED_UNREACHABLE: 'a feed or its directory cannot be reached, or answers in another way than it should',
  FILE_NOT_FOUND: 'a file, a folder or a member of a bundle does not exist',
  FILE_UNREADABLE: 'a file exists but cannot be read',
  FRAME_MALFORMED: 'a binary message of the feed breaks its encoding (schemas/feed.xml)',
  GOLDEN_DIFFERS: 'a run does not do what its golden says',
  LIMIT_EXCEEDED: 'an input is larger than a stated limit',
  LINE_MALFORMED: 'a line is not an event of the tick-file layout',
  LINE_TOO_LONG: 'a line is longer than the limit',
  LOGIN_REFUSED: 'a server does not accept a login',
  MASTER_DATA_CHANGED:
    'files of one instrument state terms that a run cannot change (contract value, settlement, earlier expiry)',
  MASTER_DATA_INVALID: 'the master data state a value that no instrument can have',
  MASTER_DATA_MALFORMED: 'line 1 is not the master data of an instrument',
  MESSAGE_MALFORMED: 'a message of a server cannot be read',
  NOT_ZSTD: 'the bytes are not a zstd stream',
  OPTION_INVALID: 'an option, argument or file name has a value that means nothing here',
  OUTPUT_DIFFERS: 'an output read back differs from its source',
  OUTPUT_EXISTS: 'the output exists and overwriting was not asked for',
  OUTPUT_FAILED: 'an output could not be written',
  PACKAGE_MISSING: 'a package that this needs, or its program for this platform, is not installed',
  PRICE_INVALID: 'a price is 0 or below where money is a quantity divided by it: of an inverse contract, or an index',
  PROFILE_INVALID: 'a venue profile has fields that are unknown, missing or mean nothing',
  ROW_INVALID:
    'a row of a signal or of data to import breaks a rule: its time, their order, a value its column cannot hold',
  RUN_FILE_INVALID: 'a run file has fields that are unknown, missing or mean nothing',
  SECRETS_EXPOSED: 'a file of secrets, or its folder, can be read or changed by other users',
  SERVE_FILE_INVALID: 'the configuration of a server has fields that are unknown, missing or mean nothing',
  SERVER_STORE_INVALID: 'the store of a strategy server is damaged, of another version, or no store',
  SERVER_STORE_TAKEN: 'another strategy server has the store open',
  SHOP_ANSWER_INVALID: 'an answer of a shop lacks a field, or a field has another type than it should',
  SHOP_EXPORT_FAILED: 'a shop cannot make an export of a day',
  SHOP_FILE_WRONG: 'a file of a shop is whole, but not the one that was bought',
  SHOP_NOT_READY: 'a file of a shop is cold or being prepared, and is not waited for any longer',
  SHOP_REDIRECTED: 'a shop leads elsewhere, to an address that is not followed',
  SHOP_REFUSED: 'a shop refuses a request',
  SHOP_SESSION_EXPIRED: 'a checkout session of a shop ended before it was paid',
  SHOP_STORE_INVALID: 'the store of a shop is damaged, of another version, or no store',
  SHOP_STORE_TAKEN: 'another shop has the store open',
  SHOP_UNREACHABLE: 'a shop does not answer, breaks off its answer, or keeps failing',
  SQL_INVALID: 'a statement of SQL cannot be run: it is refused, or the database says why',
  STOPPED: 'the work was stopped by its signal before it was done',
  STRATEGY_FAILED: 'the code of a strategy threw, or returned a promise, and the run ended there',
  STRATEGY_NOT_FOUND: 'the module or class of a strategy is missing, cannot be compiled, or is no strategy',
  TIME_INVALID: 'a time is not in one of the accepted forms',
  VALUE_INEXACT: 'a number cannot be held exactly',
  WRONG_INSTRUMENT: 'an event belongs to another instrument than the file',
  ZSTD_CHECKSUM: 'the content of a zstd frame does not match its checksum or its stated size',
  ZSTD_DAMAGED: 'a zstd frame breaks the format',
  ZSTD_TRUNCATED: 'a zstd frame ends before it is whole',
  ZSTD_UNSUPPORTED: 'a zstd frame needs a dictionary or a window beyond the limit',
} as const

/** One of the stable codes of {@link ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES

/** Where and what went wrong, as far as it is known. */
export interface ErrorPlace {
  /** The file as the user named it; a member of a bundle is `bundle.tar#member`. */
  readonly file?: string
  /** Line number in the decompressed text, 1 is the master data. */
  readonly line?: number
  /** Row of a table, 1 is the first below the header. */
  readonly row?: number
  /**
   * Byte offset: in the compressed file for ZSTD_* codes, in the decompressed text for LINE_* codes, in the message for
   * FRAME_* codes.
   */
  readonly byteOffset?: number
  /** Name of the field, as spec 4 names it. */
  readonly field?: string
  /** The instrument whose `days` are missing, as the user named it. */
  readonly instrument?: string
  /** The days that are missing: one, `2024-08-07`, or the first and the last, `2024-08-07..2024-08-09`. */
  readonly days?: string
  /** The value that was wanted, in words. */
  readonly expected?: string
  /** The value that stood there instead, shortened to 80 characters. */
  readonly found?: string
}

/**
 * The one error class for bad input and failed work. Programmer mistakes are assertions instead. Messages follow one
 * grammar: the action that failed, what was wanted, what was found, and where: `Cannot decode line 1042 of
 * 67824_2025-01-03.txt.zst: price must be a decimal, found "abc"`.
 *
 * @example
 * ```ts
 * import { BacktapeError } from 'backtape'
 * const words = 'Cannot decode line 7: price must be a decimal, found "abc"'
 * const error = new BacktapeError('LINE_MALFORMED', words, { line: 7, field: 'price' })
 * if (error.code !== 'LINE_MALFORMED' || error.place.line !== 7) throw error
 * ```
 */
export class BacktapeError extends Error {
  /** Always `BacktapeError`. */
  override readonly name: string = 'BacktapeError'
  /** The stable code, which programs compare. */
  readonly code: ErrorCode
  /** File, line, field and value of the fault, as far as they are known. */
  readonly place: ErrorPlace

  constructor(code: ErrorCode, message: string, place: ErrorPlace = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.place = place
  }
}

brand(BacktapeError, 'BacktapeError')
showSentence(BacktapeError.prototype, ({ code, message }) => safeText(`${message} (${code})`))
