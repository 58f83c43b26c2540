import { readRunFile } from '../configuration/run-file-reader.js'
import type { Arguments } from './arguments.js'
import type { Command } from './command.js'
import { OVERRIDE_OPTIONS, overridesOf } from './override-options.js'
import type { Output } from './output.js'

async function run(args: Arguments, output: Output): Promise<number> {
  const { content } = await readRunFile(args.words[0] ?? '', overridesOf(args, args.text('to')))
  await output.line(JSON.stringify(content, null, 2))
  return 0
}

/** `backtape run-file`. */
export const runFileCommand: Command = {
  name: 'run-file',
  summary: 'checks a run file and prints it joined with the files that it extends; a copy beside it runs the same',
  usage: 'FILE.run.json [--set NAME=VALUE] [--assume NAME=VALUE] [--data FILE] [--from TIME] [--to TIME] [--seed N]',
  example: 'backtape run-file maker.run.json',
  words: { least: 1, most: 1 },
  options: {
    ...OVERRIDE_OPTIONS,
    to: { type: 'string', describe: 'the time at which the run ends, as in a run file' },
  },
  run,
}
