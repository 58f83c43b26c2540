import { Amount, exactProduct, exactSum } from '../../model/amount.js'
import { BacktapeError } from '../../model/error.js'
import { instrumentName, type Instrument } from '../../model/instrument.js'
import type { OpenClose } from '../../model/order.js'
import type { Side } from '../../model/side.js'
import type { InstrumentDirectory, InstrumentEntry } from '../../venue/venue.js'
import { AccountLoans } from './account-loans.js'
import { emptyAccountPosition, legOf, type AccountPosition, type Leg, type PositionLeg } from './account-position.js'
import { contractFromInstrument, contractValue, isPaidInFull } from '../../model/contract.js'
import { feeOf } from './fees.js'
import { postFill, roundingsState, settlePosition } from '../../model/position-sums.js'
import { bracketOf, marginTermsOf, type MarginTerms } from './margin.js'
import type { AccountConfig, AccountSums } from './account-config.js'

/** The change that a fill made to the money. */
export interface PostedFill {
  readonly fee: Amount
  readonly feeUnderlyingId: number
  readonly realizedPnl: Amount
  readonly value: Amount
  /** The legs in which it counts, and how much of it in each. */
  readonly parts: readonly PostedPart[]
}

/** The part of a fill that counts in one leg. */
interface PostedPart {
  readonly leg: Leg
  readonly amount: Amount
  readonly value: Amount
}

/** A price and a quantity with their scales. */
export interface Execution {
  readonly price: number
  readonly priceScale: number
  readonly quantity: number
  readonly quantityScale: number
}

/** The part of an execution that goes to one leg. */
interface LegExecution {
  readonly amount: Amount
  readonly price: Amount
  readonly value: Amount
  /** Quotients that the value was made of, 1 where it is left out. */
  readonly roundings?: number
}

/** A fee and the underlying in which it is paid. */
export interface StatedFee {
  readonly amount: Amount
  readonly underlyingId: number
}

/** The terms of an execution that differ from the account's usual ones. */
export interface PostingWay {
  /** The word of the order for isolated positions. */
  readonly openClose?: OpenClose | undefined
  /** A leg that is meant whatever the order said. */
  readonly leg?: Leg
  /** A rate of the value in the place of the fee schedule: liquidations. */
  readonly feeRate?: Amount
  /** A fee as the exchange stated it, in the place of both. */
  readonly fee?: StatedFee
}

const ZERO: Amount = Amount.ZERO

/**
 * The money side of one account, exchange side: cash by underlying, positions by instrument, loans and debts. Exact;
 * plain values.
 */
export class Account {
  readonly cash: Map<number, Amount> = new Map()
  readonly positions: Map<number, AccountPosition> = new Map()
  readonly loans: AccountLoans = new AccountLoans()
  /** The losses beyond everything there was, by underlying id (exchange rules 8.3). */
  readonly debts: Map<number, Amount> = new Map()
  /**
   * Funding, interest, dividends and what splits made of untraded coins, by underlying id: what was received less what
   * was paid.
   */
  readonly flows: Map<number, Amount> = new Map()
  /** Clients of which nothing more is taken: an account of theirs has come to 0 (exchange rules 8.6). */
  readonly stopped: Set<string> = new Set()
  /** Empty positions that were only looked at: they are the account's once something is posted. */
  readonly #prospects: Map<number, AccountPosition> = new Map()
  /** Null where the venue's profile has no margin section: then nothing is blocked and nothing liquidated. */
  readonly margin: MarginTerms | null

  constructor(readonly config: AccountConfig) {
    const margin = config.profile?.margin
    this.margin = margin === undefined ? null : marginTermsOf(margin)
    for (const [underlyingId, amount] of config.balances) this.cash.set(underlyingId, Amount.from(amount))
  }

  /** The position in an instrument, made empty where there is none. */
  positionIn(entry: InstrumentEntry): AccountPosition {
    const position = this.prospect(entry)
    if (this.positions.has(entry.instrument.id)) return position
    this.positions.set(entry.instrument.id, position)
    this.#prospects.delete(entry.instrument.id)
    return position
  }

  /** The same, to be looked at alone: an account that never traded an instrument has no position there. */
  prospect(entry: InstrumentEntry): AccountPosition {
    const { instrument } = entry
    const known = this.positions.get(instrument.id) ?? this.#prospects.get(instrument.id)
    if (known !== undefined) return known
    if (instrument.exchangeCode !== this.config.exchangeCode) {
      throw new BacktapeError(
        'OPTION_INVALID',
        `Cannot trade ${instrumentName(instrument)} on account ${this.config.accountId}: it belongs ` +
          `to ${this.config.exchangeCode}`,
        {
          field: 'account', expected: instrument.exchangeCode, found: this.config.exchangeCode,
        },
      )
    }
    const position = emptyAccountPosition(
      entry, contractFromInstrument(instrument, { isPrediction: this.#isPrediction(instrument) }),
    )
    this.#prospects.set(instrument.id, position)
    return position
  }

  #isPrediction({ id, type }: Instrument): boolean {
    return (
      type === 'perpetual' && (this.config.profile?.kind === 'prediction' || this.config.predictions?.has(id) === true)
    )
  }

  /** Cash of an underlying; 0 where there never was any. */
  cashOf(underlyingId: number): Amount {
    return this.cash.get(underlyingId) ?? ZERO
  }

  /**
   * Posts an execution: position, profit or exchange of assets, fee. What a closing leg cannot take opens the net
   * position.
   */
  post(entry: InstrumentEntry, side: Side, execution: Execution, isMaker: boolean, way: PostingWay = {}): PostedFill {
    const position = this.positionIn(entry)
    const { contract } = position
    const amount = Amount.scaled(execution.quantity, execution.quantityScale)
    const at = Amount.scaled(execution.price, execution.priceScale)
    const value = contractValue(contract, amount, at)
    let realizedPnl = ZERO
    let left = value
    const parts: PostedPart[] = []
    for (const { leg, amount: part } of this.#parts(position, side, amount, way)) {
      // Rounded for the closed part alone: what opens is worth the rest.
      const marketValue = part === amount || leg === 'net' || part.eq(amount) ? left : contractValue(contract, part, at)
      const roundings = left === value ? 1 : 2
      left = left.minus(marketValue)
      parts.push({ leg, amount: part, value: marketValue })
      const pnl = this.#postLeg(position, leg, side, { amount: part, price: at, value: marketValue, roundings })
      realizedPnl = exactSum(realizedPnl, pnl, 'realised profit')
    }
    if (isPaidInFull(contract)) {
      const sign = side === 'BID' ? 1 : -1
      if (contract.kind === 'spot')
        this.add(contract.baseUnderlyingId ?? contract.settlementUnderlyingId, amount.signed(sign))
      this.add(contract.settlementUnderlyingId, value.signed(-sign))
    } else this.add(contract.settlementUnderlyingId, realizedPnl)
    const feeUnderlyingId = way.fee?.underlyingId ?? (way.feeRate === undefined
      ? (entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId)
      : contract.settlementUnderlyingId)
    const fee = way.fee?.amount ?? (way.feeRate !== undefined
      ? exactProduct(way.feeRate, value.abs(), 'a fee')
      : feeOf(this.config.fees, position, { side, isMaker, quantity: amount, value }))
    this.charge(position, feeUnderlyingId, fee)
    return { fee, feeUnderlyingId, realizedPnl, value, parts }
  }

  /** Changes the cash of an underlying. */
  add(underlyingId: number, amount: Amount): void {
    this.cash.set(underlyingId, exactSum(this.cashOf(underlyingId), amount, 'cash'))
  }

  /** Changes cash by what is neither trade nor fee: funding, a dividend. */
  flow(underlyingId: number, amount: Amount): void {
    this.add(underlyingId, amount)
    this.flows.set(underlyingId, exactSum(this.flows.get(underlyingId) ?? ZERO, amount, 'a flow of cash'))
  }

  /** Takes a fee, of a fill or of anything else, from the cash of an underlying, and counts it at the position. */
  charge(position: AccountPosition, underlyingId: number, fee: Amount): void {
    this.add(underlyingId, fee.negated())
    position.fees.set(underlyingId, exactSum(position.fees.get(underlyingId) ?? ZERO, fee, 'fees'))
  }

  /** An hour of interest on what is borrowed of an underlying: it is owed, cash stays. */
  accrue(underlyingId: number, yearlyRate: Amount): Amount {
    const interest = this.loans.accrue(underlyingId, yearlyRate)
    this.flows.set(underlyingId, exactSum(this.flows.get(underlyingId) ?? ZERO, interest.negated(), 'interest'))
    return interest
  }

  /** Isolated margin in an underlying: the part of its cash that stands behind isolated positions. */
  isolatedMargin(underlyingId: number): Amount {
    let sum = ZERO
    if (this.margin === null) return sum
    for (const { contract, legs } of this.positions.values()) {
      if (contract.settlementUnderlyingId === underlyingId)
        for (const { margin } of legs.values()) sum = sum.plus(margin)
    }
    return sum
  }

  /**
   * Closes every leg of a position at the price at which its contract settled; returns the profit in the settlement
   * underlying.
   */
  settle(position: AccountPosition, price: Amount): Amount {
    const { contract, sums } = position
    let profit = ZERO
    for (const held of position.legs.values()) {
      if (isPaidInFull(contract))
        this.add(contract.settlementUnderlyingId, contractValue(contract, held.sums.quantity, price))
      const own = settlePosition(contract, held.sums, price)
      if (held.sums !== sums) this.#count(position, held, own, ZERO)
      held.margin = ZERO
      profit = profit.plus(own)
    }
    if (!isPaidInFull(contract)) this.add(contract.settlementUnderlyingId, profit)
    return profit
  }

  /**
   * Closes a part of a leg at a price that no order met, without a fee: fractions of a split. Its isolated margin is
   * free. Returns what it brought in cash.
   */
  closePart(position: AccountPosition, leg: Leg, side: Side, amount: Amount, price: Amount): Amount {
    const { contract } = position
    const value = contractValue(contract, amount, price)
    const pnl = this.#postLeg(position, leg, side, { amount, price, value })
    const sign = side === 'BID' ? 1 : -1
    if (contract.kind === 'spot')
      this.add(contract.baseUnderlyingId ?? contract.settlementUnderlyingId, amount.signed(sign))
    const brought = isPaidInFull(contract) ? value.signed(-sign) : pnl
    this.add(contract.settlementUnderlyingId, brought)
    return brought
  }

  /** A leg that a split has rounded to nothing: what was paid for it is lost. */
  writeOff({ contract, sums }: AccountPosition, held: PositionLeg): void {
    if (isPaidInFull(contract)) sums.realizedPnl = sums.realizedPnl.minus(held.sums.openValue)
    held.sums.quantity = ZERO
    held.sums.openValue = ZERO
    held.sums.roundings = 0
    held.margin = ZERO
  }

  /**
   * Turns what is missing of an underlying into a debt (exchange rules 8.3): what isolated positions have is theirs.
   * Returns the shortfall, 0 where there is none.
   */
  owe(underlyingId: number): Amount {
    return this.oweAmount(underlyingId, this.isolatedMargin(underlyingId).minus(this.cashOf(underlyingId)))
  }

  /** Turns an amount that the wallet does not stand for into a debt; returns it, 0 where it is not above 0. */
  oweAmount(underlyingId: number, shortfall: Amount): Amount {
    if (shortfall.sign <= 0) return ZERO
    this.add(underlyingId, shortfall)
    this.debts.set(underlyingId, (this.debts.get(underlyingId) ?? ZERO).plus(shortfall))
    return shortfall
  }

  /** The account as plain data: decimals are texts. */
  state(): AccountSums {
    const texts = (map: ReadonlyMap<number, Amount>): (readonly [number, string])[] =>
      [...map].map(([id, amount]) => [id, amount.toFixed()])
    return {
      cash: texts(this.cash),
      debts: texts(this.debts),
      flows: texts(this.flows),
      loans: this.loans.state(),
      stopped: [...this.stopped],
      positions: [...this.positions].map(([instrumentId, { sums, legs, fees }]) => ({
        instrumentId,
        realizedPnl: sums.realizedPnl.toFixed(),
        turnover: sums.turnover.toFixed(),
        legs: [...legs].map(([leg, held]) => ({
          leg, quantity: held.sums.quantity.toFixed(), openValue: held.sums.openValue.toFixed(),
          margin: held.margin.toFixed(), ...roundingsState(held.sums),
        })),
        fees: texts(fees),
      })),
    }
  }

  restore(state: AccountSums, instruments: InstrumentDirectory): void {
    for (const [map, saved] of [
      [this.cash, state.cash], [this.debts, state.debts], [this.flows, state.flows],
    ] as const) {
      map.clear()
      for (const [id, amount] of saved) map.set(id, Amount.from(amount))
    }
    this.loans.restore(state.loans)
    for (const clientId of state.stopped) this.stopped.add(clientId)
    this.positions.clear()
    for (const { instrumentId, realizedPnl, turnover, legs, fees } of state.positions) {
      const entry = instruments.get(instrumentId)
      if (entry === undefined)
        throw new BacktapeError(
          'OPTION_INVALID', `Cannot restore a position: no instrument has the id ${instrumentId}`,
          { field: 'instrumentId' },
        )
      const position = this.positionIn(entry)
      for (const saved of legs) {
        const held = legOf(position, saved.leg)
        Object.assign(held.sums, {
          quantity: Amount.from(saved.quantity), openValue: Amount.from(saved.openValue),
          roundings: saved.roundings ?? 0,
        })
        held.margin = Amount.from(saved.margin)
      }
      Object.assign(position.sums, { realizedPnl: Amount.from(realizedPnl), turnover: Amount.from(turnover) })
      for (const [id, fee] of fees) position.fees.set(id, Amount.from(fee))
    }
  }

  /**
   * Which legs an execution changes, and by how much. OPEN BID and CLOSE ASK mean the isolated long position, OPEN ASK
   * and CLOSE BID the short one; AUTO the net one, but an isolated position on the other side is closed first.
   */
  #parts(
    position: AccountPosition, side: Side, amount: Amount, { leg, openClose }: PostingWay,
  ): Omit<PostedPart, 'value'>[] {
    if (leg === undefined && openClose === 'OPEN') return [{ leg: side === 'BID' ? 'long' : 'short', amount }]
    if (leg === 'net' || (leg === undefined && openClose !== 'CLOSE' && position.legs.size === 1))
      return [{ leg: 'net', amount }]
    const closing = leg ?? (side === 'BID' ? 'short' : 'long')
    const closed = Amount.min(amount, position.legs.get(closing)?.sums.quantity.abs() ?? ZERO)
    const parts: Omit<PostedPart, 'value'>[] = [
      { leg: closing, amount: closed }, { leg: 'net', amount: amount.minus(closed) },
    ]
    return parts.filter((part) => part.amount.sign > 0)
  }

  #postLeg(
    position: AccountPosition, leg: Leg, side: Side,
    { amount, price, value, roundings = 1 }: LegExecution,
  ): Amount {
    const held = legOf(position, leg)
    const { quantity, openValue, turnover } = held.sums
    const pnl = postFill(position.contract, held.sums, side, amount, price, value, roundings)
    if (held.sums !== position.sums) this.#count(position, held, pnl, held.sums.turnover.minus(turnover))
    if (this.margin?.isIsolated(leg) === true) this.#isolatedMargin(position, held, quantity, openValue, this.margin)
    return pnl
  }

  /** Profit and turnover of an isolated leg are the instrument's. */
  #count({ sums }: AccountPosition, held: PositionLeg, pnl: Amount, turnover: Amount): void {
    held.sums.realizedPnl = ZERO
    held.sums.turnover = ZERO
    sums.realizedPnl = sums.realizedPnl.plus(pnl)
    sums.turnover = sums.turnover.plus(turnover)
  }

  /**
   * Margin of an isolated leg after a fill: what opened takes the initial margin of its value, what closed frees its
   * share.
   */
  #isolatedMargin(
    { entry, contract }: AccountPosition, held: PositionLeg, quantityBefore: Amount, valueBefore: Amount,
    terms: MarginTerms,
  ): void {
    const { quantity, openValue } = held.sums
    if (isPaidInFull(contract)) return
    const isSameSide =
      !quantity.isZero() && !quantityBefore.isZero() && quantity.sign > 0 === quantityBefore.sign > 0
    if (isSameSide && quantity.abs().lt(quantityBefore.abs())) {
      held.margin = held.margin.times(quantity.abs()).quotient(quantityBefore.abs())
      return
    }
    const opened = isSameSide ? openValue.minus(valueBefore).abs() : openValue.abs()
    const rate = bracketOf(terms.bracketsOf(entry.instrument), openValue)?.initialRate ?? ZERO
    held.margin = (isSameSide ? held.margin : ZERO).plus(opened.times(rate))
  }
}

/** True where an account's balances are its bounds: they were declared, and nothing says that nobody looks at them. */
export function isHeld({ config }: Account): boolean {
  return config.balances.size > 0 && config.checks !== 'none'
}

/** True where an account holds anything of an instrument. */
export function isHolding(account: Account, instrumentId: number): boolean {
  const position = account.positions.get(instrumentId)
  if (position === undefined) return false
  for (const { sums } of position.legs.values()) if (!sums.quantity.isZero()) return true
  return false
}
