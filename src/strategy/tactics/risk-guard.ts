import { Decimal } from '../../model/decimal.js'
import type { Quantity } from '../../model/fixed-decimal.js'
import { NS_PER_DAY, NS_PER_MS } from '../../model/time.js'
import type { DiscardReason } from '../order-params.js'
import type { Order } from '../order.js'
import { Tactic, type AskedOrder, type SavedTactic, type TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { OrderSlot, type SavedSlot } from './order-slot.js'
import { Alarm } from './slot-tactic.js'
import { isTooSmall, TacticOptions, tacticRefusal } from './tactic-option.js'
import { endsByItself, exposureOf, takesStill, takingOrder } from './taking-order.js'

/** Limits of a risk guard: at least one. */
export interface RiskGuardOptions {
  /** Greatest position of each instrument, long or short, open orders of the side included. Of spot: `netTraded`. */
  readonly maxPosition?: Quantity | string
  /**
   * Greatest fall of `account.equity` since its first value of the UTC day, as a decimal text or a Decimal, in the
   * underlying of the equity. Needs instruments of one account.
   */
  readonly maxLossOfDay?: Decimal | string
  /** Most orders that are asked for within a second, replacements included. */
  readonly maxOrdersPerSecond?: number
  /**
   * `refuse` (default): an order that would pass a limit is discarded. `flatten`: it is discarded too, and every order
   * of the strategy on the instruments is cancelled, every position closed; nothing else passes for the rest of the
   * day.
   */
  readonly action?: 'refuse' | 'flatten'
  /** Milliseconds between two looks at the loss; default 1,000. It is also looked at with every order and fill. */
  readonly checkMs?: number
}

/** Cancels that failed are asked for again after so long. */
const RETRY_NS = 100 * NS_PER_MS

/** A flattening as a checkpoint holds it. */
interface SavedFlattening {
  readonly asked: readonly (readonly [ownOrderId: string, againNs: number])[]
  readonly slot: SavedSlot
}

/** Cancels every order of the strategy on one instrument, then closes its position. */
class Flattening {
  readonly #slot: OrderSlot
  /** When each cancel may be asked for again; Infinity while its answer is awaited. */
  readonly #asked: Map<string, number> = new Map()

  constructor(readonly instrument: TradingInstrument, private readonly host: TacticHost) {
    this.#slot = new OrderSlot(instrument, host, 100)
  }

  /** Sends the next step. */
  tend(): void {
    const nowNs = this.host.nowNs()
    const own = this.#slot.order
    const others = this.instrument.openOrders.filter((order) => order !== own)
    for (const id of this.#asked.keys()) if (!others.some(({ ownOrderId }) => ownOrderId === id)) this.#asked.delete(id)
    for (const order of others) {
      if (nowNs < (this.#asked.get(order.ownOrderId) ?? 0)) continue
      this.#asked.set(order.ownOrderId, Infinity)
      order.cancel()
    }
    if (others.length > 0 || !this.#slot.isReady) return
    if (own !== null) {
      if (!endsByItself(own) && !takesStill(this.instrument, own)) this.#slot.cancel()
    } else this.#close()
  }

  onOrder(order: Order): void {
    this.#slot.onOrder(order)
  }

  onError(order: Order): void {
    this.#slot.onError(order)
    if (this.#asked.has(order.ownOrderId)) this.#asked.set(order.ownOrderId, this.host.nowNs() + RETRY_NS)
  }

  /** When something may be tried again. */
  timesNs(): readonly number[] {
    return [this.#slot.retryNs, ...this.#asked.values()]
  }

  save(): SavedFlattening {
    // JSON has no Infinity.
    return { asked: [...this.#asked].map(([id, ns]) => [id, ns === Infinity ? -1 : ns]), slot: this.#slot.save() }
  }

  restore(saved: SavedFlattening): void {
    this.#asked.clear()
    for (const [id, ns] of saved.asked) this.#asked.set(id, ns === -1 ? Infinity : ns)
    this.#slot.restore(saved.slot)
  }

  #close(): void {
    const { instrument } = this
    const { held, bids, asks } = exposureOf(instrument, this.host)
    if (bids.sign > 0 || asks.sign > 0) return
    const quantity = instrument.roundQuantity(held.abs(), 'down')
    if (quantity.sign <= 0 || isTooSmall(instrument, quantity)) return
    const params = takingOrder(instrument, this.host, {
      side: held.sign > 0 ? 'ASK' : 'BID', quantity, price: null, isReducing: !instrument.isSpot,
    })
    if (params !== null) this.#slot.place(params)
  }
}

interface GuardState {
  reason: DiscardReason | null
  day: number
  /** At the begin of the day. */
  equity: Decimal | null
  /** Times of the orders of the last second. */
  times: number[]
  checkedNs: number
}

type SavedGuard = Omit<GuardState, 'equity'> & {
  readonly equity: string | null
  readonly dueNs: number | null
  readonly flattenings: readonly SavedFlattening[]
}

const SECOND_NS = 1_000_000_000

/**
 * Limits that orders of the strategy on some instruments cannot pass, those of other tactics included: an order that
 * would is discarded with its reason (`RISK_POSITION`, `RISK_LOSS`, `RISK_ORDER_RATE`). At the limit of the loss,
 * orders that only bring a position nearer to 0 still pass; where the equity is not known, those alone do. An amendment
 * that would pass a limit fails with `onOrderError`. With `flatten` all is cancelled and closed, at the limit of the
 * loss and beyond that of the position without an order too; then everything is discarded as `RISK_FLATTENED` until the
 * next UTC day.
 *
 * @example
 * ```ts
 * import { Parameter, RiskGuard, Strategy, TradingInstrument } from 'backtape'
 * class Guarded extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   guard!: RiskGuard
 *   override onStart(): void {
 *     this.guard = new RiskGuard(this.instrument, { maxPosition: '1', maxLossOfDay: '500', action: 'flatten' })
 *   }
 * }
 * console.log(Guarded.name)
 * ```
 */
export class RiskGuard extends Tactic {
  readonly #maxPosition: Quantity | null
  readonly #maxLoss: Decimal | null
  readonly #maxOrders: number
  readonly #action: 'refuse' | 'flatten'
  readonly #checkNs: number
  readonly #alarm: Alarm
  readonly #flattenings: readonly Flattening[]
  #isSending = false
  #state: GuardState = { reason: null, day: -1, equity: null, times: [], checkedNs: 0 }

  /** Throws OPTION_INVALID. */
  constructor(instruments: TradingInstrument | readonly TradingInstrument[], options: RiskGuardOptions) {
    super('RiskGuard', [instruments].flat())
    const [first] = this.instruments as [TradingInstrument]
    const check = new TacticOptions(this.label, first)
    const { maxPosition, maxLossOfDay, maxOrdersPerSecond, action = 'refuse', checkMs = 1_000 } = options
    check.fields(options, ['maxPosition', 'maxLossOfDay', 'maxOrdersPerSecond', 'action', 'checkMs'])
    if (maxPosition === undefined && maxLossOfDay === undefined && maxOrdersPerSecond === undefined)
      throw tacticRefusal(this.label, 'options', 'maxPosition, maxLossOfDay or maxOrdersPerSecond', options)
    this.#maxPosition = maxPosition === undefined ? null : check.quantity('maxPosition', maxPosition)
    if (this.#maxPosition !== null && this.#maxPosition.sign < 0)
      throw tacticRefusal(this.label, 'maxPosition', '0 or above', this.#maxPosition)
    this.#maxLoss = maxLossOfDay === undefined ? null : lossOf(this.label, maxLossOfDay)
    if (this.#maxLoss !== null && this.instruments.some(({ account }) => account !== first.account))
      throw tacticRefusal(this.label, 'maxLossOfDay', 'of one account', 'instruments of several')
    this.#maxOrders =
      maxOrdersPerSecond === undefined ? Infinity : check.number('maxOrdersPerSecond', maxOrdersPerSecond, 1, true)
    this.#action = check.word('action', action, ['refuse', 'flatten'])
    this.#checkNs = Math.round(check.number('checkMs', checkMs, 1) * NS_PER_MS)
    this.#alarm = new Alarm(this, this.host)
    this.#flattenings = this.instruments.map((instrument) => new Flattening(instrument, this.host))
    if (this.host.isResuming) return
    for (const instrument of this.instruments) if (this.#action === 'flatten') this.host.watch(instrument, 'touch')
    this.#look()
  }

  /** The reason for which it has flattened; null while it has not. */
  get flattened(): DiscardReason | null {
    return this.#state.reason
  }

  /** Fall of the equity since its first value of the UTC day, below 0 a gain; null where it is not known. */
  get lossOfDay(): Decimal | null {
    const { equity } = this.#first.account
    return equity === null || this.#state.equity === null ? null : this.#state.equity.minus(equity)
  }

  /** Lets orders pass again after it has flattened; the loss counts from now on. */
  reset(): void {
    if (this.host.isResuming) return
    this.#state.reason = null
    this.#state.equity = this.#first.account.equity
    this.#look()
  }

  /** The reason for which an order would pass a limit; null where it does not. */
  override refusal(instrument: TradingInstrument, asked: AskedOrder): DiscardReason | null {
    if (this.#isSending || !this.instruments.includes(instrument)) return null
    this.#beginDay()
    if (this.#state.reason !== null) return 'RISK_FLATTENED'
    const reason = this.#judge(instrument, asked)
    const isKnown = reason !== 'RISK_LOSS' || this.#isLost()
    if (reason !== null && this.#action === 'flatten' && isKnown) this.#flatten(reason)
    return reason
  }

  /** Called by the runtime. */
  override onFill(): void {
    this.#look()
  }

  /** Called by the runtime. */
  override onPosition(): void {
    this.#look()
  }

  /** Called by the runtime. */
  override onTouch(): void {
    if (this.#state.reason !== null) this.#tend()
  }

  /** Called by the runtime. */
  override onOrder(order: Order): void {
    for (const flattening of this.#flattenings) flattening.onOrder(order)
    if (this.#state.reason !== null) this.#tend()
  }

  /** Called by the runtime. */
  override onError(order: Order): void {
    for (const flattening of this.#flattenings) flattening.onError(order)
    if (this.#state.reason !== null) this.#tend()
  }

  /** Called by the runtime. */
  override onTimer(): void {
    this.#alarm.rang()
    this.#look()
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    const { reason, day, equity, times, checkedNs } = this.#state
    return {
      reason, day, equity: equity?.toFixed() ?? null, times: [...times], checkedNs, dueNs: this.#alarm.save(),
      flattenings: this.#flattenings.map((one) => one.save()),
    }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    const { equity, times, dueNs, flattenings, ...rest } = saved as unknown as SavedGuard
    this.#state = { ...rest, equity: equity === null ? null : new Decimal(equity), times: [...times] }
    this.#alarm.restore(dueNs)
    for (const [at, one] of flattenings.entries()) this.#flattenings[at]?.restore(one)
  }

  get #first(): TradingInstrument {
    return this.instruments[0] as TradingInstrument
  }

  #judge(instrument: TradingInstrument, { side, quantity, isNew, isReducing }: AskedOrder): DiscardReason | null {
    const nowNs = this.host.nowNs()
    this.#state.times = this.#state.times.filter((timeNs) => timeNs > nowNs - SECOND_NS)
    if (isNew && this.#state.times.length >= this.#maxOrders) return 'RISK_ORDER_RATE'
    if (!isReducing && quantity.sign > 0) {
      const { held, bids, asks } = exposureOf(instrument, this.host)
      const worst = side === 'BID' ? held.plus(bids).plus(quantity) : held.minus(asks).minus(quantity)
      const towards = side === 'BID' ? worst : worst.negated()
      if (this.#maxPosition !== null && towards.compare(this.#maxPosition) > 0) return 'RISK_POSITION'
      if (towards.sign > 0 && this.#maxLoss !== null && (this.lossOfDay === null || this.#isLost())) return 'RISK_LOSS'
    }
    if (isNew && this.#maxOrders !== Infinity) this.#state.times.push(nowNs)
    return null
  }

  #isLost(): boolean {
    return this.#maxLoss !== null && this.lossOfDay?.gte(this.#maxLoss) === true
  }

  /** Looks at position and loss, and when to look again. */
  #look(): void {
    this.#beginDay()
    if (this.#state.reason === null && this.#action === 'flatten') {
      const most = this.#maxPosition
      if (most !== null && this.instruments.some((one) => exposureOf(one, this.host).held.abs().compare(most) > 0))
        this.#flatten('RISK_POSITION')
      else if (this.#isLost()) this.#flatten('RISK_LOSS')
    }
    this.#tend()
  }

  #beginDay(): void {
    const day = Math.floor(this.host.nowNs() / NS_PER_DAY)
    if (day !== this.#state.day) [this.#state.day, this.#state.equity, this.#state.reason] = [day, null, null]
    this.#state.equity ??= this.#maxLoss === null ? null : this.#first.account.equity
  }

  #flatten(reason: DiscardReason): void {
    this.#state.reason = reason
    this.#tend()
  }

  #tend(): void {
    const nowNs = this.host.nowNs()
    if (this.#state.reason !== null) {
      this.#isSending = true
      for (const flattening of this.#flattenings) flattening.tend()
      this.#isSending = false
    }
    if (nowNs >= this.#state.checkedNs + this.#checkNs) this.#state.checkedNs = nowNs
    this.#alarm.setEarliest([
      ...(this.#maxLoss === null ? [] : [this.#state.checkedNs + this.#checkNs]),
      ...(this.#state.reason === null ? [] : this.#flattenings.flatMap((one) => one.timesNs())),
    ])
  }
}

function lossOf(label: string, value: unknown): Decimal {
  const expected = 'a decimal above 0'
  let loss: Decimal
  try {
    loss = new Decimal(value as Decimal | string)
  } catch {
    throw tacticRefusal(label, 'maxLossOfDay', expected, value)
  }
  if (typeof value === 'number' || !loss.isFinite() || !loss.gt(0))
    throw tacticRefusal(label, 'maxLossOfDay', `${expected} as a text or a Decimal`, value)
  return loss
}
