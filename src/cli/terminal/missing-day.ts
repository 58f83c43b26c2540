import type { BacktapeError } from '../../model/error.js'
import { FaultsError } from '../../model/fault.js'
import { keptValue } from '../../model/kept-value.js'
import { baseNameOf, epochDayFromFileName } from '../../tickfile/archive/file-day.js'

/** Instrument and day of the name of a tick file: `binance_swap-BTCUSDT-2024-08-08.txt.zst`, `67824_2024-08-08...`. */
const FILE_NAMES = [
  /^(?<exchange>[^-]+)-(?<code>.+)-(?<days>\d{4}-\d{2}-\d{2})\.txt\.zst$/, /^(?<code>\d+)_(?<days>\d{4}-\d{2}-\d{2})/,
]
/** The warning of a run that lacks days of an instrument. */
const LACKING = /^(?<code>\S+) has no file of (?<days>\d{4}-\d{2}-\d{2}(?:, \d{4}-\d{2}-\d{2})*)/
/** A letter that the name of a file of a shop has escaped. */
const ESCAPE = /_u([0-9a-f]{4})/g
/** Letters that no shell takes for anything else. */
const PLAIN = /^[\p{L}\p{N}_.:/@%+-]+$/u

/** Groups of one of the expressions above: days of an instrument. */
type Days = Readonly<Record<string, string | undefined>>

/**
 * The command that would bring the tick files that are missing, behind the sentence of their error; empty where the
 * error is another one, or no shop is set (`BACKTAPE_SHOP`).
 */
export function shopAdvice(error: BacktapeError): string {
  const { code, place: { file, field, found = '', instrument, days } } = error
  if (error instanceof FaultsError) {
    const paths = error.faults.map((one) => one.file).filter((one) => one !== undefined)
    return adviceOf(paths.map(daysOfName), '; ')
  }
  if (code !== 'FILE_NOT_FOUND') return ''
  return adviceOf([daysOfName(file ?? (field === 'data' ? found : '')) ?? { code: instrument, days }], '; ')
}

/** The command that would bring the days that runs lack by their warnings; empty where no shop is set. */
export function lackingAdvice(warnings: readonly string[]): string {
  return adviceOf([...new Set(warnings)].map((warning) => LACKING.exec(warning)?.groups), '')
}

function daysOfName(path: string): Days | undefined {
  const name = baseNameOf(path.slice(path.lastIndexOf('#') + 1))
  if (epochDayFromFileName(name) === null) return undefined
  return FILE_NAMES.map((one) => one.exec(name)?.groups).find((one) => one !== undefined)
}

function adviceOf(all: readonly (Days | undefined)[], before: string): string {
  if ((process.env['BACKTAPE_SHOP'] ?? '') === '') return ''
  const daysOf = new Map<string, string[]>()
  for (const { exchange, code, days } of all.filter((one) => one !== undefined)) {
    if (code === undefined || days === undefined) continue
    const instrument = (exchange === undefined ? code : `${exchange}:${code}`)
      .replace(ESCAPE, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    if (PLAIN.test(instrument)) keptValue(daysOf, instrument, (): string[] => []).push(days.replaceAll(', ', ','))
  }
  const words = [...daysOf].map(([instrument, days]) => `${instrument} ${days.join(',')}`)
  return words.length === 0 ? '' : `${before}the shop may have it: backtape shop get ${words.join(' ')}`
}
