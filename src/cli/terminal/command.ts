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
  /** True: it takes no word, and does its work without arguments too. */
  readonly worksAlone?: true
  /** Least and most words that are not options. */
  readonly words: { readonly least: number; readonly most: number }
  /** Loads its work, and with it all that it needs. */
  load(): Promise<CommandWork>
}

/** A command as the overview shows it; its options and its work are loaded when they are needed. */
export interface ListedCommand {
  /** Its job, in one sentence without its name. */
  readonly summary: string
  load(): Promise<Command>
}

/** Commands behind one word: `backtape shop search`. */
export interface CommandGroup {
  /** Their job, in one sentence without their word. */
  readonly summary: string
  /** One line that works. */
  readonly example: string
  /** By their second word, in the order of the overview. */
  readonly commands: Readonly<Record<string, ListedCommand>>
}
