import type { SyntheticKind } from '../synthetic/instrument-profile.js'
import { writeDays } from '../synthetic/made-days-writer.js'
import type { SyntheticOptions } from '../synthetic/made-days.js'
import type { SyntheticEra } from '../synthetic/synthetic-exchange.js'
import type { Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

/** The options of one kind as typed; what was not typed is left to the defaults of the maker. */
function optionsOf(args: Arguments, kind: SyntheticKind): SyntheticOptions {
  const minutes = args.count('minutes')
  const days = args.count('days')
  const day = args.text('day')
  const strike = kind === 'option' ? args.count('strike') : undefined
  const era = args.text('era') as SyntheticEra | undefined
  return {
    seed: args.count('seed', 0) ?? 1,
    kind,
    truth: args.flag('truth'),
    ...(minutes === undefined ? {} : { minutes }),
    ...(days === undefined ? {} : { days }),
    ...(day === undefined ? {} : { day }),
    ...(strike === undefined ? {} : { strike }),
    ...(era === undefined ? {} : { era }),
  }
}

/** The work of `backtape synth`. */
export async function runSynth(args: Arguments, output: Output): Promise<number> {
  const kinds = (args.texts('kind') ?? ['perpetual']) as SyntheticKind[]
  const options = { force: args.flag('force'), signal: args.signal }
  for (const kind of kinds) {
    const written = await writeDays(args.text('out') ?? '.', optionsOf(args, kind), options)
    for (const { path, lineCount } of written) {
      await output.line(path)
      output.note(`${path}: ${String(lineCount)} lines`)
    }
  }
  return 0
}
