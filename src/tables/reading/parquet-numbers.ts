import type { PageValues } from './parquet-page-values.js'

const TWO_32 = 4_294_967_296

/** Values of a form. */
export type ValuesOf<Form extends PageValues['form']> = Extract<PageValues, { readonly form: Form }>

/** The integer of two words, as the nearest double: exact where that is a safe integer. */
export function numberAt(words: Int32Array, at: number): number {
  return (words[2 * at + 1] as number) * TWO_32 + ((words[2 * at] as number) >>> 0)
}

/** A big-endian integer in two's complement: a safe integer, or NaN for one that is none. */
export function numberOfPiece({ bytes, starts, lengths }: ValuesOf<'pieces'>, at: number): number {
  const start = starts[at] as number
  const length = lengths[at] as number
  if (length === 0) return 0
  let value = ((bytes[start] as number) << 24) >> 24
  for (let i = start + 1; i < start + length; i++) value = value * 256 + (bytes[i] as number)
  return Number.isSafeInteger(value) ? value : NaN
}

/** A big-endian integer in two's complement, of any length. */
export function bigOfPiece({ bytes, starts, lengths }: ValuesOf<'pieces'>, at: number): bigint {
  const start = starts[at] as number
  const length = lengths[at] as number
  if (length === 16) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, 16)
    return (view.getBigInt64(0) << 64n) | view.getBigUint64(8)
  }
  let value = 0n
  for (let i = start; i < start + length; i++) value = (value << 8n) | BigInt(bytes[i] as number)
  return BigInt.asIntN(8 * length, value)
}
