import type { StretchColumns } from '../../panels/stretch-columns.js'

/** Columns of whole numbers that mostly ascend: they are packed as differences, which compress well. */
const RISING: ReadonlySet<string> = new Set(['event', 'timeNs', 'receipt'])

function isRising(name: string, value: unknown): value is readonly number[] {
  return RISING.has(name) && Array.isArray(value)
}

/** A stretch as one text of JSON. */
export function packedStretch(columns: StretchColumns): string {
  return JSON.stringify(columns, (name: string, value: unknown) => (
    isRising(name, value) ? value.map((one, at) => one - (at === 0 ? 0 : (value[at - 1] as number))) : value))
}

/** The stretch of such a text. */
export function unpackedStretch(text: string): StretchColumns {
  return JSON.parse(text, (name: string, value: unknown): unknown => {
    if (!isRising(name, value)) return value
    let last = 0
    return value.map((difference) => (last += difference))
  }) as StretchColumns
}
