import { BacktapeError } from '../../model/error.js'
import type { ReadOptions } from '../archive/read-options.js'

const CHOICES = {
  onDamage: ['stop', 'count', 'skip'], zstd: ['auto', 'native', 'wasm', 'fzstd'], lines: ['auto', 'wasm', 'javascript'],
} as const
const LIMITS = ['lineLimitBytes', 'windowLimitBytes'] as const

function refusal(field: string, expected: string, value: unknown): BacktapeError {
  const found = String(typeof value === 'string' ? JSON.stringify(value) : value).slice(0, 80)
  return new BacktapeError('OPTION_INVALID', `Cannot read a tick file: ${field} must be ${expected}, found ${found}`, {
    field, expected, found,
  })
}

/** Throws OPTION_INVALID for a value that would quietly mean another one. */
export function checkReadOptions(options: ReadOptions): void {
  for (const [field, choices] of Object.entries(CHOICES)) {
    const value: unknown = options[field as keyof typeof CHOICES]
    if (value !== undefined && !(choices as readonly unknown[]).includes(value))
      throw refusal(field, `one of ${choices.join(', ')}`, value)
  }
  for (const field of LIMITS) {
    const value: unknown = options[field]
    if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) > 0))
      throw refusal(field, 'a whole number of bytes above 0', value)
  }
}
