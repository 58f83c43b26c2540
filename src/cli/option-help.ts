import yargs from 'yargs/yargs'
import { kebab } from './terminal/arguments.js'
import type { Command } from './terminal/command.js'

/** The options of a command with their values, for completion. */
export function optionParser(command: Command): ReturnType<typeof yargs> {
  const parsing = yargs([]).scriptName('backtape').help(false).version(false).exitProcess(false)
  for (const [name, option] of Object.entries(command.options)) parsing.option(kebab(name), option)
  return parsing
}

/** The part of a command's help that lists its options. */
export async function optionHelp(command: Command): Promise<string> {
  const parsing = yargs([]).help(false).version(false).exitProcess(false)
  // Choices stand in the words of an option.
  for (const [name, { choices: _, ...option }] of Object.entries(command.options)) parsing.option(kebab(name), option)
  const help = await parsing.usage('').showHidden(false).getHelp()
  return help.slice(Math.max(0, help.indexOf('Options:')))
}
