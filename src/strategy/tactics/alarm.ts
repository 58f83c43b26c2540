import type { Tactic, TacticHost } from '../tactic.js'

/** The one timer of a tactic, set anew only where its time changes. */
export class Alarm {
  #dueNs: number | null = null

  constructor(private readonly tactic: Tactic, private readonly host: TacticHost) {}

  /** The earliest of some times that is later than now; the others are left out, and without any it is off. */
  setEarliest(timesNs: readonly number[]): void {
    const nowNs = this.host.nowNs()
    let earliest = Infinity
    for (const timeNs of timesNs) if (timeNs > nowNs && timeNs < earliest) earliest = timeNs
    const dueNs = earliest === Infinity ? null : earliest
    if (dueNs === this.#dueNs) return
    this.#dueNs = dueNs
    this.host.wakeAt(this.tactic, dueNs)
  }

  /** It has rung. */
  rang(): void {
    this.#dueNs = null
  }

  save(): number | null {
    return this.#dueNs
  }

  restore(dueNs: number | null): void {
    this.#dueNs = dueNs
  }
}
