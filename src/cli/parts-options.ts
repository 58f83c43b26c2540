import type { SplitOptions } from '../sweep/split-run.js'
import type { WalkForwardOptions } from '../sweep/walk-forward.js'
import { optionError, type Arguments } from './terminal/arguments.js'

/** Options of one run alone. */
const ONE_RUN = [
  'journal', 'out', 'checkpointEvery', 'checkpoint', 'resume', 'otherEngine', 'show', 'full', 'report', 'png',
] as const

/** The parts that a command asks for. */
export type PartsOptions = SplitOptions | WalkForwardOptions

/** The parts of a command line; null for none. Throws OPTION_INVALID for options that do not go with them. */
export function partsOptions(args: Arguments): PartsOptions | null {
  const split = args.list('split')?.join(',')
  const walkForward = args.text('walkForward')
  const [sort, baseline] = [args.text('sort'), args.count('baseline', 0)]
  if (split === undefined && walkForward === undefined) {
    if (baseline !== undefined) throw optionError('baseline', 'given with --split or --walk-forward', 'neither of them')
    return null
  }
  const name = split === undefined ? '--walk-forward' : '--split'
  for (const option of ONE_RUN)
    if (args.flag(option) || args.text(option) !== undefined)
      throw optionError(option, `left out with ${name}, as each part is a run of its own`, 'both')
  const choice = { ...(sort === undefined ? {} : { sort }), ...(baseline === undefined ? {} : { baseline }) }
  if (split === undefined) return { walkForward: walkForward ?? '', ...choice }
  if (walkForward !== undefined) throw optionError('split', 'given without --walk-forward', 'both')
  return { split, ...choice }
}
