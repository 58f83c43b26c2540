import type { Options } from 'yargs'
import type { RunOverrides } from '../configuration/run-overrides.js'
import { PREFER_OPTION, type Arguments } from './arguments.js'

/** Options of commands that read a run file: values in place of those of the file. */
export const OVERRIDE_OPTIONS: Readonly<Record<string, Options>> = {
  set: {
    type: 'string', describe: "a parameter instead of the run file's, NAME=VALUE, in every set; may be repeated",
  },
  grid: {
    type: 'string',
    describe: 'parameter sets: NAME=V1,V2 or NAME=FIRST..LAST:STEP, each with each; may be repeated',
  },
  assume: { type: 'string', describe: "an assumption instead of the run file's, NAME=VALUE; may be repeated" },
  data: {
    type: 'string', describe: "a tick file, folder or pattern instead of the run file's data; may be repeated",
  },
  ...PREFER_OPTION,
  from: {
    type: 'string',
    describe: 'the time at which strategies begin, as in a run file; a clock time is of the first day of the data',
  },
  seed: { type: 'string', describe: "instead of the run file's seed" },
}

/** The values that were typed; `to` is the time at which the run ends. */
export function overridesOf(args: Arguments, to: string | undefined): RunOverrides {
  const [set, grid] = [args.list('set'), args.list('grid')]
  const [assume, data] = [args.list('assume'), args.list('data')]
  const [prefer, from, seed] = [args.text('prefer'), args.text('from'), args.count('seed', 0)]
  return {
    ...(set === undefined ? {} : { set }), ...(grid === undefined ? {} : { grid }),
    ...(assume === undefined ? {} : { assume }),
    ...(data === undefined ? {} : { data }), ...(prefer === undefined ? {} : { prefer }),
    ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }),
    ...(seed === undefined ? {} : { seed }),
  }
}
