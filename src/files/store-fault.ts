import { BacktapeError, type ErrorCode } from '../model/error.js'
import { outputError, systemCode } from './output-fault.js'

/** A kind of store: a database in a folder that one process has alone. */
export interface StoreKind {
  /** The name of its file: `shop.db`. */
  readonly fileName: string
  /** Its owner in sentences: `shop`. */
  readonly owner: string
  /** The mark in the head of its file, 32 bits. */
  readonly mark: number
  /** Rises whenever tables change their meaning: a store of another version is refused. */
  readonly version: number
  /** The statements that make its tables. */
  readonly tables: readonly string[]
  /** The code where another process has it. */
  readonly takenCode: ErrorCode
  /** The code where it is damaged, of another version, or none. */
  readonly invalidCode: ErrorCode
}

/**
 * The refusal of a database as an error with a sentence: `takenCode` where another process has it, `invalidCode`
 * where its bytes are damaged, PACKAGE_MISSING as it is, else OUTPUT_FAILED.
 */
export function storeError(kind: StoreKind, path: string, cause: unknown): BacktapeError {
  if (cause instanceof BacktapeError) return cause
  const code = systemCode(cause)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    const sentence =
      `Cannot open the store ${path}: another ${kind.owner} has it open; end that one, or name another folder`
    return new BacktapeError(kind.takenCode, sentence, { file: path }, cause)
  }
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code)) return damagedStore(kind, path, code, cause)
  if (code === 'SQLITE_FULL') return outputError(path, Object.assign(new Error('the disk is full'), { code: 'ENOSPC' }))
  return outputError(path, cause)
}

/** The refusal of a store whose content is not as it was written. */
export function damagedStore(kind: StoreKind, path: string, found: string, cause?: unknown): BacktapeError {
  const expected = `a store of a ${kind.owner}`
  return new BacktapeError(
    kind.invalidCode, `Cannot open the store ${path}: it is damaged, or no store of a ${kind.owner} (${found})`,
    { file: path, expected, found: found.slice(0, 80) }, cause,
  )
}

/** The refusal of a store of another version. */
export function otherVersion({ version, invalidCode, owner }: StoreKind, path: string, found: number): BacktapeError {
  return new BacktapeError(
    invalidCode,
    `Cannot open the store ${path}: it has version ${found}, and this ${owner} knows ${version}; name another folder`,
    { file: path, expected: String(version), found: String(found) },
  )
}
