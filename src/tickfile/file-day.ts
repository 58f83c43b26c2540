import { epochDayFromText } from '../model/time.js'

const DAY_PATTERNS: readonly RegExp[] = [
  /^\d+_(\d{4}-\d{2}-\d{2})(?:_.*)?\.txt(?:\.zst)?$/,
  /^.+-(\d{4}-\d{2}-\d{2})\.txt(?:\.zst)?$/,
]

/**
 * The UTC day in the base name of a tick file, as days since 1970-01-01, or null where none of the three patterns of
 * spec 4, section 1 fits: `67824_2025-01-03.txt.zst`, `binance_swap-BTCUSDT-2024-08-08.txt.zst`,
 * `67824_2025-01-03_x_perpetual-master-a.txt.zst`.
 */
export function epochDayFromFileName(name: string): number | null {
  for (const pattern of DAY_PATTERNS) {
    const day = pattern.exec(name)?.[1]
    if (day !== undefined) return epochDayFromText(day)
  }
  return null
}
