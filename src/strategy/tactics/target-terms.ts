import type { Price } from '../../model/fixed-decimal.js'
import { savedPrice, savedText } from '../saved-decimal.js'
import type { TargetOptions } from '../target-options.js'
import type { TacticOptions } from './tactic-option.js'

/** The way to a target, checked. */
export interface TargetTerms {
  readonly style: 'take' | 'join' | 'limit'
  readonly price: Price | null
  readonly timeoutMs: number | null
  readonly offsetTicks: number | null
}

/** Terms as a checkpoint holds them. */
export type SavedTargetTerms = Omit<TargetTerms, 'price'> & { readonly price: string | null }

const FIELDS: readonly (keyof TargetOptions)[] = ['style', 'price', 'timeoutMs', 'offsetTicks', 'round', 'retryMs']

/** The terms of options. Throws OPTION_INVALID. */
export function targetTerms(check: TacticOptions, options: TargetOptions): TargetTerms {
  check.fields(options, FIELDS)
  const { style = 'take', price, timeoutMs, offsetTicks, round, retryMs } = options
  if (round !== undefined) check.word('round', round, ['down', 'up'])
  if (retryMs !== undefined) check.number('retryMs', retryMs, 1)
  const kind = check.word('style', style, ['take', 'join', 'limit'])
  return {
    style: kind,
    price: price === undefined && kind !== 'limit' ? null : check.price('price', price),
    timeoutMs: timeoutMs === undefined ? null : check.number('timeoutMs', timeoutMs, 0),
    offsetTicks: offsetTicks === undefined ? null : check.number('offsetTicks', offsetTicks, 0, true),
  }
}

/** Terms for a checkpoint. */
export function savedTerms(terms: TargetTerms): SavedTargetTerms {
  return { ...terms, price: terms.price === null ? null : savedText(terms.price) }
}

/** Terms of a checkpoint. */
export function restoredTerms(saved: SavedTargetTerms): TargetTerms {
  return { ...saved, price: saved.price === null ? null : savedPrice(saved.price) }
}
