import type { FileVersion } from './part-writer.js'
import { shopError } from './shop-failure.js'
import { mediaOf } from './shop-asker-client.js'

/**
 * The place of an answer in a file: its bytes go behind what is there, or they are the file from its beginning; the
 * file `ended` before; or the answer is `useless` for what was asked.
 */
export type FileAnswer =
  | { readonly kind: 'append' | 'ended' | 'useless' }
  | { readonly kind: 'whole', readonly version: FileVersion | null, readonly sizeBytes: number | null }

/** The part that was asked for: behind so many bytes of a version. */
export interface AskedPart {
  readonly version: FileVersion
  readonly fromBytes: number
}

const NO_FILES = /^(?:application|text)\/(?:[\w.-]+\+)?(?:json|html|xhtml\+xml|xml|problem\+json)\b/i
const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/
const UNSATISFIED = /^bytes \*\/(\d{1,16})$/

/**
 * Reads the head of an answer with status 200, 206 or 416 to a request for a file, or for the part behind what is
 * there. Throws SHOP_ANSWER_INVALID for what is no file: JSON, a page, content that is packed for the way.
 */
export function fileAnswer({ status, headers }: Response, asked: AskedPart | null, place: string): FileAnswer {
  if (status === 416) {
    const [, total] = UNSATISFIED.exec(headers.get('content-range') ?? '') ?? []
    const isWhole = asked !== null && asked.fromBytes === asked.version.sizeBytes
    return { kind: isWhole && (total === undefined || Number(total) === asked.fromBytes) ? 'ended' : 'useless' }
  }
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw shopError('SHOP_ANSWER_INVALID', place, 'bytes as they are', 'packed bytes')
  const media = headers.get('content-type') ?? ''
  if (NO_FILES.test(media)) throw shopError('SHOP_ANSWER_INVALID', place, 'the bytes of a file', mediaOf({ headers }))
  const version = versionOf(headers)
  if (status === 206) return { kind: asked !== null && isContinued(headers, asked) ? 'append' : 'useless' }
  return { kind: 'whole', version, sizeBytes: lengthOf(headers) }
}

/** The version that an answer states; null where it states none that identifies one. */
function versionOf(headers: Headers): FileVersion | null {
  const [sizeBytes, etag, date] = [lengthOf(headers), headers.get('etag'), headers.get('last-modified')]
  return sizeBytes === null || (etag ?? date) === null ? null : { sizeBytes, etag, date }
}

function lengthOf(headers: Headers): number | null {
  const text = headers.get('content-length') ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** True where the bytes of a 206 go on where the part ends, in the same version. */
function isContinued(headers: Headers, { version, fromBytes }: AskedPart): boolean {
  const [, first, last, total] = CONTENT_RANGE.exec(headers.get('content-range') ?? '') ?? []
  const { sizeBytes } = version
  const bytes = Number(last) - fromBytes + 1
  const isPlace = Number(first) === fromBytes && Number(total) === sizeBytes && bytes > 0
  return isPlace && (lengthOf(headers) ?? bytes) === bytes && isSameVersion(headers, version)
}

/** False where an answer states another version: by its ETag, or by its date where one of the two has no ETag. */
export function isSameVersion(headers: Headers, { etag, date }: FileVersion): boolean {
  const stated = headers.get('etag')
  if (etag !== null && stated !== null) return stated === etag
  const day = headers.get('last-modified')
  return date === null || day === null || day === date
}
