import { readFile } from 'node:fs/promises'
import { BacktapeError } from '../model/error.js'
import { commandOf, COMMANDS } from './commands.js'
import type { CommandGroup } from './terminal/command.js'
import { Output, PipeClosed } from './terminal/output.js'
import { stopOnSignals } from './stop-signal.js'
import { errorSentence, exitCodeOf } from './terminal/exit-code.js'
import { suggestion } from '../model/suggestion.js'

/** Commands with their summaries, a line each. */
function listOf(commands: Readonly<Record<string, { readonly summary: string }>>): string[] {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  return Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
}

function overview(): string {
  return [
    'backtape: read, check, show and convert crypto tick files, and trade against them',
    'Usage: backtape COMMAND ...',
    '',
    ...listOf(COMMANDS),
    '',
    'Example: backtape info binance_swap-BTCUSDT-2024-08-08.txt.zst',
    'Options of a command: backtape COMMAND --help; the version: backtape --version',
  ].join('\n')
}

function groupOverview(name: string, { summary, example, commands }: CommandGroup): string {
  return [
    `backtape ${name}: ${summary}`, `Usage: backtape ${name} COMMAND ...`, '', ...listOf(commands), '',
    `Example: ${example}`, `Options of a command: backtape ${name} COMMAND --help`,
  ].join('\n')
}

/** The error of a word that is no command. */
function unknownCommand(word: string, names: readonly string[], place: string): BacktapeError {
  const likeness = suggestion(word, names) || `; it must be one of ${names.join(', ')}`
  const words = `there is no such command${likeness}; see backtape ${place}--help`
  return new BacktapeError('OPTION_INVALID', `Cannot run ${JSON.stringify(word)}: ${words}`)
}

/** The package's version: `package.json` lies two folders above, built or not. */
async function version(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

/** A group without a command of it: its overview. */
async function overviewOf(
  name: string, group: CommandGroup, [word]: readonly string[], output: Output,
): Promise<number> {
  const isAsked = word === '--help' || word === '-h' || word === 'help'
  if (word !== undefined && !isAsked) throw unknownCommand(word, Object.keys(group.commands), `${name} `)
  if (isAsked) await output.line(groupOverview(name, group))
  else output.note(groupOverview(name, group))
  return isAsked ? 0 : 2
}

async function dispatch(argv: readonly string[], output: Output): Promise<number> {
  const [name, ...typed] = argv
  if (name === 'help' && typed[0] !== undefined) return dispatch([...typed, '--help'], output)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    if (name === undefined) output.note(overview())
    else await output.line(overview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    await output.line(await version())
    return 0
  }
  if (name === '--get-yargs-completions') {
    const { completions } = await import('./completion.js')
    for (const word of await completions(typed)) await output.line(word)
    return 0
  }
  const found = commandOf(argv)
  if (found === null) throw unknownCommand(name, Object.keys(COMMANDS), '')
  const { listed, rest } = found
  if (!('load' in listed)) return overviewOf(found.name, listed, rest, output)
  const { helpText, introduction, parseArguments } = await import('./command-line.js')
  const command = await listed.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    await output.line(await helpText(command, listed.summary))
    return 0
  }
  const { needsOptions = false, worksAlone = false, words: { least, most } } = command
  if (rest.length === 0 && !worksAlone && (least > 0 || most === 0 || needsOptions)) {
    output.note(introduction(command, listed.summary))
    return 2
  }
  const { signal, exitCode, release, leave } = stopOnSignals(output)
  try {
    const args = parseArguments(command, rest, signal)
    const code = await (await command.load())(args, output)
    return exitCode() ?? code
  } catch (error) {
    const code = exitCode()
    if (code === null || !(error instanceof BacktapeError) || error.code !== 'STOPPED') throw error
    output.note(error.message)
    return code
  } finally {
    release()
    if (exitCode() !== null) {
      await output.flush()
      leave()
    }
  }
}

function sentence(error: unknown): string {
  if (error instanceof BacktapeError) return errorSentence(error)
  const text =
    error instanceof Error
      ? process.env['BACKTAPE_DEBUG'] === undefined
        ? error.message
        : (error.stack ?? error.message)
      : String(error)
  return `Unexpected: ${text}; please report it, with BACKTAPE_DEBUG=1 set for the details`
}

/**
 * Runs the command line: the words after the program's name. Data goes to standard output, everything else to standard
 * error. Returns the exit code: 0 fine, also when the reader of a pipe went away; 1 bad input or failed work; 2 wrong
 * usage; 130 where Ctrl-C stopped the command, 143 where SIGTERM did, 129 where its terminal was closed.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const output = new Output(process.stdout, process.stderr)
  try {
    const code = await dispatch(argv, output)
    await output.flush()
    return code
  } catch (error) {
    if (error instanceof PipeClosed) return 0
    await output.flush().catch(() => undefined)
    output.fail(sentence(error))
    return exitCodeOf(error)
  } finally {
    // Somebody may hold standard input open: the process ends all the same.
    process.stdin.on('error', () => undefined).destroy()
  }
}
