import { join } from 'node:path'
import { changeSecretFile, readSecretFile } from '../../files/secret-file-writer.js'
import { BacktapeError } from '../../model/error.js'
import type { StopSignal } from '../../model/stop-signal.js'
import {
  ORDERS_MAX, recordsOf, recordsOfShop, recordsText, withCheckout, withOrder, withoutCheckout, type AllRecords,
  type CheckoutRecord, type OrderRecord, type SessionRecord, type ShopRecords,
} from './shop-records.js'

/** The file of keys, sessions and tokens in the folder of the user's configuration. */
const STORE_NAME = 'shops.json'

/** A change of the records of a shop. */
interface RecordsChange<T> {
  /** Null: nothing changes. */
  readonly records: ShopRecords | null
  readonly result: T
}

/**
 * The keys, sessions and tokens of one shop, in a file for the user alone. What a function wrote is on the disk when it
 * resolves. Throws SECRETS_EXPOSED, FILE_UNREADABLE, LIMIT_EXCEEDED, OUTPUT_FAILED.
 */
export class ShopStore {
  readonly #path: string
  readonly #shop: string

  constructor(folder: string, shop: URL) {
    this.#path = join(folder, STORE_NAME)
    this.#shop = shop.origin + shop.pathname.replace(/\/+$/, '')
  }

  /** Everything that is kept of the shop, oldest first. */
  async records(): Promise<ShopRecords> {
    return recordsOfShop(this.#parsed(await readSecretFile(this.#path)), this.#shop)
  }

  /** The checkout of a basket that was begun before, else the one given, which is kept now. */
  begun(checkout: CheckoutRecord, signal?: StopSignal): Promise<CheckoutRecord> {
    return this.#change((records) => {
      const before = records.checkouts.find(({ basket }) => basket === checkout.basket)
      if (before !== undefined) return { records: null, result: before }
      return { records: withCheckout(records, checkout), result: checkout }
    }, signal)
  }

  /** Keeps the session of a checkout. */
  async keepSession(checkout: CheckoutRecord, session: SessionRecord): Promise<CheckoutRecord> {
    const result = { ...checkout, session }
    return this.#change((records) => ({ records: withCheckout(records, result), result }))
  }

  /** Keeps a checkout beside another one of its basket, which may be begun then. */
  setAside(checkout: CheckoutRecord): Promise<void> {
    const aside = { ...checkout, basket: `aside ${checkout.key}` }
    return this.#change((records) => ({ records: withCheckout(records, aside), result: undefined }))
  }

  /** Forgets a checkout. */
  forget({ key }: CheckoutRecord): Promise<void> {
    return this.#change((records) => ({ records: withoutCheckout(records, key), result: undefined }))
  }

  /** Keeps an order; the checkout that led to it is paid. `oldMs`: an order from before may go. */
  async keepOrder(order: OrderRecord, oldMs: number): Promise<void> {
    await this.#change((records) => {
      const kept = withOrder(records, order, oldMs)
      if (kept !== null) return { records: kept, result: undefined }
      const sentence = `Cannot keep an order in ${this.#path}: there are ${ORDERS_MAX} of this shop; move it away`
      const place = { file: this.#path, expected: `at most ${ORDERS_MAX} orders` }
      throw new BacktapeError('LIMIT_EXCEEDED', sentence, place)
    })
  }

  #change<T>(change: (records: ShopRecords) => RecordsChange<T>, signal?: StopSignal): Promise<T> {
    return changeSecretFile(this.#path, (text) => {
      const all = this.#parsed(text)
      const { records, result } = change(recordsOfShop(all, this.#shop))
      return { text: records === null ? null : recordsText({ ...all, [this.#shop]: records }), result }
    }, signal)
  }

  #parsed(text: string | null): AllRecords {
    const records = recordsOf(text)
    if (records !== null) return records
    const expected = 'the keys and tokens of shops that Backtape keeps'
    const sentence = `Cannot read ${this.#path}: it must hold ${expected}, found something else; move it away`
    throw new BacktapeError('FILE_UNREADABLE', sentence, { file: this.#path, expected, found: 'something else' })
  }
}
