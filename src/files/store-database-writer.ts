import type Database from 'libsql'
import { chmod, open } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './folder-writer.js'
import { outputError } from './output-fault.js'
import { loadPackage } from './package-reader.js'
import { damagedStore, otherVersion, storeError, type StoreKind } from './store-fault.js'

/** A store that is just being left by another process is waited for, milliseconds. */
const BUSY_MS = 200

/** Values that statements take. */
export type StoreValue = string | number | null

/** A row by the names of its columns. */
export type StoreRow = Readonly<Record<string, unknown>>

/**
 * The database of a store, which one process has alone. A statement that returns is on the disk. Throws as
 * {@link storeError} does.
 */
export class StoreDatabase {
  readonly path: string
  readonly kind: StoreKind
  readonly #database: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  #isWithin = false

  constructor(kind: StoreKind, path: string, database: Database.Database) {
    this.kind = kind
    this.path = path
    this.#database = database
  }

  /** Changes rows; their number. */
  run(sql: string, ...values: readonly StoreValue[]): number {
    return this.#guarded(() => this.#statement(sql).run([...values]).changes)
  }

  /** The first row; null: there is none. */
  row(sql: string, ...values: readonly StoreValue[]): StoreRow | null {
    return this.#guarded(() => {
      const found = this.#statement(sql).get([...values])
      return isRow(found) ? found : null
    })
  }

  rows(sql: string, ...values: readonly StoreValue[]): readonly StoreRow[] {
    return this.#guarded(() => this.#statement(sql).all([...values]).filter(isRow))
  }

  /** Work whose changes are all made, or none: none where it throws. */
  together<Result>(work: () => Result): Result {
    if (this.#isWithin) return work()
    this.#isWithin = true
    try {
      return this.#guarded(() => {
        this.#database.exec('BEGIN IMMEDIATE')
        try {
          const result = work()
          this.#database.exec('COMMIT')
          return result
        } catch (error) {
          if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
          throw error
        }
      })
    } finally {
      this.#isWithin = false
    }
  }

  close(): void {
    if (!this.#database.open) return
    try {
      // Statements hold the connection until they are collected: the lock is given back before, and the journal goes.
      for (const sql of ['PRAGMA journal_mode = DELETE', 'PRAGMA locking_mode = NORMAL', 'SELECT * FROM sqlite_master'])
        this.#statement(sql).all([])
    } catch {
      // A damaged store keeps its lock until the process ends.
    }
    this.#statements.clear()
    this.#database.close()
  }

  #statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }

  #guarded<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw storeError(this.kind, this.path, error)
    }
  }
}

function isRow(value: unknown): value is StoreRow {
  return typeof value === 'object' && value !== null
}

/**
 * Opens the store of a folder, which is made (0700) where it is not there; the store can be read by its user alone
 * (0600). Throws PACKAGE_MISSING, the codes of its kind, and OUTPUT_FAILED.
 */
export async function openDatabase(kind: StoreKind, folder: string): Promise<StoreDatabase> {
  const { default: Libsql } = await loadPackage('libsql', () => import('libsql'))
  const path = join(folder, kind.fileName)
  await makePrivate(folder, path)
  let store: StoreDatabase | null = null
  try {
    store = new StoreDatabase(kind, path, new Libsql(path, { timeout: BUSY_MS }))
    prepare(store)
    return store
  } catch (error) {
    store?.close()
    throw storeError(kind, path, error)
  }
}

async function makePrivate(folder: string, path: string): Promise<void> {
  try {
    if (await makeFolder(folder) !== null) await chmod(folder, 0o700)
    // The database makes its other files as it finds this one.
    await (await open(path, 'a', 0o600)).close()
    await chmod(path, 0o600)
  } catch (error) {
    throw outputError(path, error)
  }
}

/** Takes the store for this process alone, and makes its tables where it is new. */
function prepare(store: StoreDatabase): void {
  // The lock is taken by the first reading, and the journal then needs no memory that processes share.
  store.rows('PRAGMA locking_mode = EXCLUSIVE')
  store.rows('PRAGMA journal_mode = WAL')
  store.rows('PRAGMA synchronous = FULL')
  store.together(() => {
    const [mark, version] = [pragma(store, 'application_id'), pragma(store, 'user_version')]
    const tables = store.rows('SELECT name FROM sqlite_master').length
    if (mark === 0 && version === 0 && tables === 0) {
      for (const table of store.kind.tables) store.run(table)
      store.rows(`PRAGMA application_id = ${store.kind.mark}`)
      store.rows(`PRAGMA user_version = ${store.kind.version}`)
    } else if (mark !== store.kind.mark) throw damagedStore(store.kind, store.path, 'another database')
    else if (version !== store.kind.version) throw otherVersion(store.kind, store.path, version)
  })
  const found = store.rows('PRAGMA quick_check(1)').map((row) => String(row['quick_check'])).join()
  if (found !== 'ok') throw damagedStore(store.kind, store.path, found)
}

function pragma(store: StoreDatabase, name: string): number {
  return Number(store.row(`PRAGMA ${name}`)?.[name])
}
