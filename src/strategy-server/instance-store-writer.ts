import { RowReader } from '../files/row-reader.js'
import { openDatabase, type StoreDatabase, type StoreRow } from '../files/store-database-writer.js'
import { damagedStore, type StoreKind } from '../files/store-fault.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { INSTANCE_STATES, type InstanceState } from '../protocol/strategies/instance-states.js'
import type { Wire } from '../protocol/strategies/strategy-schemas.js'

/** The store of a strategy server; its mark is the letters `BtSt`. Times are epoch milliseconds, objects are JSON. */
const STRATEGY_STORE: StoreKind = {
  fileName: 'instances.db', owner: 'strategy server', mark: 0x42745374, version: 1,
  takenCode: 'SERVER_STORE_TAKEN', invalidCode: 'SERVER_STORE_INVALID',
  tables: [
    `CREATE TABLE instances (
      number INTEGER PRIMARY KEY, instance_id TEXT NOT NULL UNIQUE, instance_name TEXT NOT NULL UNIQUE,
      strategy_name TEXT NOT NULL, module TEXT NOT NULL, parameters TEXT NOT NULL, venue TEXT NOT NULL,
      created_ms INTEGER NOT NULL, state TEXT NOT NULL, since_ms INTEGER NOT NULL, reason TEXT, outcome TEXT
    ) STRICT`,
  ],
}

/** The terms of an instance. */
export interface InstanceTerms {
  readonly instanceId: string
  readonly instanceName: string
  readonly strategyName: string
  readonly module: string
  readonly parameters: JsonObject
  /** The name of its venue. */
  readonly venue: string
  readonly createdMs: number
}

/** The state of an instance, since when it has it and why. */
export interface InstanceStanding {
  readonly state: InstanceState
  readonly sinceMs: number
  readonly reason: string | null
  /** Of a run that has ended: how far it came, and how it ended; null elsewhere. */
  readonly outcome: { readonly progress: Wire<'Progress'> | null, readonly end: Wire<'RunEnd'> } | null
}

/** An instance as it is kept. */
export interface StoredInstance {
  readonly terms: InstanceTerms
  readonly standing: InstanceStanding
}

/**
 * The instances of a server. What a method has written is on the disk when it returns. Every method throws
 * OUTPUT_FAILED where the disk refuses, and SERVER_STORE_INVALID where rows are damaged.
 */
export class InstanceStore {
  constructor(private readonly database: StoreDatabase) {}

  /** Work whose changes are all kept, or none: none where it throws. */
  together<Result>(work: () => Result): Result {
    return this.database.together(work)
  }

  /** All of them, in the order of their creation. */
  instances(): readonly StoredInstance[] {
    return this.database.rows('SELECT * FROM instances ORDER BY number').map((row) => this.#instance(row))
  }

  /** Keeps a new one. */
  add({ terms, standing: { state, sinceMs, reason } }: StoredInstance): void {
    const { instanceId, instanceName, strategyName, module, parameters, venue, createdMs } = terms
    this.database.run(
      'INSERT INTO instances (instance_id, instance_name, strategy_name, module, parameters, venue, created_ms, ' +
        'state, since_ms, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      instanceId, instanceName, strategyName, module, JSON.stringify(parameters), venue, createdMs, state, sinceMs,
      reason,
    )
  }

  /** Keeps other parameters, and another venue, of one. */
  changeTerms({ instanceId, parameters, venue }: InstanceTerms): void {
    const sql = 'UPDATE instances SET parameters = ?, venue = ? WHERE instance_id = ?'
    this.database.run(sql, JSON.stringify(parameters), venue, instanceId)
  }

  /** Keeps the state of one. */
  change(instanceId: string, { state, sinceMs, reason, outcome }: InstanceStanding): void {
    const sql = 'UPDATE instances SET state = ?, since_ms = ?, reason = ?, outcome = ? WHERE instance_id = ?'
    this.database.run(sql, state, sinceMs, reason, outcome === null ? null : JSON.stringify(outcome), instanceId)
  }

  /** Forgets one. */
  remove(instanceId: string): void {
    this.database.run('DELETE FROM instances WHERE instance_id = ?', instanceId)
  }

  /** Closes it; harmless twice. */
  close(): void {
    this.database.close()
  }

  #instance(row: StoreRow): StoredInstance {
    const refuse = (column: string): never => {
      throw damagedStore(STRATEGY_STORE, this.database.path, `the column ${column}`)
    }
    const read = new RowReader(row, refuse)
    const object = (column: string, text: string): JsonObject => {
      const value = parsed(text)
      return isJsonObject(value) ? value : refuse(column)
    }
    const state = read.text('state')
    const outcome = read.textOrNull('outcome')
    return {
      terms: {
        instanceId: read.text('instance_id'), instanceName: read.text('instance_name'),
        strategyName: read.text('strategy_name'), module: read.text('module'), venue: read.text('venue'),
        parameters: object('parameters', read.text('parameters')), createdMs: read.integer('created_ms'),
      },
      standing: {
        state: isState(state) ? state : refuse('state'), sinceMs: read.integer('since_ms'),
        reason: read.textOrNull('reason'),
        outcome: outcome === null ? null : object('outcome', outcome) as unknown as InstanceStanding['outcome'],
      },
    }
  }
}

function isState(state: string): state is InstanceState {
  return Object.hasOwn(INSTANCE_STATES, state)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/**
 * Opens the store of a folder; one that is not there is made. Throws PACKAGE_MISSING, SERVER_STORE_TAKEN where another
 * server has it open, SERVER_STORE_INVALID for one that is damaged or of another version, and OUTPUT_FAILED.
 */
export async function openInstanceStore(folder: string): Promise<InstanceStore> {
  return new InstanceStore(await openDatabase(STRATEGY_STORE, folder))
}
