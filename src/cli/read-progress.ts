import type { SourceOptions, TickSource } from '../tickfile/archive/tick-source.js'
import type { Output } from './terminal/output.js'
import { ProgressLine } from './terminal/progress-line.js'
import { counted } from './terminal/text-table.js'

/** Work that is over by then says nothing. */
const PATIENCE_MS = 1000
/** The line moves this often. */
const STEP_MS = 100

/** The bytes that one phase of the work on one file has done. */
export interface BytesDone {
  readonly name: string
  readonly phase: string
  readonly bytesDone: number
  /** Null where nobody knows. */
  readonly bytesTotal: number | null
}

/**
 * Progress of reading on a terminal's standard error, with rate and time left, once it takes longer than a second.
 * Silent where standard output goes into a pipe, behind which a pager may have the terminal.
 */
export class ReadProgress {
  private readonly line: ProgressLine
  private readonly isShown: boolean
  private phase = ''
  private startMs = 0
  private shownMs = 0

  constructor(output: Output) {
    this.line = new ProgressLine(output)
    this.isShown = output.notesToTerminal && !output.isPiped
  }

  show({ name, phase, bytesDone, bytesTotal }: BytesDone): void {
    if (!this.isShown) return
    const nowMs = performance.now()
    if (this.phase !== `${phase} ${name}`) {
      this.phase = `${phase} ${name}`
      this.startMs = nowMs
    }
    const elapsedMs = nowMs - this.startMs
    if (elapsedMs < PATIENCE_MS || nowMs - this.shownMs < STEP_MS) return
    this.shownMs = nowMs
    const left = bytesTotal === null || bytesDone === 0 ? null : Math.max(0, bytesTotal - bytesDone)
    const secondsLeft = left === null ? null : ((elapsedMs / 1000) * left) / bytesDone
    this.line.show({ name, phase, bytesDone, bytesTotal, elapsedSeconds: elapsedMs / 1000, secondsLeft })
  }

  /** The count of rows so far and the time that they have come to, where nobody knows how many bytes these are. */
  showRows(count: number, timeText: string): void {
    if (!this.isShown) return
    const nowMs = performance.now()
    if (this.startMs === 0) this.startMs = nowMs
    if (nowMs - this.startMs < PATIENCE_MS || nowMs - this.shownMs < STEP_MS) return
    this.shownMs = nowMs
    this.line.say(`${counted(count, 'row')}, at ${timeText}`)
  }

  /** The same source, whose reading moves the line. */
  counted(source: TickSource, phase: string): TickSource {
    if (!this.isShown) return source
    const show = (bytesDone: number): void => {
      this.show({ name: source.fileName, phase, bytesDone, bytesTotal: source.sizeBytes })
    }
    async function* open(options?: SourceOptions): AsyncGenerator<Uint8Array, void, undefined> {
      let bytesDone = 0
      show(0)
      for await (const chunk of source.open(options)) {
        bytesDone += chunk.length
        show(bytesDone)
        yield chunk
      }
    }
    return { ...source, open }
  }

  /** Takes the line away: before something else is written, and at the end. */
  end(name = ''): void {
    this.line.end(name)
  }
}
