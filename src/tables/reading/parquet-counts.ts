/** The sizes that the footer of a Parquet file states. */
export interface ParquetCounts {
  readonly rowCount: number
  readonly groupCount: number
}

/** Types of fields in Thrift's compact protocol. */
const STOP = 0
const BOOLEANS: readonly number[] = [1, 2]
const BYTE = 3
const INTEGERS: readonly number[] = [4, 5, 6]
const DOUBLE = 7
const BINARY = 8
const LISTS: readonly number[] = [9, 10]
const STRUCT = 12
/** Fields of the footer: number of rows, row groups. */
const ROWS_FIELD = 3
const GROUPS_FIELD = 4
/** Structures within structures; a footer has four levels. */
const DEPTH_MAX = 16

/** Steps over the values of Thrift's compact protocol. Throws a RangeError behind the end of the bytes. */
class ThriftWalk {
  private at = 0

  constructor(private readonly bytes: Uint8Array) {}

  byte(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw new RangeError('a footer that ends early')
    return byte
  }

  /** An unsigned integer, as a double: lengths and counts. */
  count(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte()
      value += (byte & 127) * factor
      if (byte < 128) return value
      if (factor > 2 ** 63) throw new RangeError('a footer with an integer of more than 64 bits')
    }
  }

  /** The type and the length of a list. */
  list(): { readonly type: number; readonly length: number } {
    const head = this.byte()
    const short = head >> 4
    return { type: head & 15, length: short === 15 ? this.count() : short }
  }

  skip(type: number, depth = 0): void {
    if (depth > DEPTH_MAX) throw new RangeError('a footer that is nested too deeply')
    if (INTEGERS.includes(type)) this.count()
    else if (type === BYTE) this.step(1)
    else if (type === DOUBLE) this.step(8)
    else if (type === BINARY) this.step(this.count())
    else if (LISTS.includes(type)) this.skipList(depth)
    else if (type === STRUCT) this.eachField((_, inner) => { this.skip(inner, depth + 1) })
    else if (!BOOLEANS.includes(type)) throw new RangeError('a footer with a field of no known type')
  }

  /** Calls back with the number and type of each field of a structure; `true` ends the walk. */
  eachField(visit: (field: number, type: number) => unknown): void {
    let field = 0
    for (let head = this.byte(); head !== STOP; head = this.byte()) {
      const step = head >> 4
      const given = step === 0 ? this.count() : 0
      field = step === 0 ? (given % 2 === 0 ? given / 2 : -(given + 1) / 2) : field + step
      if (visit(field, head & 15) === true) return
    }
  }

  private step(count: number): void {
    this.at += count
  }

  private skipList(depth: number): void {
    const { type, length } = this.list()
    // A boolean in a list takes a byte.
    for (let i = 0; i < length; i++) this.skip(BOOLEANS.includes(type) ? BYTE : type, depth + 1)
  }
}

/** The counts in the footer of a Parquet file. Throws a RangeError for bytes that are no footer. */
export function parquetCounts(footer: Uint8Array): ParquetCounts {
  const walk = new ThriftWalk(footer)
  let rowCount = -1
  let groupCount = -1
  walk.eachField((field, type) => {
    if (field === ROWS_FIELD && INTEGERS.includes(type)) rowCount = walk.count() / 2
    else if (field === GROUPS_FIELD && LISTS.includes(type)) groupCount = walk.list().length
    else walk.skip(type)
    return rowCount >= 0 && groupCount >= 0
  })
  if (Number.isSafeInteger(rowCount) && rowCount >= 0 && groupCount >= 0) return { rowCount, groupCount }
  throw new RangeError('a footer without numbers of rows and row groups')
}
