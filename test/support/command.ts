import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

const program = resolve(import.meta.dirname, '../../bin/backtape.js')

/** What a run of the command line left behind. */
export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** How a run is treated. */
export interface CommandOptions {
  /** Goes to standard input. */
  readonly input?: Uint8Array
  /** Closes standard output after its first bytes, as `| head -1` does. */
  readonly closeEarly?: boolean
  readonly cwd?: string
  /** Variables beside those of the tests. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs `backtape` as a process of its own. */
export function backtape(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: options.cwd, env: { ...process.env, ...options.env } })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (options.closeEarly === true) child.stdout.destroy()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input ?? '')
    child.on('error', fail)
    child.on('close', (code) => {
      done({ code, out, err })
    })
  })
}
