/** A thing as ranges know it. */
export interface RangedThing {
  readonly sizeBytes: number
  /** Strong, with its quotation marks. */
  readonly etag: string
  /** The value of its `Last-Modified`; null: it has none. */
  readonly lastModified: string | null
}

/** The headers of a request that ask for a part; Node has their names in small letters. */
export interface RangeHeaders {
  readonly 'range'?: string | undefined
  readonly 'if-range'?: string | undefined
}

/** The bytes that answer a request, from `from` up to, without, `end`; of 416 none. */
export interface RangeAnswer {
  readonly status: 200 | 206 | 416
  readonly from: number
  readonly end: number
  /** The value of `Content-Range`; null: it is not sent. */
  readonly contentRange: string | null
}

const BYTES = /^bytes=(.*)$/is
const SPEC = /^(\d*)-(\d*)$/

/**
 * The answer to `Range` and `If-Range` (RFC 9110, 13.1.5 and 14): one part as 206, one that begins beyond the end as
 * 416, and everything as 200 where the header is absent, malformed, reversed, of another unit or of several parts, or
 * where `If-Range` names another thing. `Range` means something with GET alone: of other methods hand in no headers.
 *
 * @example `rangeAnswer({ range: 'bytes=-3' }, { sizeBytes: 10, etag: '"a"', lastModified: null })` is
 *   `{ status: 206, from: 7, end: 10, contentRange: 'bytes 7-9/10' }`
 */
export function rangeAnswer(headers: RangeHeaders, thing: RangedThing): RangeAnswer {
  const { sizeBytes } = thing
  const whole: RangeAnswer = { status: 200, from: 0, end: sizeBytes, contentRange: null }
  const spec = onlySpec(headers.range)
  if (spec === null || !isSameThing(headers['if-range'], thing)) return whole
  const bounds = boundsOf(spec, BigInt(sizeBytes))
  if (bounds === null) return { status: 416, from: 0, end: 0, contentRange: `bytes */${String(sizeBytes)}` }
  const [from, end] = bounds
  // The last bytes of nothing: no Content-Range can say it.
  if (from === end) return whole
  return { status: 206, from, end, contentRange: `bytes ${String(from)}-${String(end - 1)}/${String(sizeBytes)}` }
}

/** First and last position of an only part; a first one of null asks for the `last` bytes at the end. */
interface RangeSpec {
  readonly first: bigint | null
  readonly last: bigint | null
}

/** The only part that a header asks for; null for every header that is to be ignored. */
function onlySpec(header = ''): RangeSpec | null {
  const [, list] = BYTES.exec(header) ?? []
  // Lists may have empty elements (RFC 9110, 5.6.1.2).
  const specs = list?.split(',').map((text) => text.replace(/^[ \t]+|[ \t]+$/g, '')).filter((text) => text !== '') ?? []
  const [, first = '', last = ''] = (specs.length === 1 ? SPEC.exec(specs[0] ?? '') : null) ?? []
  if (first === '' && last === '') return null
  const spec = { first: first === '' ? null : BigInt(first), last: last === '' ? null : BigInt(last) }
  return spec.first !== null && spec.last !== null && spec.last < spec.first ? null : spec
}

/** Begin and end of a part; null where it begins beyond the end, or has no bytes. */
function boundsOf({ first, last }: RangeSpec, size: bigint): readonly [from: number, end: number] | null {
  if (first === null) {
    const length = last ?? 0n
    return length === 0n ? null : [Number(length < size ? size - length : 0n), Number(size)]
  }
  if (first >= size) return null
  return [Number(first), Number(last === null || last >= size ? size : last + 1n)]
}

/** True where `If-Range` is absent or names the thing itself: a weak ETag never does, nor a date but its own. */
function isSameThing(ifRange: string | undefined, { etag, lastModified }: RangedThing): boolean {
  if (ifRange === undefined || ifRange === etag) return true
  return lastModified !== null && dateForms(lastModified).includes(ifRange)
}

const LONG_DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** A date in the three forms of HTTP (RFC 9110, 5.6.7): its own, that of RFC 850, that of `asctime`. */
function dateForms(imf: string): readonly string[] {
  const [day = '', date = '', month = '', year = '', time = ''] = imf.replace(',', '').split(' ')
  const long = LONG_DAYS.find((name) => name.startsWith(day)) ?? day
  return [
    imf,
    `${long}, ${date}-${month}-${year.slice(-2)} ${time} GMT`,
    `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
  ]
}

/**
 * The `Last-Modified` of a thing: null while a second change within its second, or a clock that was ahead, could leave
 * the date as it is.
 */
export function lastModifiedOf(modifiedMs: number | null, nowMs: number): string | null {
  if (modifiedMs === null || modifiedMs < 0) return null
  const second = Math.floor(modifiedMs / 1000) * 1000
  return second + DATE_SETTLES_MS > nowMs ? null : new Date(second).toUTCString()
}

/** The second of the change itself, and one for the clock of the disk. */
const DATE_SETTLES_MS = 2_000
