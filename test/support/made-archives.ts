import { crc32, deflateRawSync } from 'node:zlib'
import { pack } from 'tar-stream'

/** One member of a zip made by hand; what is left out is what an honest writer would put. */
export interface MadeZipMember {
  name: string
  content: Uint8Array
  method?: number
  flags?: number
  statedSize?: number
  statedCrc?: number
  zip64?: boolean
  mode?: number
  /** Overrules where the list says the member begins. */
  statedOffset?: number
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, i) => bytes.writeUInt16LE(value, i * 2))
  return bytes
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => bytes.writeUInt32LE(value >>> 0, i * 4))
  return bytes
}

function u64(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  values.forEach((value, i) => bytes.writeBigUInt64LE(BigInt(value), i * 8))
  return bytes
}

/** A zip written field by field (APPNOTE 6.3), so that every field can lie. */
export function madeZip(members: readonly MadeZipMember[], order: readonly number[] = members.map((_, i) => i)): Uint8Array {
  const parts: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  members.forEach((member) => {
    const name = Buffer.from(member.name)
    const method = member.method ?? 0
    const plain = method === 8 ? deflateRawSync(member.content) : Buffer.from(member.content)
    // Traditional encryption puts twelve bytes in front.
    const data = ((member.flags ?? 0) & 1) === 1 ? Buffer.concat([Buffer.alloc(12), plain]) : plain
    const size = member.statedSize ?? member.content.length
    const crc = member.statedCrc ?? crc32(member.content)
    const flags = (member.flags ?? 0) | 0x800
    const packed = method === 0 ? size + data.length - plain.length : data.length
    parts.push(u32(0x04034b50), u16(20, flags, method, 0, 0), u32(crc, packed, size), u16(name.length, 0), name, data)
    const start = member.statedOffset ?? offset
    const extra = member.zip64 === true ? Buffer.concat([u16(1, 24), u64(size, packed, start)]) : Buffer.alloc(0)
    const sizes = member.zip64 === true ? u32(crc, 0xffffffff, 0xffffffff) : u32(crc, packed, size)
    const where = member.zip64 === true ? 0xffffffff : start
    const attributes = ((member.mode ?? 0o100644) << 16) >>> 0
    entries.push(Buffer.concat([u32(0x02014b50), u16(0x314, 20, flags, method, 0, 0), sizes, u16(name.length, extra.length, 0, 0, 0), u32(attributes, where), name, extra]))
    offset += 30 + name.length + data.length
  })
  const list = Buffer.concat(order.map((i) => entries[i] as Buffer))
  const needs64 = members.some((member) => member.zip64 === true)
  const count = members.length
  const end64 = needs64
    ? Buffer.concat([u32(0x06064b50), u64(44), u16(45, 45), u32(0, 0), u64(count, count, list.length, offset), u32(0x07064b50, 0), u64(offset + list.length), u32(1)])
    : Buffer.alloc(0)
  const end = Buffer.concat([u32(0x06054b50), u16(0, 0, needs64 ? 0xffff : count, needs64 ? 0xffff : count), u32(list.length, needs64 ? 0xffffffff : offset), u16(0)])
  return new Uint8Array(Buffer.concat([...parts, list, end64, end]))
}

/** One member of a tar; types as tar-stream names them. */
export interface MadeTarMember {
  name: string
  content?: Uint8Array
  type?: 'file' | 'directory' | 'symlink' | 'link' | 'fifo'
  linkname?: string
  pax?: Record<string, string>
}

/** A tar by an independent writer. */
export async function madeTar(members: readonly MadeTarMember[]): Promise<Uint8Array> {
  const archive = pack()
  for (const { content, ...header } of members) {
    const entry = { ...header, mtime: new Date(0), ...(header.pax === undefined ? {} : { pax: header.pax }) }
    archive.entry(entry, content === undefined ? Buffer.alloc(0) : Buffer.from(content))
  }
  archive.finalize()
  const parts: Buffer[] = []
  for await (const part of archive) parts.push(part as Buffer)
  return new Uint8Array(Buffer.concat(parts))
}

/** A ustar or GNU header block by hand, with its checksum right. */
export function tarBlock(fields: { name: string; size: string | Uint8Array; type: string; magic?: string }): Uint8Array {
  const block = Buffer.alloc(512)
  block.write(fields.name, 0)
  block.write('0000644\0', 100)
  if (typeof fields.size === 'string') block.write(fields.size, 124)
  else block.set(fields.size, 124)
  block.write('        ', 148)
  block.write(fields.type, 156)
  block.write(fields.magic ?? 'ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return new Uint8Array(block)
}

/** Content padded to whole blocks. */
export function tarContent(content: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(content.length / 512) * 512)
  padded.set(content)
  return padded
}

/** Pieces in one array. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}
