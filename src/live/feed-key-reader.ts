import { readOwnFile } from '../files/secret-file-writer.js'
import { BacktapeError } from '../model/error.js'

/** The environment variable of the key of feeds, where nothing names another. */
const KEY_VARIABLE = 'BACKTAPE_FEED_KEY'

/** Where the key of feeds is. */
export interface FeedKeyPlace {
  /** A file that its user alone can read. */
  readonly keyFile?: string | undefined
  /** An environment variable; default {@link KEY_VARIABLE}. */
  readonly keyVariable?: string | undefined
}

/** The key of feeds. Throws OPTION_INVALID where there is none, SECRETS_EXPOSED for a file that others can read. */
export async function readFeedKey({ keyFile, keyVariable = KEY_VARIABLE }: FeedKeyPlace): Promise<string> {
  const key = keyFile === undefined ? process.env[keyVariable] : (await readOwnFile(keyFile))?.trim()
  if (key !== undefined && key !== '') return key
  const [field, words] = keyFile === undefined
    ? [keyVariable, `the environment variable ${keyVariable}`] : [keyFile, `the file ${keyFile}`]
  const expected = 'the key of the feeds'
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot run live: ${words} must hold ${expected}, found nothing`,
    { field, expected, found: 'nothing' })
}
