/** A step of {@link NaivePurchases}; times go on by its milliseconds first, or back. */
export type PurchaseStep =
  | { readonly kind: 'checkout', readonly key: number, readonly days: readonly number[], readonly buyer: string | null, readonly afterMs: number }
  | { readonly kind: 'pay' | 'poll', readonly session: number, readonly afterMs: number }
  | { readonly kind: 'refund' | 'expire' | 'read', readonly session: number, readonly afterMs: number }
  | { readonly kind: 'restart', readonly afterMs: number }

interface NaiveSession {
  readonly buyer: string | null
  readonly days: readonly number[]
  readonly startMs: number
  state: 'pending' | 'paid' | 'expired'
  paidMs: number
  order: 'none' | 'paid' | 'refunded' | 'expired'
}

const SESSION_MS = 24 * 3_600_000
const ORDER_MS = 30 * 24 * 3_600_000

/** What a shop answers to steps, by the plainest reading of the rules; nothing is ever forgotten. */
export class NaivePurchases {
  readonly sessions: NaiveSession[] = []
  readonly #keys = new Map<number, { readonly basket: string, readonly session: number }>()
  /** Days from this one on are not sold. */
  readonly #soldDays: number

  constructor(soldDays: number) {
    this.#soldDays = soldDays
  }

  /** The answer in a word, and the session that it is about. */
  answer(step: PurchaseStep, nowMs: number): string {
    if (step.kind === 'restart') return 'restarted'
    if (step.kind === 'checkout') return this.#checkout(step.key, step.days, step.buyer, nowMs)
    const session = this.sessions[step.session]
    if (session === undefined) return 'none'
    this.#pass(session, nowMs, step.kind === 'pay' || step.kind === 'poll')
    if (step.kind === 'pay' && session.state === 'pending') {
      session.state = 'paid'
      session.paidMs = nowMs
      session.order = 'paid'
    }
    if (step.kind === 'pay' || step.kind === 'poll') return session.state
    if (step.kind === 'refund' && session.order === 'paid') session.order = 'refunded'
    if (step.kind === 'expire' && session.order !== 'none') session.order = 'expired'
    return session.order
  }

  /** What time does when somebody looks. */
  #pass(session: NaiveSession, nowMs: number, isOfSession: boolean): void {
    if (isOfSession && session.state === 'pending' && nowMs >= session.startMs + SESSION_MS) session.state = 'expired'
    if (!isOfSession && session.order !== 'none' && session.buyer === null && nowMs >= session.paidMs + ORDER_MS) session.order = 'expired'
  }

  #checkout(key: number, days: readonly number[], buyer: string | null, nowMs: number): string {
    const basket = JSON.stringify([buyer, days])
    const known = this.#keys.get(key)
    if (known !== undefined) return known.basket === basket ? `session ${known.session}` : 'used key'
    if (days.some((day) => day >= this.#soldDays)) return 'missing'
    const hasOne = buyer !== null && this.sessions.some((one) => one.buyer === buyer && one.order === 'paid' && one.days.some((day) => days.includes(day)))
    if (hasOne) return 'owned'
    this.sessions.push({ buyer, days, startMs: nowMs, state: 'pending', paidMs: NaN, order: 'none' })
    this.#keys.set(key, { basket, session: this.sessions.length - 1 })
    return `session ${this.sessions.length - 1}`
  }
}
