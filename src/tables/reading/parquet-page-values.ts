import { isUtf8 } from 'node:buffer'
import { readDelta } from './parquet-delta.js'
import { ParquetFault, ParquetUnknown } from './parquet-fault.js'
import { readHybrid } from './parquet-hybrid.js'
import type { ParquetField } from './parquet-layout.js'

/** Values of a page or a dictionary, without nulls, in typed arrays. */
export type PageValues =
  | { readonly form: 'words'; readonly words: Int32Array }
  /** 64 bits: two words a value, the low one first, and the same memory as integers. */
  | { readonly form: 'pairs'; readonly words: Int32Array; readonly pairs: BigInt64Array }
  | { readonly form: 'doubles'; readonly doubles: Float64Array }
  | { readonly form: 'flags'; readonly flags: Uint8Array }
  /** Texts and numbers of bytes, which lie in `bytes`. */
  | { readonly form: 'pieces'; readonly bytes: Uint8Array; readonly starts: Uint32Array; readonly lengths: Uint32Array }

/** Bytes that a page may have once unpacked, and that its texts may have once put together. */
export const PAGE_BYTES_MAX = 134_217_728

const EARLY = 'values that end early'
const JULIAN_EPOCH_DAYS = 2_440_588n
const NS_PER_DAY = 86_400_000_000_000n

function fixed(bytes: Uint8Array, from: number, size: number, count: number): Uint8Array {
  if (from + size * count > bytes.length) throw new ParquetFault(EARLY)
  // A copy is aligned; that of a Buffer by slice would be none.
  return new Uint8Array(bytes.subarray(from, from + size * count))
}

function ofPairs(words: Int32Array): PageValues {
  return { form: 'pairs', words, pairs: new BigInt64Array(words.buffer, words.byteOffset, words.length / 2) }
}

function halfDouble(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1_023
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1_024) * 2 ** (exponent - 15)
}

/** Pieces of one length, or halves of doubles. */
function ofFixed({ byteCount, kind }: ParquetField, bytes: Uint8Array, count: number): PageValues {
  if (kind.form === 'double') {
    if (byteCount !== 2) throw new ParquetFault(`halves of ${byteCount} bytes`)
    return { form: 'doubles', doubles: Float64Array.from(new Uint16Array(bytes.buffer, 0, count), halfDouble) }
  }
  const starts = new Uint32Array(count)
  for (let at = 0; at < count; at++) starts[at] = at * byteCount
  return { form: 'pieces', bytes, starts, lengths: new Uint32Array(count).fill(byteCount) }
}

/** Nanoseconds within a day and the Julian day: INT96. */
function ofJulian(bytes: Uint8Array, count: number): PageValues {
  const view = new DataView(bytes.buffer)
  const pairs = BigInt64Array.from({ length: count }, (_, at) => {
    const ns = view.getBigInt64(12 * at, true) +
      (BigInt(view.getInt32(12 * at + 8, true)) - JULIAN_EPOCH_DAYS) * NS_PER_DAY
    if (BigInt.asIntN(64, ns) !== ns) throw new ParquetFault(`a time of ${ns} ns`)
    return ns
  })
  return { form: 'pairs', pairs, words: new Int32Array(pairs.buffer) }
}

function ofPieces(bytes: Uint8Array, from: number, count: number): PageValues {
  // Each has four bytes of length.
  if (from + 4 * count > bytes.length) throw new ParquetFault(EARLY)
  const starts = new Uint32Array(count)
  const lengths = new Uint32Array(count)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let i = 0, at = from; i < count; i++) {
    if (at + 4 > bytes.length) throw new ParquetFault(EARLY)
    const length = view.getUint32(at, true)
    if (length > bytes.length - at - 4) throw new ParquetFault(EARLY)
    starts[i] = at + 4
    lengths[i] = length
    at += 4 + length
  }
  return { form: 'pieces', bytes, starts, lengths }
}

const SIZES = { INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 } as const

/** Values as they are. */
function readPlain(field: ParquetField, bytes: Uint8Array, from: number, count: number): PageValues {
  const { physical } = field
  if (physical === 'BYTE_ARRAY') return ofPieces(bytes, from, count)
  if (physical === 'BOOLEAN') {
    if (from + Math.ceil(count / 8) > bytes.length) throw new ParquetFault(EARLY)
    const flags = new Uint8Array(count)
    for (let at = 0; at < count; at++) flags[at] = ((bytes[from + (at >> 3)] as number) >> (at & 7)) & 1
    return { form: 'flags', flags }
  }
  if (physical === 'FIXED_LEN_BYTE_ARRAY') return ofFixed(field, fixed(bytes, from, field.byteCount, count), count)
  return ofNumbers(physical, fixed(bytes, from, SIZES[physical], count), count)
}

function ofNumbers(physical: keyof typeof SIZES, { buffer }: Uint8Array, count: number): PageValues {
  if (physical === 'INT32') return { form: 'words', words: new Int32Array(buffer) }
  if (physical === 'INT64') return ofPairs(new Int32Array(buffer))
  if (physical === 'DOUBLE') return { form: 'doubles', doubles: new Float64Array(buffer) }
  if (physical === 'FLOAT') return { form: 'doubles', doubles: Float64Array.from(new Float32Array(buffer)) }
  return ofJulian(new Uint8Array(buffer), count)
}

/** Bytes of one place of all values stand together. */
function readSplit(field: ParquetField, bytes: Uint8Array, from: number, count: number): PageValues {
  const { physical, byteCount } = field
  if (physical === 'BOOLEAN' || physical === 'BYTE_ARRAY') throw new ParquetUnknown(`${physical} in BYTE_STREAM_SPLIT`)
  const size = physical === 'FIXED_LEN_BYTE_ARRAY' ? byteCount : SIZES[physical]
  const split = fixed(bytes, from, size, count)
  const joined = new Uint8Array(split.length)
  for (let byte = 0; byte < size; byte++)
    for (let i = 0; i < count; i++) joined[i * size + byte] = split[byte * count + i] as number
  return readPlain(field, joined, 0, count)
}

/** Lengths that are not below 0, and where their bytes end. */
function lengthsAt(
  bytes: Uint8Array, from: number, count: number,
): { readonly lengths: Uint32Array; readonly end: number; readonly sum: number } {
  const { words, end } = readDelta(bytes, from, count)
  const lengths = new Uint32Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) {
    const length = words[2 * i] as number
    if (length < 0 || words[2 * i + 1] !== 0) throw new ParquetFault('a text with a length below 0')
    lengths[i] = length
    sum += length
  }
  return { lengths, end, sum }
}

/** Lengths first, then the bytes of all. */
function readLengthPieces(bytes: Uint8Array, from: number, count: number): PageValues {
  const { lengths, end, sum } = lengthsAt(bytes, from, count)
  if (end + sum > bytes.length) throw new ParquetFault(EARLY)
  const starts = new Uint32Array(count)
  for (let i = 0, at = end; i < count; at += lengths[i++] as number) starts[i] = at
  return { form: 'pieces', bytes, starts, lengths }
}

/** Each text as what it shares with the beginning of the one before, and the rest. */
function readSharedPieces(bytes: Uint8Array, from: number, count: number): PageValues {
  const shared = lengthsAt(bytes, from, count)
  const rest = lengthsAt(bytes, shared.end, count)
  const sum = shared.sum + rest.sum
  if (rest.end + rest.sum > bytes.length) throw new ParquetFault(EARLY)
  if (sum > PAGE_BYTES_MAX)
    throw new ParquetFault(`texts of ${sum} bytes in a page: at most ${PAGE_BYTES_MAX} are read`)
  const joined = new Uint8Array(sum)
  const starts = new Uint32Array(count)
  const lengths = new Uint32Array(count)
  let at = 0
  let next = rest.end
  for (let i = 0; i < count; i++) {
    const [same, own] = [shared.lengths[i] as number, rest.lengths[i] as number]
    if (same > (i === 0 ? 0 : (lengths[i - 1] as number)))
      throw new ParquetFault('a text that shares more than there is')
    if (same > 0) joined.copyWithin(at, starts[i - 1] as number, (starts[i - 1] as number) + same)
    joined.set(bytes.subarray(next, next + own), at + same)
    starts[i] = at
    lengths[i] = same + own
    at += same + own
    next += own
  }
  return { form: 'pieces', bytes: joined, starts, lengths }
}

/** Values of a dictionary at their places. */
function pick(from: PageValues, places: Uint32Array): PageValues {
  const count = places.length
  switch (from.form) {
    case 'words': return { form: 'words', words: gathered(from.words, places, new Int32Array(count)) }
    case 'doubles': return { form: 'doubles', doubles: gathered(from.doubles, places, new Float64Array(count)) }
    case 'flags': return { form: 'flags', flags: gathered(from.flags, places, new Uint8Array(count)) }
    case 'pieces':
      return {
        form: 'pieces', bytes: from.bytes, starts: gathered(from.starts, places, new Uint32Array(count)),
        lengths: gathered(from.lengths, places, new Uint32Array(count)),
      }
    default: {
      const words = new Int32Array(2 * count)
      for (let i = 0; i < count; i++) {
        const place = 2 * (places[i] as number)
        words[2 * i] = from.words[place] as number
        words[2 * i + 1] = from.words[place + 1] as number
      }
      return ofPairs(words)
    }
  }
}

function gathered<T extends Int32Array | Float64Array | Uint8Array | Uint32Array>(
  from: T, places: Uint32Array, target: T,
): T {
  for (let i = 0; i < places.length; i++) target[i] = from[places[i] as number] as number
  return target
}

function sizeOf(values: PageValues): number {
  switch (values.form) {
    case 'pairs': return values.pairs.length
    case 'pieces': return values.starts.length
    case 'words': return values.words.length
    case 'doubles': return values.doubles.length
    default: return values.flags.length
  }
}

function readPlaces(dictionary: PageValues | null, bytes: Uint8Array, from: number, count: number): PageValues {
  if (dictionary === null) throw new ParquetFault('places without a dictionary')
  const places = new Uint32Array(count)
  if (count > 0) readHybrid(bytes, from + 1, bytes[from] ?? 33, places)
  const size = sizeOf(dictionary)
  for (let i = 0; i < count; i++)
    if ((places[i] as number) >= size) throw new ParquetFault(`place ${places[i]} of a dictionary of ${size}`)
  return pick(dictionary, places)
}

function readIntegers({ physical }: ParquetField, bytes: Uint8Array, from: number, count: number): PageValues {
  const { words } = readDelta(bytes, from, count)
  if (physical === 'INT64') return ofPairs(words)
  if (physical !== 'INT32') throw new ParquetUnknown(`${physical} in DELTA_BINARY_PACKED`)
  const low = new Int32Array(count)
  for (let i = 0; i < count; i++) low[i] = words[2 * i] as number
  return { form: 'words', words: low }
}

function readByEncoding(
  field: ParquetField, encoding: string | undefined, dictionary: PageValues | null, bytes: Uint8Array, from: number,
  count: number,
): PageValues {
  switch (encoding) {
    case 'PLAIN': return readPlain(field, bytes, from, count)
    case 'RLE_DICTIONARY':
    case 'PLAIN_DICTIONARY': return readPlaces(dictionary, bytes, from, count)
    case 'DELTA_BINARY_PACKED': return readIntegers(field, bytes, from, count)
    case 'BYTE_STREAM_SPLIT': return readSplit(field, bytes, from, count)
    default:
  }
  const { physical } = field
  if (encoding === 'RLE' && physical === 'BOOLEAN') {
    const flags = new Uint8Array(count)
    readHybrid(bytes, from + 4, 1, flags)
    return { form: 'flags', flags }
  }
  const isBytes = physical === 'BYTE_ARRAY' || physical === 'FIXED_LEN_BYTE_ARRAY'
  if (encoding === 'DELTA_LENGTH_BYTE_ARRAY' && isBytes) return readLengthPieces(bytes, from, count)
  if (encoding === 'DELTA_BYTE_ARRAY' && isBytes) return readSharedPieces(bytes, from, count)
  throw new ParquetUnknown(`${physical} in ${encoding ?? 'an unknown encoding'}`)
}

/**
 * The values of a page from byte `from` on. Throws a ParquetFault where they contradict the page, and ParquetUnknown
 * for encodings that are not known here.
 */
export function readPageValues(
  field: ParquetField, encoding: string | undefined, dictionary: PageValues | null, bytes: Uint8Array, from: number,
  count: number,
): PageValues {
  const values = readByEncoding(field, encoding, dictionary, bytes, from, count)
  // Entries of a dictionary were checked when it was read.
  if (values.form === 'pieces' && encoding?.endsWith('_DICTIONARY') !== true) checkPieces(field, values)
  return values
}

/** Texts are UTF-8, and pieces of a fixed length have it. */
function checkPieces(
  { kind, byteCount }: ParquetField, { bytes, starts, lengths }: Extract<PageValues, { form: 'pieces' }>,
): void {
  for (let i = 0; i < starts.length; i++) {
    const [start, length] = [starts[i] as number, lengths[i] as number]
    if (byteCount > 0 && length !== byteCount) throw new ParquetFault(`a value of ${length} bytes, not ${byteCount}`)
    if (kind.form === 'text' && !isUtf8(bytes.subarray(start, start + length)))
      throw new ParquetFault('a text that is no UTF-8')
  }
}
