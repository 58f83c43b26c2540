import { optionError, type Arguments } from './terminal/arguments.js'

/** The most threads of a run. */
const JOBS_MAX = 64

/** The value of `--jobs` as an option of a run. Throws OPTION_INVALID for no whole number from 1 to 64. */
export function jobsOf(args: Arguments): { readonly jobs?: number } {
  const jobs = args.count('jobs')
  if (jobs === undefined) return {}
  if (jobs > JOBS_MAX) throw optionError('jobs', `a whole number from 1 to ${String(JOBS_MAX)}`, String(jobs))
  return { jobs }
}
