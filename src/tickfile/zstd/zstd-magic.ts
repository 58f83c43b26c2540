import { BacktapeError } from '../../model/error.js'

const ZSTD_MAGIC = 0xfd2fb528
const LEGACY_MAGICS: readonly number[] = [
  0xfd2fb51e, 0xfd2fb522, 0xfd2fb523, 0xfd2fb524, 0xfd2fb525, 0xfd2fb526, 0xfd2fb527,
]

/** The advice for it, by its name. */
const ADVICE: Readonly<Record<string, string>> = {
  'gzip': 'unpack it first (gunzip)',
  'a zip archive': 'unpack it first',
  'bzip2': 'unpack it first (bunzip2)',
  'xz': 'unpack it first (unxz)',
  'an lz4 frame': 'unpack it first (lz4 -d)',
  'a Parquet file': 'it is a table already: give the tick file',
  'an Arrow file': 'it is a table already: give the tick file',
  'a web page': 'download the file itself',
  'text': 'compress it with zstd, if it is a tick file',
  'plain text (JSON), already decompressed': 'compress it with zstd, if it is a tick file',
  'plain text with a byte order mark': 'compress it with zstd, if it is a tick file',
}

/** First bytes of what people take for a tick file, with its name. */
const LOOKS: readonly (readonly [name: string, ...bytes: number[]])[] = [
  ['gzip', 0x1f, 0x8b],
  ['a zip archive', 0x50, 0x4b, 0x03, 0x04],
  ['an empty zip archive', 0x50, 0x4b, 0x05, 0x06],
  ['bzip2', 0x42, 0x5a, 0x68],
  ['xz', 0xfd, 0x37, 0x7a, 0x58],
  ['an lz4 frame', 0x04, 0x22, 0x4d, 0x18],
  ['a Parquet file', 0x50, 0x41, 0x52, 0x31],
  ['an Arrow file', 0x41, 0x52, 0x52, 0x4f],
  ['a zstd dictionary', 0x37, 0xa4, 0x30, 0xec],
  ['a web page', 0x3c, 0x21],
  ['plain text (JSON), already decompressed', 0x7b],
  ['plain text (JSON), already decompressed', 0x5b],
  ['plain text with a byte order mark', 0xef, 0xbb, 0xbf],
]

/** True where a magic number starts a skippable frame. */
export function isSkippableMagic(magic: number): boolean {
  return magic >= 0x184d2a50 && magic <= 0x184d2a5f
}

/**
 * Passes the magic number of a zstd frame. Throws NOT_ZSTD, saying what the bytes look like, at the start of a file,
 * and ZSTD_DAMAGED after a whole frame.
 */
export function checkZstdMagic(magic: number, bytes: Uint8Array, byteOffset: number, file: string): void {
  if (magic === ZSTD_MAGIC) return
  if (LEGACY_MAGICS.includes(magic)) {
    refuse(
      'NOT_ZSTD', byteOffset, file, 'the bytes of a zstd frame',
      `a frame of zstd before 0.8 (recompress it with a current zstd)`,
    )
  }
  refuseOther(bytes, byteOffset, file)
}

/** Throws for a file that ends within the first four bytes of a frame, or is empty. */
export function refuseCutMagic(bytes: Uint8Array, byteOffset: number, file: string): never {
  if (bytes.length === 0) refuse('NOT_ZSTD', 0, file, 'the bytes of a zstd frame', 'an empty file')
  const zstd = [0x28, 0xb5, 0x2f, 0xfd]
  const skippable =
    (bytes[0] ?? 0) >>> 4 === 5 && [0x2a, 0x4d, 0x18].every((byte, i) => (bytes[i + 1] ?? byte) === byte)
  if (skippable || bytes.every((byte, i) => byte === zstd[i])) {
    refuse(
      'ZSTD_TRUNCATED', byteOffset + bytes.length, file, 'a whole frame',
      'the end of the file within its first four bytes',
    )
  }
  refuseOther(bytes, byteOffset, file)
}

/** Refuses bytes that begin no frame. */
function refuseOther(bytes: Uint8Array, byteOffset: number, file: string): never {
  if (byteOffset === 0) refuse('NOT_ZSTD', 0, file, 'the bytes of a zstd frame', isText(bytes) ? 'text' : lookOf(bytes))
  refuse('ZSTD_DAMAGED', byteOffset, file, 'another zstd frame or the end of the file', lookOf(bytes))
}

/** True where bytes that look like nothing else are letters. */
function isText(bytes: Uint8Array): boolean {
  return (
    lookOf(bytes).startsWith('bytes ') &&
    bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13)
  )
}

function lookOf(bytes: Uint8Array): string {
  const look = LOOKS.find(([, ...first]) => first.length <= bytes.length && first.every((byte, i) => bytes[i] === byte))
  return look === undefined
    ? `bytes ${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')}`
    : look[0]
}

function adviceOn(found: string): string {
  const advice =
    ADVICE[found] ?? (found.startsWith('bytes ') ? 'it is no tick file: check where it came from' : undefined)
  return advice === undefined ? '' : `; ${advice}`
}

function refuse(
  code: 'NOT_ZSTD' | 'ZSTD_DAMAGED' | 'ZSTD_TRUNCATED', byteOffset: number, file: string, expected: string,
  found: string,
): never {
  const sentence = `Cannot decompress ${file}: wanted ${expected}, found ${found}, at byte ${byteOffset}`
  const advice = code === 'NOT_ZSTD' ? adviceOn(found) : ''
  throw new BacktapeError(code, `${sentence}${advice}`, { file, byteOffset, expected, found })
}
