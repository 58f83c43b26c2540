import type { Options } from 'yargs'
import parse from 'yargs-parser'
import { BacktapeError } from '../model/error.js'
import { Arguments, kebab, optionError } from './terminal/arguments.js'
import type { Command } from './terminal/command.js'
import { suggestion } from '../model/suggestion.js'

const PARSER = {
  'parse-numbers': false, 'parse-positional-numbers': false, 'dot-notation': false, 'greedy-arrays': false,
  'boolean-negation': false,
}

/** Wrong usage: exit code 2. */
function usageError(message: string, field: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', message, { field })
}

/** The words and values that were typed, by the names of options as they were typed and as they are spelt here. */
function parsed({ options }: Command, argv: readonly string[]): Readonly<Record<string, unknown>> {
  const named = Object.entries(options).map(([name, option]) => [kebab(name), option] as const)
  const ofKind = (is: (option: Options) => boolean): string[] =>
    named.filter(([, option]) => is(option)).map(([name]) => name)
  return parse([...argv], {
    configuration: PARSER,
    string: ofKind(({ type }) => type === 'string'), boolean: ofKind(({ type }) => type === 'boolean'),
    array: ofKind(({ array }) => array === true),
    alias: Object.fromEntries(named.map(([name, { alias }]) => [name, [alias ?? []].flat()])),
  })
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

/** The name of an option with its hyphens: of `-qx` the letters are options of their own. */
function asTyped(key: string, argv: readonly string[]): string {
  return key.length === 1 && !argv.some((word) => word.split('=')[0] === `--${key}`) ? `-${key}` : `--${key}`
}

/**
 * Takes apart what was typed after a command's name. Throws OPTION_INVALID with a sentence that suggests what was
 * meant.
 */
export function parseArguments(command: Command, argv: readonly string[], signal: AbortSignal): Arguments {
  const typed = parsed(command, withValues(command, argv))
  const known = Object.keys(command.options)
  const aliases = known.flatMap((name) => [command.options[name]?.alias ?? []].flat())
  const values: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(typed)) {
    if (key === '_' || aliases.includes(key) || value === undefined) continue
    const name = known.find((option) => option === key || kebab(option) === key)
    if (name === undefined) {
      throw usageError(
        `Cannot run ${command.name}: there is no option ${asTyped(key, argv)}` +
          `${suggestion(key, known.map(kebab), '--')}; see backtape ${command.name} --help`,
        key,
      )
    }
    checkChoice(name, command.options[name] ?? {}, value)
    values[name] = value
  }
  const words = (typed['_'] as (string | number)[]).map(String)
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
export async function helpText(command: Command, summary: string): Promise<string> {
  const { optionHelp } = await import('./option-help.js')
  return [
    `backtape ${command.name}: ${summary}`, '', `Usage: backtape ${command.name} ${command.usage}`, '',
    await optionHelp(command), '', ...exampleLines(command),
  ].join('\n')
}

/** The text of a command when nothing stands behind its name. */
export function introduction(command: Command, summary: string): string {
  return [
    `backtape ${command.name}: ${summary}`,
    `Usage: backtape ${command.name} ${command.usage}`,
    `Example: ${command.example}`,
    `Options: backtape ${command.name} --help`,
  ].join('\n')
}
