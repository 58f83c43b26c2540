import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { isNight } from './repetitions.ts'

const PROGRAM = join(resolve(import.meta.dirname, '../..'), 'bin/backtape.js')

/** The end of a command. */
interface CommandEnd {
  /** As a shell has it in $?. */
  readonly code: number | null
  readonly err: string
  readonly out: string
}

export interface StartedCommand {
  readonly child: ChildProcess & { stdin: Writable }
  readonly end: Promise<CommandEnd>
  /** Everything on standard error so far. */
  readonly errors: () => string
}

/** Starts the command line in a folder. */
export function startCommand(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): StartedCommand {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'pipe'], cwd, env: { ...process.env, ...env } })
  let err = ''
  let out = ''
  child.stderr.on('data', (text) => (err += String(text)))
  child.stdout.on('data', (text) => (out += String(text)))
  child.stdin.on('error', () => undefined)
  const end = new Promise<CommandEnd>((done) => {
    child.on('close', (code, signal) => done({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], err, out }))
  })
  return { child, end, errors: () => err }
}

/** Waits until something is so. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((done) => setTimeout(done, 50))
}

/** Signals that stop a command politely, and the exit code of a command that one stopped; by day two of them. */
export const STOP_SIGNALS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 130], ['SIGTERM', 143], ...isNight ? [['SIGHUP', 129] as const] : [],
]
