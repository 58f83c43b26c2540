// The twin of src/tickfile/lines/line-decoder.ts for common lines: books, top of book and trades as vendors write
// them. Anything else,
// damage included, is left to the JavaScript decoder, so this file never judges a line: it knows it, or it does not.

import {
  decimal, id, idLength, initializeNumbers, LENGTH_SHIFT, timestamp, V_DOT, V_EIGHTS, V_FOURS, V_NINE, V_PAIRS,
  V_QUOTE, V_ZERO, VALUE_MASK,
} from './line-numbers'

// Memory: 0..64 K is ours (below), text slots and columns follow where configure() says.
const STATE: usize = 64
const COLUMNS: usize = 2048

// Words of STATE; src/tickfile/lines/wasm-line-decoder.ts reads and writes the same.
const S_COUNT: usize = 0
const S_ROWS: usize = 4
const S_TRADE_ROWS: usize = 8
const S_ID_BYTES: usize = 12
const S_VALUES: usize = 16
const S_TEXTS: usize = 20
const S_LINES: usize = 24
const S_STATUS: usize = 28
const S_PRICE_SCALE: usize = 32
const S_QUANTITY_SCALE: usize = 36
const S_ROW_LIMIT: usize = 40
const S_TRADE_ROW_LIMIT: usize = 44
const S_ID_BYTE_LIMIT: usize = 48
const S_EVENT_LIMIT: usize = 52
const S_LINE_LIMIT: usize = 56
const S_BLANKS: usize = 60
const S_BASE_NS: usize = 64
const S_PREFIX: usize = 80
const S_PREFIX_MASK: usize = 96
const S_PREFIX_LENGTH: usize = 112

// Addresses of columns, in COLUMNS, in the order of WASM_COLUMNS.
const C_KIND: usize = COLUMNS
const C_FLAGS: usize = COLUMNS + 4
const C_ADAPTER: usize = COLUMNS + 8
const C_EXCHANGE: usize = COLUMNS + 12
const C_PREVIOUS_FORM: usize = COLUMNS + 16
const C_PREVIOUS_HIGH: usize = COLUMNS + 20
const C_PREVIOUS_LOW: usize = COLUMNS + 24
const C_ID_FORM: usize = COLUMNS + 28
const C_ID_HIGH: usize = COLUMNS + 32
const C_ID_LOW: usize = COLUMNS + 36
const C_ROW_START: usize = COLUMNS + 40
const C_TRADE_ROW_START: usize = COLUMNS + 44
const C_VALUE_START: usize = COLUMNS + 48
const C_TEXT_START: usize = COLUMNS + 52
const C_SIDE: usize = COLUMNS + 56
const C_PRICE: usize = COLUMNS + 60
const C_QUANTITY: usize = COLUMNS + 64
const C_ROW_TIME: usize = COLUMNS + 68
const C_TRADE_ID_START: usize = COLUMNS + 72
const C_TRADE_ID_BYTES: usize = COLUMNS + 76
const C_TRADE_ID_NULL: usize = COLUMNS + 80

const MORE: u32 = 0
const FULL: u32 = 1
const UNKNOWN: u32 = 2

const SAFE_LIMIT: i64 = 9007199254740991

// @ts-ignore: decorator
@inline
function isNear(time: i64): bool {
  return time <= SAFE_LIMIT && time >= -SAFE_LIMIT
}

let rowCount: u32 = 0

// Rows `[side,"price","qty",1]` from p, after the opening bracket; the address after the closing one, or 0.
// @ts-ignore: decorator
@inline
function bookRows(start: usize, priceScale: u32, quantityScale: u32, rowLimit: u32): usize {
  const zero = v128.load(V_ZERO)
  const quote = v128.load(V_QUOTE)
  const point = v128.load(V_DOT)
  const nine = v128.load(V_NINE)
  const pairs = v128.load(V_PAIRS)
  const fours = v128.load(V_FOURS)
  const eights = v128.load(V_EIGHTS)
  let p = start
  let row: u32 = rowCount
  if (load<u8>(p) == 0x5d) return p + 1
  const side = <usize>load<u32>(C_SIDE)
  const price = <usize>load<u32>(C_PRICE)
  const quantity = <usize>load<u32>(C_QUANTITY)
  while (true) {
    const head: u32 = load<u32>(p)
    if ((head & 0xfffffeff) != 0x222c305b || row >= rowLimit) return 0
    const priceValue = decimal(p + 4, priceScale, zero, quote, point, nine, pairs, fours, eights)
    if (priceValue < 0) return 0
    p += 4 + <usize>(priceValue >> LENGTH_SHIFT)
    if ((load<u32>(p) & 0xffffff) != 0x222c22) return 0
    const quantityValue = decimal(p + 3, quantityScale, zero, quote, point, nine, pairs, fours, eights)
    if (quantityValue < 0) return 0
    p += 3 + <usize>(quantityValue >> LENGTH_SHIFT)
    if (load<u32>(p) != 0x5d312c22) return 0
    store<u8>(side + <usize>row, <u8>((head >> 8) & 1))
    store<f64>(price + (<usize>row << 3), <f64>(priceValue & VALUE_MASK))
    store<f64>(quantity + (<usize>row << 3), <f64>(quantityValue & VALUE_MASK))
    row++
    const next: u32 = load<u8>(p + 4)
    p += 5
    if (next == 0x2c) continue
    if (next != 0x5d) return 0
    rowCount = row
    return p
  }
  return 0
}

let tradeRowCount: u32 = 0
let idBytes: u32 = 0

// Copies the text from p to its closing quote; its end, or 0 where it needs more than copying.
// @ts-ignore: decorator
@inline
function tradeId(start: usize, target: usize): usize {
  let p = start
  let to = target
  while (true) {
    const v = v128.load(p)
    const odd = v128.or(i8x16.lt_s(v, i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(0x5c)))
    const stops: u32 = i8x16.bitmask(v128.or(odd, i8x16.eq(v, i8x16.splat(0x22))))
    v128.store(to, v)
    if (stops == 0) {
      p += 16
      to += 16
      if (p - start >= 64) return 0
      continue
    }
    p += <usize>ctz(stops)
    return load<u8>(p) == 0x22 ? p : 0
  }
  return 0
}

// Rows `[side,"price","qty",tradeId,exchangeTradeTs]` from p, after the opening bracket; the address after the
// closing one, or 0.
function tradeRows(start: usize, priceScale: u32, quantityScale: u32, base: i64): usize {
  const zero = v128.load(V_ZERO)
  const quote = v128.load(V_QUOTE)
  const point = v128.load(V_DOT)
  const nine = v128.load(V_NINE)
  const pairs = v128.load(V_PAIRS)
  const fours = v128.load(V_FOURS)
  const eights = v128.load(V_EIGHTS)
  let p = start
  let row: u32 = rowCount
  let tradeRow: u32 = tradeRowCount
  let bytes: u32 = idBytes
  if (load<u8>(p) == 0x5d) return p + 1
  const rowLimit = load<u32>(STATE + S_ROW_LIMIT)
  const tradeRowLimit = load<u32>(STATE + S_TRADE_ROW_LIMIT)
  const byteLimit = load<u32>(STATE + S_ID_BYTE_LIMIT)
  while (true) {
    const head: u32 = load<u32>(p)
    if ((head & 0xfffffeff) != 0x222c305b || row >= rowLimit ||
      tradeRow >= tradeRowLimit || bytes + 96 > byteLimit) return 0
    const priceValue = decimal(p + 4, priceScale, zero, quote, point, nine, pairs, fours, eights)
    if (priceValue < 0) return 0
    p += 4 + <usize>(priceValue >> LENGTH_SHIFT)
    if ((load<u32>(p) & 0xffffff) != 0x222c22) return 0
    const quantityValue = decimal(p + 3, quantityScale, zero, quote, point, nine, pairs, fours, eights)
    if (quantityValue < 0) return 0
    p += 3 + <usize>(quantityValue >> LENGTH_SHIFT)
    if (load<u16>(p) != 0x2c22) return 0
    p += 2
    let isNull: u8 = 0
    if (load<u8>(p) == 0x22) {
      const end = tradeId(p + 1, <usize>load<u32>(C_TRADE_ID_BYTES) + <usize>bytes)
      if (end == 0) return 0
      bytes += <u32>(end - p - 1)
      p = end + 1
    } else {
      if (load<u32>(p) != 0x6c6c756e) return 0
      isNull = 1
      p += 4
    }
    if (load<u8>(p) != 0x2c) return 0
    p++
    let time: f64 = NaN
    if (load<u8>(p) == 0x30) p++
    else {
      const ns = timestamp(p, zero, nine, pairs, fours, eights)
      if (ns < 0 || !isNear(ns - base)) return 0
      time = <f64>(ns - base)
      p += 19
    }
    if (load<u8>(p) != 0x5d) return 0
    store<u8>(<usize>load<u32>(C_SIDE) + <usize>row, <u8>((head >> 8) & 1))
    store<f64>(<usize>load<u32>(C_PRICE) + (<usize>row << 3), <f64>(priceValue & VALUE_MASK))
    store<f64>(<usize>load<u32>(C_QUANTITY) + (<usize>row << 3), <f64>(quantityValue & VALUE_MASK))
    store<f64>(<usize>load<u32>(C_ROW_TIME) + (<usize>tradeRow << 3), time)
    store<u8>(<usize>load<u32>(C_TRADE_ID_NULL) + <usize>tradeRow, isNull)
    row++
    tradeRow++
    store<u32>(<usize>load<u32>(C_TRADE_ID_START) + (<usize>tradeRow << 2), bytes)
    const next: u32 = load<u8>(p + 1)
    p += 2
    if (next == 0x2c) continue
    if (next != 0x5d) return 0
    rowCount = row
    tradeRowCount = tradeRow
    idBytes = bytes
    return p
  }
  return 0
}

// @ts-ignore: decorator
@inline
function storeId(form: usize, high: usize, low: usize, event: u32, value: i64): void {
  store<u8>(<usize>load<u32>(form) + <usize>event, 1)
  store<u32>(<usize>load<u32>(high) + (<usize>event << 2), <u32>(<u64>value >> 32))
  store<u32>(<usize>load<u32>(low) + (<usize>event << 2), <u32>value)
}

// @ts-ignore: decorator
@inline
function isKnownKind(kind: u32): bool {
  return kind <= 2 || kind == 6
}

/** Builds the tables. */
export function initialize(): void {
  initializeNumbers()
}

let forceReset: u8 = 0

// The address of the line end behind the data, or 0; a snapshot's forceReset is in `forceReset`.
// @ts-ignore: decorator
@inline
function lineEnd(data: usize, kind: u32): usize {
  let p = data
  forceReset = 0
  if (load<u8>(p) == 0x2c && kind == 0) {
    const word = load<u32>(p + 1)
    if (word == 0x65757274) {
      forceReset = 3
      p += 5
    } else if (word == 0x736c6166 && load<u8>(p + 5) == 0x65) {
      forceReset = 2
      p += 6
    }
  }
  if (load<u8>(p) != 0x5d) return 0
  p++
  if (load<u8>(p) == 0x0d) p++
  return load<u8>(p) == 0x0a ? p : 0
}

// A top of book with two rows of one side, or with three rows, is the other decoder's to refuse.
// @ts-ignore: decorator
@inline
function isTop(firstRow: u32): bool {
  const rows: u32 = rowCount - firstRow
  const side = <usize>load<u32>(C_SIDE) + <usize>firstRow
  return rows < 2 || (rows == 2 && load<u8>(side) != load<u8>(side + 1))
}

// Decodes one line into event `count`; the address behind it, or 0 where it is not known, and then nothing has changed.
// @ts-ignore: decorator
@inline
function decodeLine(line: usize, end: usize, count: u32, base: i64, priceScale: u32, quantityScale: u32): usize {
  const zero = v128.load(V_ZERO)
  const quote = v128.load(V_QUOTE)
  const point = v128.load(V_DOT)
  const nine = v128.load(V_NINE)
  const pairs = v128.load(V_PAIRS)
  const fours = v128.load(V_FOURS)
  const eights = v128.load(V_EIGHTS)
  let p = line
  const kind: u32 = <u32>load<u8>(p + 1) - 0x30
  if ((load<u32>(p) & 0xff00ff) != 0x2c005b || !isKnownKind(kind)) return 0
  const prefix = v128.and(v128.load(p + 3), v128.load(STATE + S_PREFIX_MASK))
  if (v128.any_true(v128.xor(prefix, v128.load(STATE + S_PREFIX)))) return 0
  p += 3 + <usize>load<u32>(STATE + S_PREFIX_LENGTH)
  const previous = id(p, zero, quote, nine, pairs, fours, eights)
  if (idLength == 0) return 0
  p += idLength
  if ((load<u32>(p) & 0xffffff) != 0x222c22) return 0
  const own = id(p + 3, zero, quote, nine, pairs, fours, eights)
  if (idLength == 0) return 0
  p += 3 + idLength
  if (load<u16>(p) != 0x2c22) return 0
  const adapter = timestamp(p + 2, zero, nine, pairs, fours, eights)
  if (adapter < 0 || !isNear(adapter - base) || load<u8>(p + 21) != 0x2c) return 0
  p += 22
  let exchange: f64 = NaN
  if (load<u16>(p) == 0x2c30) p += 2
  else {
    const ns = timestamp(p, zero, nine, pairs, fours, eights)
    if (ns < 0 || !isNear(ns - base) || load<u8>(p + 19) != 0x2c) return 0
    exchange = <f64>(ns - base)
    p += 20
  }
  if (load<u8>(p) != 0x5b) return 0
  const firstRow = rowCount
  const firstTradeRow = tradeRowCount
  const firstIdByte = idBytes
  p = kind == 2
    ? tradeRows(p + 1, priceScale, quantityScale, base)
    : bookRows(p + 1, priceScale, quantityScale, load<u32>(STATE + S_ROW_LIMIT))
  if (p == 0) return 0
  p = lineEnd(p, kind)
  // Bytes beyond the end are of an older slot: a line that ends there is not whole.
  if (p == 0 || p >= end || p - line > <usize>load<u32>(STATE + S_LINE_LIMIT) || (kind == 6 && !isTop(firstRow))) {
    rowCount = firstRow
    tradeRowCount = firstTradeRow
    idBytes = firstIdByte
    return 0
  }
  store<u8>(<usize>load<u32>(C_KIND) + <usize>count, <u8>kind)
  store<u16>(<usize>load<u32>(C_FLAGS) + (<usize>count << 1), <u16>forceReset)
  store<f64>(<usize>load<u32>(C_ADAPTER) + (<usize>count << 3), <f64>(adapter - base))
  store<f64>(<usize>load<u32>(C_EXCHANGE) + (<usize>count << 3), exchange)
  storeId(C_PREVIOUS_FORM, C_PREVIOUS_HIGH, C_PREVIOUS_LOW, count, previous)
  storeId(C_ID_FORM, C_ID_HIGH, C_ID_LOW, count, own)
  return p + 1
}

/**
 * Decodes lines from `at` while they are known, whole before `end`, and fit; where it stopped, with STATUS in STATE.
 */
export function decode(at: usize, end: usize): usize {
  const first = load<u32>(STATE + S_COUNT)
  let count = first
  rowCount = load<u32>(STATE + S_ROWS)
  tradeRowCount = load<u32>(STATE + S_TRADE_ROWS)
  idBytes = load<u32>(STATE + S_ID_BYTES)
  const values = load<u32>(STATE + S_VALUES)
  const texts = load<u32>(STATE + S_TEXTS)
  const priceScale = load<u32>(STATE + S_PRICE_SCALE)
  const quantityScale = load<u32>(STATE + S_QUANTITY_SCALE)
  const eventLimit = load<u32>(STATE + S_EVENT_LIMIT)
  const base = load<i64>(STATE + S_BASE_NS)
  let line = at
  let status = MORE
  let blanks: u32 = 0
  while (line < end) {
    if (count >= eventLimit) {
      status = FULL
      break
    }
    if (load<u8>(line) == 0x0a) {
      line++
      blanks++
      continue
    }
    const behind = decodeLine(line, end, count, base, priceScale, quantityScale)
    if (behind == 0) {
      status = UNKNOWN
      break
    }
    line = behind
    count++
    const next = <usize>count << 2
    store<u32>(<usize>load<u32>(C_ROW_START) + next, rowCount)
    store<u32>(<usize>load<u32>(C_TRADE_ROW_START) + next, tradeRowCount)
    store<u32>(<usize>load<u32>(C_VALUE_START) + next, values)
    store<u32>(<usize>load<u32>(C_TEXT_START) + next, texts)
  }
  store<u32>(STATE + S_COUNT, count)
  store<u32>(STATE + S_LINES, count - first)
  store<u32>(STATE + S_BLANKS, blanks)
  store<u32>(STATE + S_ROWS, rowCount)
  store<u32>(STATE + S_TRADE_ROWS, tradeRowCount)
  store<u32>(STATE + S_ID_BYTES, idBytes)
  store<u32>(STATE + S_STATUS, status)
  return line
}
