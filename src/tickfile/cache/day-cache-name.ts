import { DECODER_VERSION } from '../decoder-version.js'
import type { ReadOptions } from '../archive/read-options.js'

/** The ending of names of cached days. */
export const CACHE_SUFFIX = '.backtape-day'

/**
 * Name of a cached day: the content of its source, the version of the decoder, and the options that change what is
 * decoded.
 */
export function cacheFileName(
  contentSha256: string, epochDay: number | null, options: Pick<ReadOptions, 'onDamage'>,
): string {
  const day = epochDay === null ? 'no-day' : String(epochDay)
  const damage = options.onDamage === 'count' ? '-counted' : options.onDamage === 'skip' ? '-skipped' : ''
  return `${contentSha256}-${String(DECODER_VERSION)}-${day}${damage}${CACHE_SUFFIX}`
}
