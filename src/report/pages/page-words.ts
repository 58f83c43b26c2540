import { Decimal } from '../../model/decimal.js'
import { amountText } from '../short-summary.js'

/** Stands where nothing is known. */
export const NOTHING = '\u2013'

/** A share as per cent with a fixed number of decimals. */
export function percent(share: number | null, decimals = 2): string {
  return share === null ? NOTHING : `${(share * 100).toFixed(decimals)} %`
}

/** A ratio with two decimals. */
export function ratio(value: number | null): string {
  return value === null ? NOTHING : value.toFixed(2)
}

/** A count with thousands apart. */
export function count(value: number | null): string {
  return value === null ? NOTHING : String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** An amount in its currency. */
export function money(amount: string | null, code: string): string {
  return amount === null ? NOTHING : amountText(amount, code)
}

/** A quotient or a double in six digits. */
export function short(value: string | number | null): string {
  return value === null ? NOTHING : new Decimal(value).toSignificantDigits(6).toFixed()
}

/** A length of time: `12.5 ms`, `3 s`, `1 h 30 min`, `2 d 4 h`. */
export function span(ns: number | null): string {
  if (ns === null) return NOTHING
  const size = Math.abs(ns)
  const rounded = (unit: number, name: string): string => `${String(Math.round((ns / unit) * 100) / 100)} ${name}`
  if (size < 1e6) return size === 0 ? '0' : rounded(1e3, 'us')
  if (size < 1e9) return rounded(1e6, 'ms')
  if (size < 120e9) return rounded(1e9, 's')
  const minutes = Math.round(ns / 60e9)
  const [days, hours, rest] = [Math.trunc(minutes / 1440), Math.trunc((minutes % 1440) / 60), minutes % 60]
  if (days !== 0) return `${days} d${hours === 0 ? '' : ` ${hours} h`}`
  return hours === 0 ? `${rest} min` : `${hours} h${rest === 0 ? '' : ` ${rest} min`}`
}

/** The time between two ISO-8601 texts, to the second. */
export function spanBetween(from: string, to: string): string {
  return span((Date.parse(`${from.slice(0, 23)}Z`) - Date.parse(`${to.slice(0, 23)}Z`)) * -1e6)
}
