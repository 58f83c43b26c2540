
/** Lines of a log that are meant for reading, and sentences of the runtime for the strategy's author. */
export type LogLevel = 'log' | 'warning'

/** A line of a strategy's log. */
export interface LogRecord {
  readonly timeNs: number
  readonly clientId: string
  readonly text: string
}

/** Lines that are kept of each level, and characters of a line. */
const [LINES_MAX, CHARACTERS_MAX] = [200, 500]

interface LevelContent {
  count: number
  lines: LogRecord[]
}

type LogContent = Readonly<Record<LogLevel, LevelContent>>

/** The recorder as plain data. */
export type LogRecorderState = LogContent

/** The last lines of the strategies' logs by level, cut to a length, and how many there were. */
export class LogRecorder {
  #own: LogContent = { log: { count: 0, lines: [] }, warning: { count: 0, lines: [] } }

  /** `isKeeping` false: lines are counted alone. */
  constructor(private readonly isKeeping: boolean) {}

  /** A line; times never go back. */
  add(level: LogLevel, { timeNs, clientId, text }: LogRecord): void {
    const own = this.#own[level]
    own.count++
    if (!this.isKeeping) return
    // Dropped in batches, so that a line costs no move of all others.
    if (own.lines.length >= 2 * LINES_MAX) own.lines.splice(0, own.lines.length - LINES_MAX + 1)
    const isLong = text.length > CHARACTERS_MAX
    own.lines.push({ timeNs, clientId, text: isLong ? `${text.slice(0, CHARACTERS_MAX)}\u2026` : text })
  }

  /** Number of lines of a level. */
  countOf(level: LogLevel): number {
    return this.#own[level].count
  }

  /** The last 200 lines of a level, in their order. */
  linesOf(level: LogLevel): readonly LogRecord[] {
    return this.#own[level].lines.slice(-LINES_MAX)
  }

  state(): LogRecorderState {
    const kept = (level: LogLevel): LevelContent => ({ count: this.countOf(level), lines: [...this.linesOf(level)] })
    return { log: kept('log'), warning: kept('warning') }
  }

  restore(state: LogRecorderState): void {
    this.#own = state
  }
}
