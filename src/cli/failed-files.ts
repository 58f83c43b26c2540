import { terminalCell } from '../files/terminal-text.js'
import { BacktapeError } from '../model/error.js'
import { errorSentence, exitCodeOf } from './terminal/exit-code.js'
import type { Output } from './terminal/output.js'

/** An input that cannot be read, or not to its end. */
export interface FailedFile {
  readonly file: string
  readonly error: BacktapeError
}

/** True for what no other input would be without: a stop, and an option that names no file. */
function isOfAll({ code, place }: BacktapeError): boolean {
  return code === 'STOPPED' || (code === 'OPTION_INVALID' && place.file === undefined)
}

/** The failure of one input, after which a command goes on with the next. Throws what ends the command. */
export function failedFile(file: string, error: unknown): FailedFile {
  if (error instanceof BacktapeError && !isOfAll(error)) return { file, error }
  throw error
}

/** A failed input in JSON: its place in an array in which the others have a record. */
export function failedJson({ file, error: { code, message, place } }: FailedFile): object {
  return { file, failure: { code, message, place } }
}

/** The inputs of a command that failed: each is named on standard error at once. */
export class FailedFiles {
  /** The number of inputs that failed. */
  count = 0
  #exitCode: 0 | 1 | 2 = 0

  constructor(private readonly output: Output) {}

  /** 0 where none failed; 2 where the command line is at fault for all that did, else 1. */
  get exitCode(): number {
    return this.#exitCode
  }

  /** Names an input that failed. Throws as {@link failedFile}. */
  add(file: string, error: unknown): FailedFile {
    const failed = failedFile(file, error)
    this.count += 1
    if (this.#exitCode !== 1) this.#exitCode = exitCodeOf(failed.error)
    const [name, sentence] = [terminalCell(file), errorSentence(failed.error)]
    this.output.note(sentence.includes(name) ? sentence : `${name}: ${sentence}`)
    return failed
  }
}
