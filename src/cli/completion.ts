import yargs from 'yargs/yargs'
import { COMMANDS } from './commands.js'
import { optionParser } from './option-help.js'

function ask(parser: ReturnType<typeof yargs>, words: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, found: readonly string[] | undefined): void => {
      if (error === null) resolve(found ?? [])
      else reject(error)
    }
    // Its types know an older form of the function.
    void (parser.getCompletion as unknown as (args: readonly string[], then: typeof done) => unknown)(words, done)
  })
}

/**
 * The words that may stand at the end of a line, of which `typed` stands there, the program's name first (an empty
 * word may be two quotes): names of commands, options of a command, values of an option. Empty where a file name may
 * stand. In zsh each has its meaning behind a colon.
 */
export async function completions(typed: readonly string[]): Promise<readonly string[]> {
  const words = typed.map((word) => (word === '""' ? '' : word))
  const [, name = ''] = words
  if (words.length <= 2) {
    const parser = yargs([]).scriptName('backtape').help(false).version(false).exitProcess(false)
    for (const [command, { summary }] of Object.entries(COMMANDS)) parser.command(command, summary)
    return ask(parser, words)
  }
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return listed === undefined ? [] : ask(optionParser(await listed.load()), words)
}
