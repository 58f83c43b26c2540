import yargs from 'yargs/yargs'
import { optionError, type Arguments } from './arguments.js'
import type { Output } from './output.js'

const SHELLS = ['bash', 'zsh'] as const

/** The work of `backtape completion`. */
export async function runCompletion(args: Arguments, output: Output): Promise<number> {
  const [word] = args.words
  const shell = word ?? (process.env['SHELL']?.includes('zsh') === true ? 'zsh' : 'bash')
  if (!SHELLS.some((one) => one === shell)) throw optionError('completion', `one of ${SHELLS.join(', ')}`, shell)
  await output.flush()
  // yargs looks there for the shell.
  process.env['SHELL'] = shell
  yargs([]).scriptName('backtape').exitProcess(false).showCompletionScript()
  return 0
}
