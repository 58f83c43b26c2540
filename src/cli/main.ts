import { readFile } from 'node:fs/promises'
import { BacktapeError } from '../model/error.js'
import { COMMANDS } from './commands.js'
import { Output, PipeClosed } from './output.js'
import { stopOnSignals } from './stop-signal.js'
import { errorSentence, exitCodeOf } from './exit-code.js'
import { suggestion } from '../model/suggestion.js'

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'backtape: read, check, show and convert crypto tick files, and trade against them',
    'Usage: backtape COMMAND ...',
    '',
    ...lines,
    '',
    'Example: backtape info binance_swap-BTCUSDT-2024-08-08.txt.zst',
    'Options of a command: backtape COMMAND --help; the version: backtape --version',
  ].join('\n')
}

/** The package's version: `package.json` lies two folders above, built or not. */
async function version(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

async function dispatch(argv: readonly string[], output: Output): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'help' && rest[0] !== undefined) return dispatch([rest[0], '--help'], output)
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
    for (const word of await completions(rest)) await output.line(word)
    return 0
  }
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (listed === undefined) {
    const names = Object.keys(COMMANDS)
    const likeness = suggestion(name, names) || `; it must be one of ${names.join(', ')}`
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot run ${JSON.stringify(name)}: there is no such command${likeness}; see backtape --help`,
    )
  }
  const { helpText, introduction, parseArguments } = await import('./command-line.js')
  const command = await listed.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    await output.line(await helpText(command, listed.summary))
    return 0
  }
  const { needsOptions = false, words: { least, most } } = command
  if (rest.length === 0 && (least > 0 || most === 0 || needsOptions) && name !== 'completion') {
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
 * usage; 130 where Ctrl-C stopped the command, 143 where SIGTERM did.
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
