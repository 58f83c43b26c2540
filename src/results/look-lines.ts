/** Lines of one look at most: the last ones. */
const LINES_MAX = 40

/** A journal that is being written. */
export interface LookedJournal {
  readonly lineCount: number
  /** Lines that are still there from a number on, the last ones where they are more than `most`. */
  lastLines(from: number, most: number): readonly string[]
  /** Called before lines go; null: nobody wants them. */
  onClosing: (() => void) | null
}

/** The last lines of a journal between two looks: they become text only then. */
export class LookLines {
  #from: number
  #lines: readonly string[] = []

  constructor(private readonly journal: LookedJournal) {
    this.#from = journal.lineCount
    journal.onClosing = () => { this.#collect() }
  }

  /** The lines since it was asked before. */
  take(): readonly string[] {
    this.#collect()
    const lines = this.#lines
    this.#lines = []
    return lines
  }

  /** Wants no more. */
  end(): void {
    this.journal.onClosing = null
  }

  #collect(): void {
    const lines = this.journal.lastLines(this.#from, LINES_MAX)
    this.#from = this.journal.lineCount
    if (lines.length > 0) this.#lines = [...this.#lines, ...lines].slice(-LINES_MAX)
  }
}
