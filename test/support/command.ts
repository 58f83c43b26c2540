import { spawn, type ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'

const program = resolve(import.meta.dirname, '../../bin/backtape.js')
const server = resolve(import.meta.dirname, 'command-process.mjs')
const entry = resolve(import.meta.dirname, '../../lib/chunks/main.js')
/** The text that ends the output of a command of a process that goes on. */
const END = '\u0001end of the command\u0001'

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

/** Runs `backtape` as a process of its own: for signals, pipes, exits, and what a process keeps. */
export function backtapeProcess(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
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

/** A process that runs one command after another. It ends with this one. */
class CommandServer {
  #child: ChildProcess | null = null
  #ready: Promise<unknown> = Promise.resolve()
  #last: Promise<unknown> = Promise.resolve()

  /** Commands that are asked for at once take turns: each in a process of its own takes longer. */
  run(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
    const result = this.#last.then(() => this.#run(args, options))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #run(args: readonly string[], { cwd = process.cwd(), env = {} }: CommandOptions): Promise<CommandResult> {
    const child = this.#started()
    await this.#ready
    const result = await answered(child, { args, cwd, env: { ...process.env, ...env } })
    // Ended by a signal from elsewhere, it has said nothing of the command.
    return result.code === null ? backtapeProcess(args, { cwd, env }) : result
  }

  #started(): ChildProcess {
    if (this.#child !== null && this.#child.exitCode === null && this.#child.connected) return this.#child
    const child = spawn(process.execPath, [server, entry, END], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    child.stdout!.setEncoding('utf8')
    child.stderr!.setEncoding('utf8')
    child.unref()
    for (const stream of [child.stdout, child.stderr, child.channel]) (stream as unknown as { unref(): void }).unref()
    this.#ready = new Promise((ready) => { child.once('message', ready) })
    return (this.#child = child)
  }
}

/** Sends a command to a process; what it wrote and its exit code, also where the process ended by it. */
function answered(child: ChildProcess, request: object): Promise<CommandResult> {
  return new Promise((done) => {
    const texts = { out: '', err: '' }
    let code: number | null | undefined
    const settle = (hasEnded = false): void => {
      const isWhole = texts.out.includes(END) && texts.err.includes(END)
      if (code === undefined || !(isWhole || hasEnded)) return
      child.stdout!.removeAllListeners('data')
      child.stderr!.removeAllListeners('data')
      child.removeAllListeners('close').removeAllListeners('message')
      child.unref()
      done({ code, out: texts.out.replace(END, ''), err: texts.err.replace(END, '') })
    }
    const take = (name: 'out' | 'err') => (text: string): void => {
      texts[name] += text
      settle()
    }
    child.stdout!.on('data', take('out'))
    child.stderr!.on('data', take('err'))
    child.on('message', (answer: { readonly code: number }) => {
      code = answer.code
      settle()
    })
    child.on('close', (exit: number | null) => {
      code ??= exit
      settle(true)
    })
    child.ref()
    child.send(request)
  })
}

const commands = new CommandServer()

/**
 * Runs a command of `backtape`: in a process that a file of tests keeps for its commands, one after the other; where
 * something goes to standard input or output is closed early, in one of its own.
 */
export function backtape(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const needsOwn = options.input !== undefined || options.closeEarly === true
  return needsOwn ? backtapeProcess(args, options) : commands.run(args, options)
}
