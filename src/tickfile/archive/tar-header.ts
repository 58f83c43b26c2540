import { BacktapeError } from '../../model/error.js'
import { tarHeaderSum } from './archive-kind.js'

/** One header block of a tar, as it stands. */
export interface TarHeader {
  readonly name: string
  readonly sizeBytes: number
  /** The type flag: `0` a regular file, `5` a folder, `x` a pax header, `L` a GNU long name, ... */
  readonly type: string
}

/** The fault of an archive at a byte offset. */
export function archiveDamage(archive: string, offset: number, problem: string): BacktapeError {
  return new BacktapeError('ARCHIVE_DAMAGED', `Cannot read ${archive}: ${problem} at byte ${String(offset)}`, {
    file: archive, byteOffset: offset,
  })
}

function textAt(block: Uint8Array, start: number, end: number): string {
  const zero = block.subarray(start, end).indexOf(0)
  return new TextDecoder().decode(block.subarray(start, zero < 0 ? end : start + zero))
}

/** Octal text, or big-endian base 256 where the top bit is set (GNU, for sizes over 8 GiB). NaN where it is neither. */
function numberAt(block: Uint8Array, start: number, length: number): number {
  const first = block[start] ?? 0
  if (first === 0x80) return block.subarray(start + 1, start + length).reduce((value, byte) => value * 256 + byte, 0)
  const text = textAt(block, start, start + length).trim()
  return text === '' ? 0 : /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : NaN
}

/** True where a block is one of the two of zeros that end a tar. */
export function isZeroBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0)
}

/** Reads a header block. Throws ARCHIVE_DAMAGED where its checksum or its size is wrong. */
export function decodeTarHeader(block: Uint8Array, archive: string, offset: number): TarHeader {
  if (numberAt(block, 148, 8) !== tarHeaderSum(block))
    throw archiveDamage(archive, offset, 'a member header has a wrong checksum')
  const sizeBytes = numberAt(block, 124, 12)
  if (!Number.isSafeInteger(sizeBytes)) throw archiveDamage(archive, offset, 'a member header has an impossible size')
  // GNU keeps other things where ustar has the prefix.
  const isUstar = textAt(block, 257, 263) === 'ustar'
  const prefix = isUstar ? textAt(block, 345, 500) : ''
  const name = textAt(block, 0, 100)
  return { name: prefix === '' ? name : `${prefix}/${name}`, sizeBytes, type: String.fromCharCode(block[156] ?? 0) }
}

/**
 * Name and size that pax records set. Throws ARCHIVE_DAMAGED where the records are not in the form `LENGTH
 * KEY=VALUE\n`.
 */
export function decodePaxRecords(
  bytes: Uint8Array, archive: string, offset: number,
): { path?: string; sizeBytes?: number; isSparse: boolean } {
  const found: { path?: string; sizeBytes?: number; isSparse: boolean } = { isSparse: false }
  const decoder = new TextDecoder()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const length = space < 0 ? NaN : Number(decoder.decode(bytes.subarray(at, space)))
    if (!Number.isInteger(length) || length < 5 || at + length > bytes.length || bytes[at + length - 1] !== 10) {
      throw archiveDamage(archive, offset + at, 'a pax record has a wrong length')
    }
    const record = decoder.decode(bytes.subarray(space + 1, at + length - 1))
    const equals = record.indexOf('=')
    const key = record.slice(0, equals)
    const value = record.slice(equals + 1)
    if (key === 'path') found.path = value
    if (key.startsWith('GNU.sparse.')) found.isSparse = true
    if (key === 'size') {
      found.sizeBytes = Number(value)
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(found.sizeBytes))
        throw archiveDamage(archive, offset + at, 'a pax record has an impossible size')
    }
    at += length
  }
  return found
}

const OTHER_TYPES: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '5': 'a folder',
  '6': 'a pipe',
  S: 'a sparse file',
}

/** Why a member of this type flag has no content to read, or null for a regular file. */
export function nonFileReason(type: string): string | null {
  if (type === '0' || type === '\0' || type === '7') return null
  return OTHER_TYPES[type] ?? `of tar type ${JSON.stringify(type)}`
}
