import { terminalCell } from '../../files/terminal-text.js'
import type { Output } from './output.js'
import { byteText } from './text-table.js'

function spanText(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`
}

/** One step of work on a file. */
export interface WorkStep {
  readonly name: string
  /** A word for the work; `done`, `skipped`, `failed` and `stopped` take the name off the line. */
  readonly phase: string
  readonly bytesDone: number
  /** Null where nobody knows. */
  readonly bytesTotal: number | null
  readonly elapsedSeconds: number
  readonly secondsLeft: number | null
}

const ENDS: ReadonlySet<string> = new Set(['done', 'skipped', 'failed', 'stopped'])
const BAR_CELLS = 20

/** `########............` of a share from 0 to 1. */
function bar(share: number): string {
  const cells = Math.max(0, Math.min(BAR_CELLS, Math.floor(share * BAR_CELLS)))
  return `${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)} `
}

/** One step in words: a bar and the share where the size is known, rate, time left. */
function progressText({
  name, phase, bytesDone, bytesTotal, elapsedSeconds, secondsLeft,
}: WorkStep): string {
  const share =
    bytesTotal === null || bytesTotal === 0
      ? byteText(bytesDone)
      : `${bar(bytesDone / bytesTotal)}${String(Math.floor((bytesDone / bytesTotal) * 100))} %`
  const rate = elapsedSeconds > 0 ? `, ${byteText(Math.round(bytesDone / elapsedSeconds))}/s` : ''
  const left = secondsLeft === null ? '' : `, ${spanText(secondsLeft)} left`
  return `${name}: ${phase} ${share}${rate}${left}`
}

/** Progress inside files on standard error: one line that is written over, on a terminal alone. */
export class ProgressLine {
  private readonly output: Output
  private readonly moving = new Map<string, string>()
  private length = 0

  constructor(output: Output) {
    this.output = output
  }

  show(step: WorkStep): void {
    const { name, phase } = step
    if (!this.output.notesToTerminal) return
    if (ENDS.has(phase)) this.moving.delete(name)
    else this.moving.set(name, progressText(step))
    this.say([...this.moving.values()].join('  |  '))
  }

  /** Shows a text of its own. */
  say(text: string): void {
    if (!this.output.notesToTerminal) return
    const cut = terminalCell(text).slice(0, this.output.notesWidth - 1)
    this.output.noteOver(cut.padEnd(this.length))
    this.length = cut.length
  }

  /** Takes a name off the line, and the line away. */
  end(name: string): void {
    this.moving.delete(name)
    this.clear()
  }

  /** Takes the line away before something else is written. */
  clear(): void {
    if (this.length > 0) this.output.noteOver(' '.repeat(this.length))
    if (this.length > 0) this.output.noteOver('')
    this.length = 0
  }
}
