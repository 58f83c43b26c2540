import { keepUnfinishedJournals } from '../results/journal-file-writer.js'
import { originalStack } from '../configuration/strategy-module-reader.js'
import { removeUnfinished } from '../files/unfinished-writer.js'
import { BacktapeError } from '../model/error.js'
import { userPlace } from '../strategy/user-stack.js'
import type { Output } from './terminal/output.js'

/**
 * The error of a run in which the process was ended: `process.exit` calls the listeners of `exit` itself, so its caller
 * stands in their stack.
 */
function endError(path: string, code: number): BacktapeError {
  const place = userPlace(new Error('ended').stack ?? '')
  const words =
    place === null
      ? `an error outside of its callbacks ended the process with exit code ${String(code)}`
      : `${originalStack(place)} ended the process with exit code ${String(code)}; a strategy ends with ` +
        'this.stop(reason)'
  return new BacktapeError('STRATEGY_FAILED', `Cannot go on with ${path}: ${words}`, {
    file: path, field: 'process.exit', found: String(code),
  })
}

/**
 * Does the work of a run file, and where anything in it ends the process before it is done, ends it as a failed run:
 * with its journals kept, no unfinished output left, a sentence on standard error and exit code 1. An `exit` listener;
 * nothing global is replaced. `onFailed` gets the error; what it does has to be done when it returns.
 */
export async function failOnExit<T>(
  path: string, output: Output, work: () => Promise<T>, onFailed: (error: unknown) => void = () => undefined,
): Promise<T> {
  const fail = (code: number): void => {
    process.exitCode = 1
    const error = keepUnfinishedJournals(endError(path, code))
    removeUnfinished()
    // A line of progress may stand there.
    if (output.notesToTerminal) output.noteOver(' '.repeat(output.notesWidth - 1))
    output.note(error instanceof Error ? error.message : String(error))
    onFailed(error)
  }
  process.once('exit', fail)
  try {
    return await work()
  } finally {
    process.off('exit', fail)
  }
}
