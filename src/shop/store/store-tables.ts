import type { StoreKind } from '../../files/store-fault.js'

/** The tables of a store. Money is whole cents; times are epoch milliseconds; days are `2024-08-08`. */
const TABLES: readonly string[] = [
  'CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  `CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY, order_id TEXT NOT NULL UNIQUE, account TEXT, email TEXT NOT NULL,
    success_url TEXT NOT NULL, cancel_url TEXT NOT NULL, total_cents INTEGER NOT NULL,
    state TEXT NOT NULL, start_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL
  ) STRICT`,
  'CREATE INDEX sessions_by_start ON sessions (start_ms)',
  `CREATE TABLE idempotency_keys (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, session_id TEXT NOT NULL, answer TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX keys_by_session ON idempotency_keys (session_id)',
  `CREATE TABLE items (
    order_id TEXT NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, instrument_id INTEGER NOT NULL,
    date TEXT NOT NULL, code TEXT NOT NULL, exchange_code TEXT NOT NULL, type TEXT NOT NULL,
    bytes INTEGER NOT NULL, price_cents INTEGER NOT NULL, PRIMARY KEY (order_id, position)
  ) STRICT`,
  'CREATE INDEX items_by_day ON items (instrument_id, date, kind)',
  `CREATE TABLE orders (
    order_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, account TEXT, total_cents INTEGER NOT NULL,
    state TEXT NOT NULL, start_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL
  ) STRICT`,
  'CREATE INDEX orders_by_start ON orders (start_ms)',
  `CREATE TABLE day_states (
    instrument_id INTEGER NOT NULL, date TEXT NOT NULL, state TEXT NOT NULL,
    start_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL, PRIMARY KEY (instrument_id, date)
  ) STRICT`,
  `CREATE TABLE visibilities (
    instrument_id INTEGER PRIMARY KEY, is_hidden INTEGER NOT NULL, since_ms INTEGER NOT NULL
  ) STRICT`,
  'CREATE TABLE rotations (account TEXT PRIMARY KEY, rotation INTEGER NOT NULL) STRICT',
]

/** The store of a shop; its mark is the letters `BtSh`. */
export const SHOP_STORE: StoreKind = {
  fileName: 'shop.db', owner: 'shop', mark: 0x42745368, version: 1, tables: TABLES, takenCode: 'SHOP_STORE_TAKEN',
  invalidCode: 'SHOP_STORE_INVALID',
}
