import { optionError, type Arguments } from './arguments.js'
import type { Options } from 'yargs'

/** The most threads of a run. */
const JOBS_MAX = 64

/** `--jobs` of commands that run strategies. */
export const JOBS_OPTION: Readonly<Record<'jobs', Options>> = {
  jobs: { type: 'string', describe: 'threads over which several parameter sets are divided; default 1' },
}

/** The value of {@link JOBS_OPTION} as an option of a run. Throws OPTION_INVALID for no whole number from 1 to 64. */
export function jobsOf(args: Arguments): { readonly jobs?: number } {
  const jobs = args.count('jobs')
  if (jobs === undefined) return {}
  if (jobs > JOBS_MAX) throw optionError('jobs', `a whole number from 1 to ${String(JOBS_MAX)}`, String(jobs))
  return { jobs }
}
