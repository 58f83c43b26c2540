import type { OrderReport } from '../model/order.js'
import type { FieldsOf } from './field-units.js'
import type { AmendEntry, PlaceEntry, ReplaceEntry } from './messages.js'
import type { Capabilities } from './account-messages.js'

/** The messages in which an attribute of an order may stand. */
interface OrderTexts {
  readonly place: PlaceEntry
  readonly amend: AmendEntry
  readonly replace: ReplaceEntry
  readonly report: OrderReport
}

/** Fields that name an order or state its progress are no attributes: nobody asks for it. */
type Naming =
  | 'ownOrderId' | 'clientOrderId' | 'exchangeOrderId' | 'instrumentId' | 'currentClientOrderId' | 'newClientOrderId'
  | 'currentOwnOrderId' | 'newOwnOrderId' | 'state' | 'executedQuantity' | 'exchangeTimeNs' | 'triggered' | 'error'

type Name = Exclude<{ [T in keyof OrderTexts]: keyof OrderTexts[T] }[keyof OrderTexts], Naming>

/** `must` where a message always has it, `may` where it can be left out. */
type Stands<M, A> = A extends keyof M ? (undefined extends M[A] ? 'may' : 'must') : 'no'

type Units = FieldsOf<PlaceEntry & OrderReport>

/** A capability, or an order type that an adapter takes: stop orders, pegged orders. */
export type AttributeNeed =
  | keyof Pick<Capabilities, 'displayQuantity' | 'closeOnly' | 'reduceOnly' | 'availableBorrow' | 'spare'>
  | 'trigger'
  | 'peg'

type Attribute<A extends Name> = { readonly unit: Units[A] } & {
  readonly [T in keyof OrderTexts]: Stands<OrderTexts[T], A>
} & {
  /** The capability without which an adapter refuses it; left out where every adapter takes it. */
  readonly needs?: AttributeNeed
}

/**
 * Every attribute of an order (spec 2): its unit, the messages in which it must or may stand, and the capability that
 * it needs. The journal's lines, the adapter's refusals, replacements and docs/reference/orders.md are made from it.
 * An attribute of a message without a row here does not compile, nor does a row that says something else than the
 * message. The hot path names attributes by hand: the copies in `order-making`, `order-engine` and `order-admission`,
 * and the refusals in `adapter-checks`, which a test compares with this table.
 */
export const ORDER_ATTRIBUTES: { readonly [A in Name]: Attribute<A> } = {
  type: { unit: 'word', place: 'must', amend: 'no', replace: 'no', report: 'must' },
  side: { unit: 'word', place: 'must', amend: 'no', replace: 'no', report: 'must' },
  timeInForce: { unit: 'word', place: 'must', amend: 'no', replace: 'no', report: 'must' },
  price: { unit: 'price', place: 'must', amend: 'may', replace: 'may', report: 'must' },
  totalQuantity: { unit: 'quantity', place: 'must', amend: 'may', replace: 'may', report: 'must' },
  postOnly: { unit: 'flag', place: 'must', amend: 'no', replace: 'no', report: 'must' },
  displayQuantity: {
    unit: 'quantity', place: 'may', amend: 'no', replace: 'no', report: 'may', needs: 'displayQuantity',
  },
  triggerPrice: { unit: 'price', place: 'may', amend: 'may', replace: 'may', report: 'may', needs: 'trigger' },
  pegOffsetValue: { unit: 'price', place: 'may', amend: 'may', replace: 'no', report: 'may', needs: 'peg' },
  openClose: { unit: 'word', place: 'may', amend: 'no', replace: 'no', report: 'may' },
  walletType: { unit: 'word', place: 'may', amend: 'no', replace: 'no', report: 'may' },
  closeOnly: { unit: 'flag', place: 'may', amend: 'no', replace: 'no', report: 'may', needs: 'closeOnly' },
  reduceOnly: { unit: 'flag', place: 'may', amend: 'no', replace: 'no', report: 'may', needs: 'reduceOnly' },
  autoBorrow: { unit: 'flag', place: 'may', amend: 'no', replace: 'no', report: 'no', needs: 'availableBorrow' },
  autoRepay: { unit: 'flag', place: 'may', amend: 'no', replace: 'no', report: 'no', needs: 'availableBorrow' },
  useSpare: { unit: 'flag', place: 'may', amend: 'no', replace: 'no', report: 'no', needs: 'spare' },
  owner: { unit: 'json', place: 'may', amend: 'no', replace: 'no', report: 'may' },
  context: { unit: 'json', place: 'may', amend: 'may', replace: 'may', report: 'may' },
}

type In<T extends keyof OrderTexts> = Extract<Name, keyof OrderTexts[T]>

/** The attributes that stand in a message, in the order of {@link ORDER_ATTRIBUTES}. */
export function attributesIn<T extends keyof OrderTexts>(text: T): readonly In<T>[] {
  return (Object.keys(ORDER_ATTRIBUTES) as Name[]).filter((name) => ORDER_ATTRIBUTES[name][text] !== 'no') as In<T>[]
}

/** Their units. */
export function attributeFields<T extends keyof OrderTexts>(text: T): Pick<Units, In<T>> {
  return Object.fromEntries(attributesIn(text).map((name) => [name, ORDER_ATTRIBUTES[name].unit])) as Pick<Units, In<T>>
}
