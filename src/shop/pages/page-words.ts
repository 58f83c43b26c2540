/** Cents as euros: `1.00 EUR`. Exact: whole numbers alone. */
export function euroText(cents: number): string {
  const text = String(cents).padStart(3, '0')
  return `${countText(Number(text.slice(0, -2)))}.${text.slice(-2)} EUR`
}

/** A count with thousands apart. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A count and its thing: `1 day`, `2 days`. */
export function countOf(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? '' : 's'}`
}

/** A time of ISO-8601 in UTC as a reader has it: `2024-08-10 12:00:00 UTC`. */
export function timeText(time: string): string {
  return time.replace('T', ' ').replace('Z', ' UTC')
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Bytes for a reader, in three digits: `1.23 GB`. */
export function sizeText(bytes: number): string {
  const at = Math.min(UNITS.length - 1, Math.max(0, Math.floor((String(Math.floor(bytes)).length - 1) / 3)))
  const value = bytes / Number(`1e${at * 3}`)
  const digits = at === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toFixed(digits)} ${UNITS[at] ?? ''}`
}

const MONTHS = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November',
  'December',
] as const

/** A month as a reader has it: `2024-08` is `August 2024`. */
export function monthText(month: string): string {
  return `${MONTHS[Number(month.slice(5, 7)) - 1] ?? ''} ${month.slice(0, 4)}`
}

/** The words for a reason why a day is missing. */
export function reasonText(reason: string): string {
  switch (reason) {
    case 'no_data': return 'there are no data of this day'
    case 'not_sellable_yet': return 'this day is not over yet'
    default: return 'this instrument is not known'
  }
}
