import { randomBytes } from 'node:crypto'
import { openDatabase, type StoreDatabase, type StoreRow } from '../../files/store-database-writer.js'
import { damagedStore } from '../../files/store-fault.js'
import { SHOP_STORE } from './store-tables.js'
import {
  ShopRowReader, type StoredDay, type StoredItem, type StoredKey, type StoredOrder, type StoredRecord,
  type StoredSession,
} from './stored-rows.js'

/** Bytes of the secret. */
const SECRET_BYTES = 32

/** An instrument that was hidden or shown while the shop ran. */
export interface StoredVisibility {
  readonly instrumentId: number
  readonly isHidden: boolean
  readonly sinceMs: number
}

/**
 * The store of a shop: sessions, orders, states, and a secret of its own. What a method has written is on the disk when
 * it returns. Every method throws OUTPUT_FAILED where the disk refuses, and SHOP_STORE_INVALID where rows are damaged.
 */
export class ShopStore {
  readonly #database: StoreDatabase

  constructor(database: StoreDatabase) {
    this.#database = database
  }

  /** Where it lies. */
  get path(): string {
    return this.#database.path
  }

  /** The secret of this store, 32 bytes; it is made on the first use. */
  secret(): Uint8Array {
    return this.together(() => {
      const known = this.#one('SELECT value FROM secrets WHERE name = ?', ['tokens'], (row) => row.text('value'))
      const text = known ?? randomBytes(SECRET_BYTES).toString('hex')
      if (known === null) this.#database.run('INSERT INTO secrets VALUES (?, ?)', 'tokens', text)
      if (!/^[0-9a-f]{64}$/.test(text)) throw damagedStore(SHOP_STORE, this.path, 'another secret')
      return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16))
    })
  }

  /** Work whose changes are all kept, or none: none where it throws. */
  together<Result>(work: () => Result): Result {
    return this.#database.together(work)
  }

  key(key: string): StoredKey | null {
    return this.#one('SELECT * FROM idempotency_keys WHERE key = ?', [key], (row) => ({
      key: row.text('key'), digest: row.text('digest'), sessionId: row.text('session_id'), answer: row.text('answer'),
    }))
  }

  /** Keeps a session with its basket and its key. */
  addSession(session: StoredSession, items: readonly StoredItem[], { key, digest, answer }: StoredKey): void {
    const { sessionId, orderId, account, email, successUrl, cancelUrl, totalCents, record } = session
    this.together(() => {
      this.#database.run(
        'INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', sessionId, orderId, account, email, successUrl,
        cancelUrl, totalCents, record.state, record.startMs, record.sinceMs,
      )
      for (const [position, item] of items.entries())
        this.#database.run(
          'INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', orderId, position, item.kind, item.instrumentId,
          item.date, item.code, item.exchangeCode, item.type, item.bytes, item.priceCents,
        )
      this.#database.run('INSERT INTO idempotency_keys VALUES (?, ?, ?, ?)', key, digest, sessionId, answer)
    })
  }

  session(sessionId: string): StoredSession | null {
    return this.#one('SELECT * FROM sessions WHERE session_id = ?', [sessionId], (row) => ({
      sessionId: row.text('session_id'), orderId: row.text('order_id'), account: row.textOrNull('account'),
      email: row.text('email'), successUrl: row.text('success_url'), cancelUrl: row.text('cancel_url'),
      totalCents: row.integer('total_cents'), record: row.record('session'),
    }))
  }

  changeSession(sessionId: string, { state, sinceMs }: StoredRecord<'session'>): void {
    this.#database.run('UPDATE sessions SET state = ?, since_ms = ? WHERE session_id = ?', state, sinceMs, sessionId)
  }

  order(orderId: string): StoredOrder | null {
    return this.#one('SELECT * FROM orders WHERE order_id = ?', [orderId], (row) => ({
      orderId: row.text('order_id'), sessionId: row.text('session_id'), account: row.textOrNull('account'),
      totalCents: row.integer('total_cents'), record: row.record('guestOrder'),
    }))
  }

  addOrder({ orderId, sessionId, account, totalCents, record }: StoredOrder): void {
    this.#database.run(
      'INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)', orderId, sessionId, account, totalCents, record.state,
      record.startMs, record.sinceMs,
    )
  }

  changeOrder(orderId: string, { state, sinceMs }: StoredRecord<'guestOrder'>): void {
    this.#database.run('UPDATE orders SET state = ?, since_ms = ? WHERE order_id = ?', state, sinceMs, orderId)
  }

  /** The days of a basket or an order, as they were asked for. */
  items(orderId: string): readonly StoredItem[] {
    return this.#all('SELECT * FROM items WHERE order_id = ? ORDER BY position', [orderId], itemOf)
  }

  /** A day of an order; null: the order does not hold it. */
  item(orderId: string, kind: StoredItem['kind'], instrumentId: number, date: string): StoredItem | null {
    const sql = 'SELECT * FROM items WHERE order_id = ? AND kind = ? AND instrument_id = ? AND date = ?'
    return this.#one(sql, [orderId, kind, instrumentId, date], itemOf)
  }

  /** True where a paid order of an account holds a day. */
  isOwned(account: string, kind: StoredItem['kind'], instrumentId: number, date: string): boolean {
    const sql = 'SELECT 1 FROM items JOIN orders USING (order_id) WHERE instrument_id = ? AND date = ? AND kind = ? ' +
      'AND account = ? AND state = ?'
    return this.#database.row(sql, instrumentId, date, kind, account, 'paid') !== null
  }

  days(): readonly StoredDay[] {
    return this.#all('SELECT * FROM day_states', [], (row) => ({
      instrumentId: row.integer('instrument_id'), date: row.text('date'), record: row.record('dayFile'),
    }))
  }

  changeDay({ instrumentId, date, record }: StoredDay): void {
    const sql = 'INSERT OR REPLACE INTO day_states VALUES (?, ?, ?, ?, ?)'
    this.#database.run(sql, instrumentId, date, record.state, record.startMs, record.sinceMs)
  }

  visibilities(): readonly StoredVisibility[] {
    return this.#all('SELECT * FROM visibilities', [], (row) => ({
      instrumentId: row.integer('instrument_id'), isHidden: row.integer('is_hidden') === 1,
      sinceMs: row.integer('since_ms'),
    }))
  }

  changeVisibility({ instrumentId, isHidden, sinceMs }: StoredVisibility): void {
    this.#database.run('INSERT OR REPLACE INTO visibilities VALUES (?, ?, ?)', instrumentId, isHidden ? 1 : 0, sinceMs)
  }

  /** The times that the key of an account was made anew. */
  rotation(account: string): number {
    const sql = 'SELECT rotation FROM rotations WHERE account = ?'
    return this.#one(sql, [account], (row) => row.integer('rotation')) ?? 0
  }

  changeRotation(account: string, rotation: number): void {
    this.#database.run('INSERT OR REPLACE INTO rotations VALUES (?, ?)', account, rotation)
  }

  /** Forgets sessions that began before a time and were not paid, and orders of guests that began before another. */
  prune(sessionsMs: number, ordersMs: number): void {
    this.together(() => {
      this.#database.run('DELETE FROM orders WHERE start_ms < ? AND account IS NULL', ordersMs)
      const gone = this.#all(
        'SELECT session_id, order_id FROM sessions WHERE start_ms < ? ' +
          'AND order_id NOT IN (SELECT order_id FROM orders)',
        [sessionsMs], (row) => [row.text('session_id'), row.text('order_id')] as const,
      )
      for (const [sessionId, orderId] of gone) {
        this.#database.run('DELETE FROM items WHERE order_id = ?', orderId)
        this.#database.run('DELETE FROM idempotency_keys WHERE session_id = ?', sessionId)
        this.#database.run('DELETE FROM sessions WHERE session_id = ?', sessionId)
      }
    })
  }

  close(): void {
    this.#database.close()
  }

  #one<Thing>(sql: string, values: readonly (string | number)[], read: (row: ShopRowReader) => Thing): Thing | null {
    const row = this.#database.row(sql, ...values)
    return row === null ? null : read(this.#reader(row))
  }

  #all<Thing>(
    sql: string, values: readonly (string | number)[], read: (row: ShopRowReader) => Thing,
  ): readonly Thing[] {
    return this.#database.rows(sql, ...values).map((row) => read(this.#reader(row)))
  }

  #reader(row: StoreRow): ShopRowReader {
    return new ShopRowReader(row, (column) => { throw damagedStore(SHOP_STORE, this.path, `the column ${column}`) })
  }
}

function itemOf(row: ShopRowReader): StoredItem {
  return {
    kind: row.kind(), instrumentId: row.integer('instrument_id'), date: row.text('date'), code: row.text('code'),
    exchangeCode: row.text('exchange_code'), type: row.text('type'), bytes: row.integer('bytes'),
    priceCents: row.integer('price_cents'),
  }
}

/**
 * Opens the store of a folder; one that is not there is made. Throws PACKAGE_MISSING, SHOP_STORE_TAKEN where another
 * shop has it open, SHOP_STORE_INVALID for one that is damaged or of another version, and OUTPUT_FAILED.
 */
export async function openShopStore(folder: string): Promise<ShopStore> {
  const store = new ShopStore(await openDatabase(SHOP_STORE, folder))
  try {
    store.secret()
    return store
  } catch (error) {
    store.close()
    throw error
  }
}
