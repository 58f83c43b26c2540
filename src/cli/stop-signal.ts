import type { Output } from './terminal/output.js'

/**
 * The signals that stop a command in order, and the exit codes that shells give a program that such a signal ended: 128
 * and the signal's number. A terminal that is closed, or a connection that is lost, sends SIGHUP; Node dies of it under
 * `nohup` too.
 */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** A signal that stops a command in order. */
export type StopSignalName = keyof typeof EXIT_CODES

/** The names of them. */
export const STOP_SIGNALS = Object.keys(EXIT_CODES) as readonly StopSignalName[]

/** So long a stopped process may take to end by itself. */
const LEAVE_MS = 1000

/** The signal that stops a command, and the exit code of its process then. */
export interface Stopping {
  readonly signal: AbortSignal
  /** The exit code of a stopped command: that of its signal above; null while it goes on. */
  readonly exitCode: () => number | null
  /** Listens no longer: the next signal ends the process at once. */
  readonly release: () => void
  /** Ends a stopped process although a named pipe is held open: the last call, when all output is written. */
  readonly leave: () => void
}

/**
 * An AbortSignal that Ctrl-C, a polite kill and the end of the terminal set off; the second one ends the process at
 * once, which leaves nothing that looks whole.
 */
export function stopOnSignals(output: Output): Stopping {
  const controller = new AbortController()
  let code: number | null = null
  let sent: StopSignalName = 'SIGINT'
  const stop = (name: NodeJS.Signals): void => {
    sent = name as StopSignalName
    code = EXIT_CODES[sent]
    output.note('Stopping; press Ctrl-C again to leave at once.')
    controller.abort()
    release()
  }
  const release = (): void => {
    for (const name of STOP_SIGNALS) process.off(name, stop)
  }
  for (const name of STOP_SIGNALS) process.on(name, stop)
  return {
    signal: controller.signal,
    exitCode: () => code,
    release,
    leave: () => {
      // A read of a named pipe cannot be taken back, and even process.exit waits for it.
      setTimeout(() => process.kill(process.pid, sent), LEAVE_MS).unref()
    },
  }
}
