import { SYNTHETIC_KINDS, type SyntheticKind } from '../synthetic/instrument-profile.js'
import { writeDays } from '../synthetic/made-days-writer.js'
import type { SyntheticOptions } from '../synthetic/made-days.js'
import { SYNTHETIC_ERAS, type SyntheticEra } from '../synthetic/synthetic-exchange.js'
import type { Arguments } from './arguments.js'
import type { Command } from './command.js'
import type { Output } from './output.js'

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

async function run(args: Arguments, output: Output): Promise<number> {
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

/** `backtape synth`. */
export const synthCommand: Command = {
  name: 'synth',
  summary: 'makes up days with every event kind by a seeded simulation, as tick files; prints their paths',
  usage: '[--seed N] [--minutes N] [--days N] [--kind KIND,...] [--out FOLDER]',
  example: 'backtape synth --seed 7 --minutes 30 --out datasets',
  words: { least: 0, most: 0 },
  options: {
    seed: { type: 'string', describe: 'a whole number; the same seed gives the same bytes (default 1)' },
    minutes: {
      type: 'string',
      describe: 'minutes of open market a day, 1 to 1440 (default 30); margins around midnight come on top',
    },
    days: { type: 'string', describe: 'consecutive days, a file each (default 1)' },
    day: { type: 'string', describe: 'the first day, YYYY-MM-DD (default 2026-07-01)' },
    kind: {
      type: 'string', choices: [...SYNTHETIC_KINDS],
      describe: 'what is traded; several with commas (default perpetual)',
    },
    strike: {
      type: 'string', describe: 'strike of options, a whole thousand from 40000 to 90000 (default 68000)',
    },
    era: { type: 'string', choices: [...SYNTHETIC_ERAS], describe: "whose year's layout (default 2026)" },
    truth: { type: 'boolean', describe: 'write the order-level events as well, NAME.truth.jsonl.zst' },
    out: { type: 'string', describe: 'folder for the files (default: this one)' },
    force: { type: 'boolean', describe: 'overwrite what exists' },
  },
  run,
}
