import { type ArchiveMember, memberNames } from './archive-members.js'
import { type Segment, type Segments, segmentsOf } from './segments.js'

const BLOCK_BYTES = 512
/** Bytes of the name in a header block. */
const NAME_BYTES = 100
/** The greatest number of eleven octal digits. */
const OCTAL_MAX = 8 ** 11 - 1
const CHECKSUM_AT = 148
const ASCII_END = 127

/**
 * A tar of members in their order: POSIX ustar, with pax records where a name has more than 100 bytes or other letters
 * than ASCII, or a size is 8 GiB or more. Nothing is read and nothing is built: contents stay where they are. Throws
 * OPTION_INVALID for a name, see {@link memberNames}.
 *
 * @example `tarSegments([{ name: 'a.txt', content: segmentsOf([new Uint8Array(3)]) }]).sizeBytes` is 2048
 */
export function tarSegments(members: readonly ArchiveMember[]): Segments {
  const names = memberNames(members)
  const parts = members.flatMap((member, index) => memberParts(member, names[index] ?? new Uint8Array()))
  return segmentsOf([...parts, new Uint8Array(2 * BLOCK_BYTES)])
}

function memberParts({ content }: ArchiveMember, name: Uint8Array): readonly Segment[] {
  const { sizeBytes, modifiedMs } = content
  const seconds = Math.min(OCTAL_MAX, Math.max(0, Math.floor((modifiedMs ?? 0) / 1000)))
  const isPlain = name.length <= NAME_BYTES && name.every((byte) => byte < ASCII_END)
  const records = [
    ...isPlain ? [] : [paxRecord('path', name)], ...sizeBytes > OCTAL_MAX ? [paxRecord('size', ascii(sizeBytes))] : [],
  ]
  const pax = joined(records)
  const shortName = isPlain ? name : ascii('long-name')
  const extended = pax.length === 0 ? [] : [
    headerBlock(ascii('PaxHeaders/member'), pax.length, seconds, 'x'), pax, padding(pax.length),
  ]
  // A size that pax states counts; readers that do not know pax stop here.
  const header = headerBlock(shortName, sizeBytes > OCTAL_MAX ? 0 : sizeBytes, seconds, '0')
  return [joined([...extended, header]), ...content.parts, padding(sizeBytes)]
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function paxRecord(key: string, value: Uint8Array): Uint8Array {
  const rest = joined([ascii(` ${key}=`), value, ascii('\n')])
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return joined([ascii(length), rest])
}

function headerBlock(name: Uint8Array, sizeBytes: number, seconds: number, type: string): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(name)
  block.set(ascii('0000644\0' + '0000000\0' + '0000000\0'), 100)
  block.set(ascii(octal(sizeBytes) + octal(seconds) + ' '.repeat(8) + type), 124)
  block.set(ascii('ustar\0' + '00'), 257)
  block.set(ascii('0000000\0' + '0000000\0'), 329)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.set(ascii(`${sum.toString(8).padStart(6, '0')}\0 `), CHECKSUM_AT)
  return block
}

function octal(value: number): string {
  return `${value.toString(8).padStart(11, '0')}\0`
}

function padding(sizeBytes: number): Uint8Array {
  return new Uint8Array((BLOCK_BYTES - sizeBytes % BLOCK_BYTES) % BLOCK_BYTES)
}

function ascii(text: string | number): Uint8Array {
  return new TextEncoder().encode(String(text))
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((total, { length }) => total + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
