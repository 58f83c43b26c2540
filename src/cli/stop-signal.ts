import type { Output } from './terminal/output.js'

/** The exit codes that shells give a program that such a signal ended: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** So long a stopped process may take to end by itself. */
const LEAVE_MS = 1000

/** The signal that stops a command, and the exit code of its process then. */
export interface Stopping {
  readonly signal: AbortSignal
  /** The exit code of a stopped command: 130 after Ctrl-C, 143 after SIGTERM; null while nobody stopped it. */
  readonly exitCode: () => number | null
  /** Listens no longer: the next signal ends the process at once. */
  readonly release: () => void
  /** Ends a stopped process although a named pipe is held open: the last call, when all output is written. */
  readonly leave: () => void
}

/**
 * An AbortSignal that Ctrl-C and a polite kill set off; the second one ends the process at once, which leaves nothing
 * that looks whole.
 */
export function stopOnSignals(output: Output): Stopping {
  const controller = new AbortController()
  let code: number | null = null
  let sent: NodeJS.Signals = 'SIGINT'
  const stop = (name: NodeJS.Signals): void => {
    sent = name
    code = name === 'SIGTERM' ? EXIT_CODES.SIGTERM : EXIT_CODES.SIGINT
    output.note('Stopping; press Ctrl-C again to leave at once.')
    controller.abort()
    release()
  }
  const release = (): void => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
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
