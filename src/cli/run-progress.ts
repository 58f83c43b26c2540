import { terminalCell } from '../files/terminal-text.js'
import { isoFromEpochNs } from '../model/time.js'
import { grouped } from './terminal/text-table.js'
import type { Output } from './terminal/output.js'
import type { BacktestProgress } from '../configuration/run-options.js'

/** On a terminal the line moves this often; elsewhere a plain line comes this often, so that short runs say nothing. */
const TERMINAL_MS = 100
const PLAIN_MS = 10_000

/** Progress of a run on standard error: how far its market time is; of several runs how many have ended. */
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

  show({ timeNs, fromNs, toNs, runCount, doneCount, share }: BacktestProgress): void {
    const nowMs = performance.now()
    if (nowMs - this.shownMs < (this.output.notesToTerminal ? TERMINAL_MS : PLAIN_MS)) return
    this.shownMs = nowMs
    const percent = ` (${Math.floor(share * 100).toFixed(0)} %)`
    // Lines before the begin warm the book.
    const isBefore = toNs === null || toNs <= fromNs || timeNs < fromNs
    const place = runCount === 1
      ? `${isoFromEpochNs(timeNs).slice(0, 19)}Z${isBefore ? '' : percent}`
      : `${grouped(doneCount)} of ${grouped(runCount)} runs${percent}`
    const text = `${this.name}: ${place}, ${((nowMs - this.startMs) / 1000).toFixed(0)} s`
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
