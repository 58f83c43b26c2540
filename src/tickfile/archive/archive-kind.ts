/** The kind of a file or member by its first bytes. */
export type ContentKind = 'zstd' | 'tar' | 'zip' | 'other'

/** The number of bytes that {@link contentKind} needs to be sure. */
export const KIND_BYTES = 512

function startsWith(bytes: Uint8Array, offset: number, ...magic: number[]): boolean {
  return magic.every((byte, i) => bytes[offset + i] === byte)
}

/** The sum over a tar header, its own checksum field counted as spaces. */
export function tarHeaderSum(block: Uint8Array): number {
  let sum = 8 * 32
  for (let i = 0; i < 512; i++) if (i < 148 || i >= 156) sum += block[i] ?? 0
  return sum
}

function isTarHeader(bytes: Uint8Array): boolean {
  if (startsWith(bytes, 257, 0x75, 0x73, 0x74, 0x61, 0x72)) return true
  if (bytes.length < KIND_BYTES) return false
  const sum = Number.parseInt(String.fromCharCode(...bytes.subarray(148, 156)).replace(/[\0 ]+$/, ''), 8)
  return sum > 8 * 32 && sum === tarHeaderSum(bytes)
}

/**
 * Decides by the first {@link KIND_BYTES} bytes: a zstd frame or a skippable frame, a zip (also an empty one), a tar
 * (ustar, pax, GNU; the old form by its checksum), or something else.
 */
export function contentKind(bytes: Uint8Array): ContentKind {
  if (startsWith(bytes, 0, 0x28, 0xb5, 0x2f, 0xfd)) return 'zstd'
  if (((bytes[0] ?? 0) & 0xf0) === 0x50 && startsWith(bytes, 1, 0x2a, 0x4d, 0x18)) return 'zstd'
  if (startsWith(bytes, 0, 0x50, 0x4b, 3, 4) || startsWith(bytes, 0, 0x50, 0x4b, 5, 6)) return 'zip'
  return isTarHeader(bytes) ? 'tar' : 'other'
}

/** True where a head is all zeros: an empty tar begins with its end mark. */
export function isZeroHead(bytes: Uint8Array): boolean {
  return bytes.length === KIND_BYTES && bytes.every((byte) => byte === 0)
}

/** Most members that an archive may have, longest name in bytes, largest extended header in bytes. */
export const ARCHIVE_LIMITS = { members: 100_000, nameBytes: 4096, extendedHeaderBytes: 1_048_576 } as const

/**
 * A member's name without what could steer a terminal. Only ever shown or compared: it never reaches the file system.
 */
export function shownName(name: string): string {
  return name.replace(/\p{Cc}/gu, '\u{fffd}')
}

/**
 * Why a regular member is not read as a tick file, or null where it is. A member named `.txt.zst` with other content is
 * read: its reader then says what is wrong with it.
 */
export function skipReason(baseName: string, kind: ContentKind): string | null {
  if (baseName === '') return 'a folder'
  if (kind === 'zstd') return null
  if (kind === 'tar' || kind === 'zip') return 'an archive inside an archive'
  return baseName.endsWith('.txt.zst') && !baseName.startsWith('._') ? null : 'not zstd'
}
