import yargs from 'yargs/yargs'
import type { Options } from 'yargs'
import { BacktapeError } from '../model/error.js'
import { Arguments, kebab, optionError } from './arguments.js'
import type { Command } from './command.js'
import { suggestion } from '../model/suggestion.js'

const PARSER = {
  'parse-numbers': false, 'parse-positional-numbers': false, 'dot-notation': false, 'greedy-arrays': false,
  'boolean-negation': false,
}

/** Wrong usage: exit code 2. */
function usageError(message: string, field: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', message, { field })
}

/** The options of a command with their values, for completion. */
export function optionParser(command: Command): ReturnType<typeof yargs> {
  const parsing = yargs([]).scriptName('backtape').help(false).version(false).exitProcess(false)
  for (const [name, option] of Object.entries(command.options)) parsing.option(kebab(name), option)
  return parsing
}

function parser(command: Command, argv: readonly string[]): ReturnType<typeof yargs> {
  const parsing = yargs([...argv]).parserConfiguration(PARSER).help(false).version(false).exitProcess(false)
  // Choices are checked here, where a wrong word can get its suggestion.
  for (const [name, option] of Object.entries(command.options)) parsing.option(kebab(name), withoutChoices(option))
  return parsing
}

function withoutChoices({ choices: _, ...option }: Options): Options {
  return option
}

function checkChoice(name: string, option: Options, value: unknown): void {
  if (option.choices === undefined) return
  const choices = option.choices.map(String)
  for (const word of [value].flat().flatMap((item) => String(item).split(','))) {
    const typed = word.trim()
    if (choices.includes(typed)) continue
    throw optionError(name, `one of ${choices.join(', ')}`, `${JSON.stringify(typed)}${suggestion(typed, choices)}`)
  }
}

/**
 * `--out -` as `--out=-`: the parser takes a lone hyphen for a word of its own. An option that needs no value does not
 * take the word behind it.
 */
function withValues({ options, bareOptions = {}, bareUnless = {} }: Command, argv: readonly string[]): string[] {
  const bare = new Map(Object.entries(bareOptions).map(([name, value]) => [`--${kebab(name)}`, value]))
  const taken = new Map(Object.entries(bareUnless).map(([name, form]) => [`--${kebab(name)}`, form]))
  const names = Object.keys(options).filter((name) => options[name]?.type === 'string')
  const texts = names.flatMap((name) => [`--${name}`, `--${kebab(name)}`])
  const joined: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (argv[i + 1] === '-' && texts.includes(word)) {
      joined.push(`${word}=-`)
      i++
    } else if (taken.get(word)?.test(argv[i + 1] ?? '') === true) joined.push(word)
    else joined.push(bare.has(word) ? `${word}=${bare.get(word) ?? ''}` : word)
  }
  return joined
}

/**
 * Takes apart what was typed after a command's name. Throws OPTION_INVALID with a sentence that suggests what was
 * meant.
 */
export async function parseArguments(
  command: Command, argv: readonly string[], signal: AbortSignal,
): Promise<Arguments> {
  const parsed = (await parser(command, withValues(command, argv)).parse()) as Record<string, unknown>
  const known = Object.keys(command.options)
  const aliases = known.flatMap((name) => [command.options[name]?.alias ?? []].flat())
  const values: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(parsed)) {
    if (key === '_' || key === '$0' || aliases.includes(key) || value === undefined) continue
    const name = known.find((option) => option === key || kebab(option) === key)
    if (name === undefined) {
      throw usageError(
        `Cannot run ${command.name}: there is no option --${key}${suggestion(key, known.map(kebab), '--')}; see ` +
          `backtape ${command.name} --help`,
        key,
      )
    }
    checkChoice(name, command.options[name] ?? {}, value)
    values[name] = value
  }
  const words = (parsed['_'] as (string | number)[]).map(String)
  checkWords(command, words)
  return new Arguments(words, values, signal)
}

function checkWords({ name, words: { least, most }, example }: Command, words: readonly string[]): void {
  if (words.length < least) throw usageError(`Cannot run ${name}: no input was named; for example: ${example}`, 'input')
  if (words.length <= most) return
  const extra = JSON.stringify(words[most])
  const wanted = most === 0 ? 'no word without an option' : most === 1 ? 'one input' : `${String(most)} inputs`
  throw usageError(`Cannot run ${name}: it takes ${wanted}, found also ${extra}; for example: ${example}`, 'input')
}

function exampleLines({ example, moreExamples = [] }: Command): string[] {
  if (moreExamples.length === 0) return [`Example: ${example}`]
  return ['Examples:', ...[example, ...moreExamples].map((line) => `  ${line}`)]
}

/** The text of `backtape NAME --help`. */
export async function helpText(command: Command): Promise<string> {
  const help = await parser(command, []).usage('').showHidden(false).getHelp()
  const options = help.slice(Math.max(0, help.indexOf('Options:')))
  return [
    `backtape ${command.name}: ${command.summary}`, '', `Usage: backtape ${command.name} ${command.usage}`, '', options,
    '', ...exampleLines(command),
  ].join('\n')
}

/** The text of a command when nothing stands behind its name. */
export function introduction(command: Command): string {
  return [
    `backtape ${command.name}: ${command.summary}`,
    `Usage: backtape ${command.name} ${command.usage}`,
    `Example: ${command.example}`,
    `Options: backtape ${command.name} --help`,
  ].join('\n')
}
