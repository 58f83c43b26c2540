import { RowReader } from '../../files/row-reader.js'
import type { ShopRecord } from '../../protocol/shop/shop-states.js'
import type { ShopMachineName, ShopState } from '../../protocol/shop/shop-transitions.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'

/** A state with its times, as the store keeps it. */
export type StoredRecord<Name extends ShopMachineName> = ShopRecord<ShopState<Name> & string>

/** A day of a basket or of an order, as it was when it was asked for. */
export interface StoredItem {
  readonly kind: 'tick' | 'series_day'
  /** Of a bundle day its `bundle_id`. */
  readonly instrumentId: number
  readonly date: string
  readonly code: string
  readonly exchangeCode: string
  readonly type: string
  readonly bytes: number
  readonly priceCents: number
}

/** A checkout session. */
export interface StoredSession {
  readonly sessionId: string
  /** The order that its payment makes. */
  readonly orderId: string
  /** The name of the account that is signed in; null: a guest. */
  readonly account: string | null
  readonly email: string
  readonly successUrl: string
  readonly cancelUrl: string
  readonly totalCents: number
  readonly record: StoredRecord<'session'>
}

/** A paid order; it starts when it is paid. */
export interface StoredOrder {
  readonly orderId: string
  readonly sessionId: string
  readonly account: string | null
  readonly totalCents: number
  readonly record: StoredRecord<'guestOrder'>
}

/** A checkout that was answered. */
export interface StoredKey {
  readonly key: string
  /** SHA-256 of the basket. */
  readonly digest: string
  readonly sessionId: string
  /** The body of the 201, as JSON. */
  readonly answer: string
}

/** The state of a day of an instrument that is another than time alone gives it. */
export interface StoredDay {
  readonly instrumentId: number
  readonly date: string
  readonly record: StoredRecord<'dayFile'>
}

/** Reads the columns of a row of a shop's store. */
export class ShopRowReader extends RowReader {
  kind(): StoredItem['kind'] {
    const kind = this.text('kind')
    return kind === 'tick' || kind === 'series_day' ? kind : this.refuse('kind')
  }

  record<Name extends ShopMachineName>(name: Name): StoredRecord<Name> {
    const state = this.text('state')
    const words: object = SHOP.machines[name].shown
    if (!isState(name, state, words)) return this.refuse('state')
    return { state, startMs: this.integer('start_ms'), sinceMs: this.integer('since_ms') }
  }
}

function isState<Name extends ShopMachineName>(
  _name: Name, state: string, words: object,
): state is ShopState<Name> & string {
  return Object.hasOwn(words, state)
}
