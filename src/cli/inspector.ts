import { open, url, waitForDebugger } from 'node:inspector'
import { BacktapeError } from '../model/error.js'
import { optionError } from './terminal/arguments.js'
import { STOP_SIGNALS } from './stop-signal.js'
import type { Output } from './terminal/output.js'

/** The port of `--inspect` without a value: the one that debuggers look for. */
export const INSPECTOR_PORT = '9229'

const HIGHEST_PORT = 65_535

/**
 * Opens Node's inspector at a port of this machine, and returns once a debugger has attached and set its breakpoints.
 * Nobody else reaches it: it listens at 127.0.0.1 alone. Throws OPTION_INVALID for a port that cannot be, is taken, or
 * where the inspector is open already.
 */
export function awaitDebugger(port: number, output: Output): void {
  if (port > HIGHEST_PORT) throw optionError('inspect', `a port from 0 to ${String(HIGHEST_PORT)}`, String(port))
  const standing = url()
  if (standing !== undefined) throw inspectFault('a process whose inspector is closed', `it open at ${standing}`)
  open(port, '127.0.0.1')
  // Node writes the reason to standard error and throws nothing.
  if (url() === undefined) {
    const found = `${String(port)}, which Node cannot open; --inspect=0 takes a free one`
    throw inspectFault('a free port of 127.0.0.1', found)
  }
  withoutListeners(() => {
    // Not before: a signal that comes between the two would be taken by a listener that never runs.
    output.note('Waiting for a debugger to attach; the strategy is not loaded yet.')
    waitForDebugger()
  })
}

function inspectFault(expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot use --inspect: it needs ${expected}, found ${found}`, {
    field: 'inspect', expected, found,
  })
}

/** Nothing runs while the process waits, not even what listens to Ctrl-C: so Ctrl-C ends it, as nothing is begun. */
function withoutListeners(wait: () => void): void {
  const standing = STOP_SIGNALS.map((name) => process.rawListeners(name) as NodeJS.SignalsListener[])
  for (const name of STOP_SIGNALS) process.removeAllListeners(name)
  wait()
  for (const [at, name] of STOP_SIGNALS.entries()) for (const listener of standing[at] ?? []) process.on(name, listener)
}
