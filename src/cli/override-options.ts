import type { RunOverrides } from '../configuration/run-overrides.js'
import type { Arguments } from './terminal/arguments.js'

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
