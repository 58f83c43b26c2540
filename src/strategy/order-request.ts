import type { Id } from '../model/id.js'
import { Amount } from '../model/amount.js'
import { Decimal, decimalFromScaled } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { FixedDecimal, Quantity, type Price } from '../model/fixed-decimal.js'
import type { Side } from '../model/side.js'
import type { Writable } from '../model/writable.js'
import type { PlaceEntry } from '../venue/messages.js'
import type { OpeningTerms } from '../venue/venue.js'
import { allowedOfRisk, openWork } from './available-risk.js'
import { amountOf } from './held-position.js'
import type { OrderGrid } from './order-grid.js'
import { foundText } from '../model/fault.js'
import { takesAtOnce, type DiscardReason, type OrderParams } from './order-params.js'
import type { OrderChange } from './order.js'
import type { TradingInstrument } from './trading-instrument.js'

const DEFAULTS = { type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL' } as const

type FieldCheck = (value: unknown) => boolean
const isDecimal: FieldCheck = (value) => value instanceof FixedDecimal
const isText: FieldCheck = (value) => typeof value === 'string'
const isFlag: FieldCheck = (value) => typeof value === 'boolean'
const isRatio: FieldCheck = (value) => typeof value === 'string' || Decimal.isDecimal(value)

/** The values that every field takes, in words; `side` and `quantity` alone are needed. */
const FIELDS: ReadonlyMap<string, readonly [check: FieldCheck, expected: string]> = new Map([
  ['side', [(value) => value === 'BID' || value === 'ASK', "'BID' or 'ASK'"]],
  ['quantity', [isDecimal, "a Quantity, such as instrument.quantity('0.01')"]],
  ['price', [isDecimal, "a Price, such as instrument.price('1.5')"]],
  ['type', [isText, 'an order type']],
  ['timeInForce', [isText, 'a time in force']],
  ['postOnly', [isFlag, 'true or false']],
  ['triggerPrice', [isDecimal, 'a Price']],
  ['pegOffsetValue', [isDecimal, 'a Price']],
  ['displayQuantity', [isDecimal, 'a Quantity']],
  ['minQuantity', [isDecimal, 'a Quantity']],
  ['closeOnly', [isFlag, 'true or false']],
  ['reduceOnly', [isFlag, 'true or false']],
  ['openClose', [(value) => value === 'AUTO' || value === 'OPEN' || value === 'CLOSE', "'AUTO', 'OPEN' or 'CLOSE'"]],
  ['autoBorrow', [isFlag, 'true or false']],
  ['autoRepay', [isFlag, 'true or false']],
  ['baseRiskRatio', [isRatio, 'a decimal from 0 to 1 as text or Decimal']],
  ['counterRiskRatio', [isRatio, 'a decimal from 0 to 1 as text or Decimal']],
  ['useSpare', [isFlag, 'true or false']],
  ['context', [(value) => typeof value === 'object', 'a JSON object']],
])

const NEEDED = ['side', 'quantity'] as const

/**
 * Throws OPTION_INVALID where a field is unknown or holds what it cannot. Nulls and undefined mean the default, but for
 * side and quantity.
 */
export function checkOrderParams(params: OrderParams, isSpot: boolean): void {
  // Who calls without a compiler may hand nothing over.
  const given = ((params as OrderParams | undefined) ?? {}) as { readonly [field: string]: unknown }
  for (const field of NEEDED) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined
    if (value === undefined || value === null) throw fieldError(field, value, FIELDS.get(field)?.[1] ?? '')
  }
  for (const field in given) {
    if (!Object.hasOwn(given, field)) continue
    const value = given[field]
    const rule = FIELDS.get(field)
    if (rule === undefined)
      throw new BacktapeError(
        'OPTION_INVALID',
        `Cannot place an order: ${JSON.stringify(field)} is not a field of OrderParams ` +
          `(${[...FIELDS.keys()].join(', ')})`,
        { field },
      )
    if (value !== undefined && value !== null && !rule[0](value)) throw fieldError(field, value, rule[1])
  }
  ratioOf(params.baseRiskRatio, 'baseRiskRatio')
  if (ratioOf(params.counterRiskRatio, 'counterRiskRatio') !== null && !isSpot) {
    const found = String(params.counterRiskRatio)
    throw new BacktapeError('OPTION_INVALID', 'Cannot place an order: counterRiskRatio is for spot instruments only', {
      field: 'counterRiskRatio', expected: 'null', found,
    })
  }
}

/** The fields that a change of an order may name. */
const CHANGE_FIELDS = ['price', 'quantity', 'triggerPrice', 'pegOffsetValue', 'context']

/**
 * Throws OPTION_INVALID where a change is none, or a field of it is unknown or holds what it cannot; `undefined` means
 * that a field stays.
 */
export function checkOrderChange(verb: 'amend' | 'replace', change: OrderChange): void {
  const given: unknown = change
  const refused = (words: string, field: string): BacktapeError =>
    new BacktapeError('OPTION_INVALID', `Cannot ${verb} an order: ${words}`, { field })
  if (typeof given !== 'object' || given === null)
    throw refused(`it takes an object such as { price: instrument.price('1.5') }, found ${foundText(given)}`, 'change')
  for (const [field, value] of Object.entries(given)) {
    const rule = CHANGE_FIELDS.includes(field) ? FIELDS.get(field) : undefined
    if (rule === undefined)
      throw refused(`${JSON.stringify(field)} is not a field of OrderChange (${CHANGE_FIELDS.join(', ')})`, field)
    if (value !== undefined && !rule[0](value))
      throw refused(`${field} must be ${rule[1]}, found ${foundText(value)}`, field)
  }
}

/** A risk ratio, null where it is not given; throws OPTION_INVALID out of 0 to 1. */
function ratioOf(value: Decimal | string | null | undefined, field: string): Decimal | null {
  if (value === undefined || value === null) return null
  let ratio: Decimal
  try {
    ratio = new Decimal(value)
  } catch {
    throw fieldError(field, value, 'a decimal from 0 to 1')
  }
  if (ratio.gte(0) && ratio.lte(1)) return ratio
  throw fieldError(field, value, 'from 0 to 1')
}

function fieldError(field: string, value: unknown, expected: string): BacktapeError {
  const found = value instanceof FixedDecimal || Decimal.isDecimal(value) ? value.toString() : foundText(value)
  return new BacktapeError('OPTION_INVALID', `Cannot place an order: ${field} must be ${expected}, found ${found}`, {
    field, expected, found,
  })
}

/** The names of an order. */
export interface OrderIdentity {
  readonly ownOrderId: Id
  readonly clientOrderId: Id
}

/** The sources of an order. */
export interface OrderSources {
  readonly newIds: () => OrderIdentity
  /** The venue's terms of opening the instrument; asked for a risk ratio alone. */
  readonly openingTerms: (instrument: TradingInstrument) => OpeningTerms | undefined
}

/**
 * Type, time in force and `postOnly` with their defaults: an order that takes at once is not `postOnly` unless it was
 * written (exchange rules 4.2).
 */
export function kindOf(params: OrderParams): Pick<PlaceEntry, 'type' | 'timeInForce' | 'postOnly'> {
  const type = params.type ?? DEFAULTS.type
  const timeInForce = params.timeInForce ?? DEFAULTS.timeInForce
  return { type, timeInForce, postOnly: params.postOnly ?? !takesAtOnce(type, timeInForce) }
}

/** The terms that an order asks of the venue, or the reason why it is not sent; ids are taken where it is. */
export function placeTerms(
  instrument: TradingInstrument, grid: OrderGrid, params: OrderParams, sources: OrderSources,
): PlaceEntry | DiscardReason {
  const { type, timeInForce, postOnly } = kindOf(params)
  if (postOnly && takesAtOnce(type, timeInForce)) return 'POST_ONLY_TAKES'
  const needsPrice = type === 'LIMIT' || type === 'STOP_LIMIT'
  if (needsPrice && (params.price ?? null) === null) return 'PRICE_MISSING'
  if (type === 'STOP_LIMIT' && (params.triggerPrice ?? null) === null) return 'TRIGGER_PRICE_MISSING'
  const price = params.price === undefined || params.price === null ? null : grid.price(params.price)
  const triggerPrice =
    params.triggerPrice === undefined || params.triggerPrice === null ? undefined : grid.price(params.triggerPrice)
  const pegOffsetValue =
    params.pegOffsetValue === undefined || params.pegOffsetValue === null
      ? undefined
      : grid.offset(params.pegOffsetValue)
  if ((price === null && (params.price ?? null) !== null) || triggerPrice === null || pegOffsetValue === null)
    return 'PRICE_OFF_TICK'
  const wanted = grid.quantity(params.quantity)
  const displayQuantity =
    params.displayQuantity === undefined || params.displayQuantity === null
      ? undefined
      : grid.quantity(params.displayQuantity)
  if (wanted === null || displayQuantity === null) return 'QUANTITY_OFF_LOT'
  const allowed = allowedQuantity(instrument, grid, params, wanted, sources)
  if (allowed === 'RISK_UNKNOWN') return allowed
  const totalQuantity = Math.min(wanted, allowed)
  if (totalQuantity <= 0 || totalQuantity < grid.minimum) return 'MIN_ORDER_SIZE'
  const minQuantity = params.minQuantity ?? null
  if (minQuantity !== null && minQuantity.compare(new Quantity(totalQuantity, grid.quantityScale)) > 0)
    return 'MIN_ORDER_SIZE'
  const { ownOrderId, clientOrderId } = sources.newIds()
  const entry: Writable<PlaceEntry> = {
    ownOrderId, clientOrderId, instrumentId: instrument.id, type, side: params.side, timeInForce, price, totalQuantity,
    postOnly,
  }
  if (displayQuantity !== undefined) entry.displayQuantity = displayQuantity
  if (triggerPrice !== undefined) entry.triggerPrice = triggerPrice
  if (pegOffsetValue !== undefined) entry.pegOffsetValue = pegOffsetValue
  addFlags(entry, params)
  return entry
}

/** Fields that travel only where they say something else than their default. */
function addFlags(entry: Writable<PlaceEntry>, params: OrderParams): void {
  const { openClose, closeOnly, reduceOnly, autoBorrow, autoRepay, useSpare, context } = params
  if (openClose === 'OPEN' || openClose === 'CLOSE') entry.openClose = openClose
  if (closeOnly === true) entry.closeOnly = closeOnly
  if (reduceOnly !== undefined && reduceOnly !== null) entry.reduceOnly = reduceOnly
  if (autoBorrow !== undefined && autoBorrow !== null) entry.autoBorrow = autoBorrow
  if (autoRepay !== undefined && autoRepay !== null) entry.autoRepay = autoRepay
  if (useSpare === true) entry.useSpare = useSpare
  if (context !== undefined && context !== null) entry.context = context
}

/**
 * The most that the risk ratios allow, in whole lots; Infinity where there is none, RISK_UNKNOWN where it cannot be
 * said.
 */
function allowedQuantity(
  instrument: TradingInstrument, grid: OrderGrid, params: OrderParams, wanted: number,
  { openingTerms }: OrderSources,
): number | 'RISK_UNKNOWN' {
  // The venue closes all of the position, whatever is asked for.
  if (params.closeOnly === true) return Infinity
  const base = ratioOf(params.baseRiskRatio, 'baseRiskRatio')
  const counter = ratioOf(params.counterRiskRatio, 'counterRiskRatio')
  if (!instrument.isSpot) {
    if (base === null) return Infinity
    return (
      allowedOfRisk(instrument, grid, params, { ratio: base, wanted, terms: openingTerms(instrument) }) ??
      'RISK_UNKNOWN'
    )
  }
  const { account, master } = instrument
  const ratio = params.side === 'ASK' ? base : counter
  const underlyingId = params.side === 'ASK' ? master.baseUnderlyingId : master.counterUnderlyingId
  if (ratio === null) return Infinity
  if (underlyingId === null) return 'RISK_UNKNOWN'
  const price = params.price ?? instrument.bestAsk?.price
  const available = Decimal.max(
    0, account.available(underlyingId).minus(unstatedWork(instrument, params.side, price ?? null).toDecimal()),
  ).times(ratio)
  const lot = decimalFromScaled(grid.lot, grid.quantityScale)
  if (params.side === 'ASK') return available.divToInt(lot).toNumber() * grid.lot
  if (price === undefined || price.integer <= 0) return 'RISK_UNKNOWN'
  return available.divToInt(price.toDecimal().times(lot)).toNumber() * grid.lot
}

/**
 * The work of the strategy's own orders of one side that the wallet does not know of yet: coins of sales, money of
 * purchases, at `marketPrice` where they have no price.
 */
function unstatedWork(instrument: TradingInstrument, side: Side, marketPrice: Price | null): Amount {
  let sum = Amount.ZERO
  for (const order of openWork(instrument, (quantity) => quantity).orders) {
    if (order.isStated || order.side !== side) continue
    const price = order.price ?? (marketPrice === null ? Amount.ZERO : amountOf(marketPrice))
    sum = sum.plus(side === 'ASK' ? order.quantity : order.quantity.times(price))
  }
  return sum
}
