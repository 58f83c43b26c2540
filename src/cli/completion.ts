import yargs from 'yargs/yargs'
import { commandOf, COMMANDS } from './commands.js'
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
  const found = words.length <= 2 ? null : commandOf(words.slice(1))
  if (found === null) return words.length > 2 ? [] : ask(commandParser(COMMANDS), words)
  const { name, listed, rest } = found
  const line = [words[0] ?? '', ...'load' in listed ? [name] : [], ...rest]
  if ('load' in listed) return ask(optionParser(await listed.load()), line)
  return rest.length === 1 ? ask(commandParser(listed.commands), line) : []
}

/** The names of commands, for completion. */
function commandParser(commands: Readonly<Record<string, { readonly summary: string }>>): ReturnType<typeof yargs> {
  const parser = yargs([]).scriptName('backtape').help(false).version(false).exitProcess(false)
  for (const [command, { summary }] of Object.entries(commands)) parser.command(command, summary)
  return parser
}
