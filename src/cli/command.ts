import type { Options } from 'yargs'
import type { Arguments } from './arguments.js'
import type { Output } from './output.js'

/**
 * Does the work of a command and returns the exit code: 0 fine, 1 bad input. Throws BacktapeError; the caller turns it
 * into a sentence.
 */
export type CommandWork = (args: Arguments, output: Output) => Promise<number>

/** One word of the command line: how it is typed, and the way to its work. */
export interface Command {
  readonly name: string
  /** The line after `Usage: backtape NAME`. */
  readonly usage: string
  /** One line that works, given a file. */
  readonly example: string
  /** More such lines, which its help shows. */
  readonly moreExamples?: readonly string[]
  readonly options: Readonly<Record<string, Options>>
  /** Options that may be typed without a value, and the value that they have then; any other follows a `=`. */
  readonly bareOptions?: Readonly<Record<string, string>>
  /** Options of `bareOptions` that take the word behind them where it is such a word. */
  readonly bareUnless?: Readonly<Record<string, RegExp>>
  /** True: without arguments it says what it does, though it needs no word. */
  readonly needsOptions?: true
  /** Least and most words that are not options. */
  readonly words: { readonly least: number; readonly most: number }
  /** Loads its work, and with it all that it needs. */
  load(): Promise<CommandWork>
}
