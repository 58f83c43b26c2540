import { terminalCell } from '../files/terminal-text.js'
import { isoFromEpochNs } from '../model/time.js'
import type { Output } from './output.js'
import type { BacktestProgress } from '../configuration/run-options.js'

/** On a terminal the line moves this often; elsewhere a plain line comes this often, so that short runs say nothing. */
const TERMINAL_MS = 100
const PLAIN_MS = 10_000

/** Progress of a run on standard error: how far its market time is. */
export class RunProgress {
  private readonly output: Output
  private readonly name: string
  private readonly startMs: number = performance.now()
  private shownMs: number = performance.now()
  private length = 0

  constructor(output: Output, name: string) {
    this.output = output
    this.name = name
  }

  show({ timeNs, fromNs, toNs }: BacktestProgress): void {
    const nowMs = performance.now()
    if (nowMs - this.shownMs < (this.output.notesToTerminal ? TERMINAL_MS : PLAIN_MS)) return
    this.shownMs = nowMs
    // Lines before the begin warm the book.
    const isBefore = toNs === null || toNs <= fromNs || timeNs < fromNs
    const share = isBefore ? '' : ` (${String(((timeNs - fromNs) * 100n) / (toNs - fromNs))} %)`
    const text = `${this.name}: ${isoFromEpochNs(timeNs).slice(0, 19)}Z${share}, ` +
      `${((nowMs - this.startMs) / 1000).toFixed(0)} s`
    if (!this.output.notesToTerminal) {
      this.output.note(text)
      return
    }
    const cut = terminalCell(text).slice(0, this.output.notesWidth - 1)
    this.output.noteOver(cut.padEnd(this.length))
    this.length = cut.length
  }

  /** Takes the line away before something else is written. */
  clear(): void {
    if (this.length > 0) this.output.noteOver(' '.repeat(this.length))
    this.length = 0
  }
}
