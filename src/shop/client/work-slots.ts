/** So many pieces of work may run at once; the others wait for their turn, in their order. */
export class WorkSlots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Runs work in a slot. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

/** The result of a piece of work, or its error. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown }

/** Results of running works, as they come. */
export async function* asTheyCome<T>(running: readonly Promise<T>[]): AsyncGenerator<Settled<T>, void> {
  const done: Settled<T>[] = []
  let wake: () => void = () => undefined
  const settle = (one: Settled<T>): void => {
    done.push(one)
    wake()
  }
  for (const work of running) work.then((value) => { settle({ value }) }, (error: unknown) => { settle({ error }) })
  for (let count = 0; count < running.length; count++) {
    while (done.length === 0) await new Promise<void>((resolve) => { wake = resolve })
    const one = done.shift()
    if (one !== undefined) yield one
  }
}
