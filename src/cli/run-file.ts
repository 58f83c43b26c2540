import { readRunFile } from '../configuration/run-file-reader.js'
import type { Arguments } from './terminal/arguments.js'
import { overridesOf } from './override-options.js'
import type { Output } from './terminal/output.js'

/** The work of `backtape run-file`. */
export async function runRunFile(args: Arguments, output: Output): Promise<number> {
  const { content } = await readRunFile(args.words[0] ?? '', overridesOf(args, args.text('to')))
  await output.line(JSON.stringify(content, null, 2))
  return 0
}
