import type { Output } from './output.js'

/** What shells say of a program that such a signal ended: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** What a command listens to in order to stop, and what its process then comes to. */
export interface Stopping {
  readonly signal: AbortSignal
  /** The exit code of a stopped command: 130 after Ctrl-C, 143 after SIGTERM; null while nobody stopped it. */
  readonly exitCode: () => number | null
  readonly release: () => void
}

/**
 * An AbortSignal that Ctrl-C and a polite kill set off; the second one ends the process at once, which leaves nothing that looks whole. A command that
 * does not listen to it (`isHeard` false) ends at the first.
 */
export function stopOnSignals(output: Output, isHeard: boolean): Stopping {
  const controller = new AbortController()
  let code: number | null = null
  const stop = (name: NodeJS.Signals): void => {
    code = name === 'SIGTERM' ? EXIT_CODES.SIGTERM : EXIT_CODES.SIGINT
    if (!isHeard) process.exit(code)
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
  return { signal: controller.signal, exitCode: () => code, release }
}
