import { BacktapeError, type ErrorCode } from '../model/error.js'

/** What options are refused with; every other error is a fault of a file or of ours. */
const REFUSED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['OPTION_INVALID', 'TIME_INVALID', 'PROFILE_INVALID'])

/** Several refusals as one error; its place is that of the first. */
class SeveralRefused extends BacktapeError {
  readonly refusals: readonly BacktapeError[]

  constructor(refusals: readonly BacktapeError[]) {
    const words = refusals.map(({ message }) => message.replace(/^Cannot/, 'cannot').replace(/\n/g, '\n  '))
    super(
      'OPTION_INVALID', `Cannot run: ${refusals.length} refusals:\n  ${words.join('\n  ')}`, refusals[0]?.place ?? {},
    )
    this.refusals = refusals
  }
}

/** The refusals that an error stands for; none where it is another error. */
export function refusalsOf(error: unknown): readonly BacktapeError[] {
  if (error instanceof SeveralRefused) return error.refusals
  return error instanceof BacktapeError && REFUSED.has(error.code) ? [error] : []
}

/** Gathers what is refused of a configuration, in the order of asking, so that a user hears all of it at once. */
export class Refusals {
  readonly #errors: BacktapeError[] = []

  get isEmpty(): boolean {
    return this.#errors.length === 0
  }

  /** What is read, or null where it was refused. */
  read<T>(read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      this.#keep(error)
      return null
    }
  }

  /** The same for what takes its time. */
  async readLater<T>(read: () => Promise<T>): Promise<T | null> {
    return read().catch((error: unknown) => {
      this.#keep(error)
      return null
    })
  }

  /** Throws what was refused, one refusal as it was said. */
  end(): void {
    const [only, other] = this.#errors
    if (only === undefined) return
    throw other === undefined ? only : new SeveralRefused(this.#errors)
  }

  #keep(error: unknown): void {
    const refusals = refusalsOf(error)
    if (refusals.length === 0) throw error
    this.#errors.push(...refusals)
  }
}

/** Reads every part, then throws all that was refused. */
export function readAll<T>(parts: readonly (() => T)[]): T[] {
  const refusals = new Refusals()
  const read = parts.map((part) => refusals.read(part))
  refusals.end()
  return read as T[]
}
