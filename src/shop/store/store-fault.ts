import { outputError, systemCode } from '../../files/output-fault.js'
import { BacktapeError } from '../../model/error.js'

/**
 * The refusal of a database as an error with a sentence: SHOP_STORE_TAKEN where another shop has it, SHOP_STORE_INVALID
 * where its bytes are damaged, PACKAGE_MISSING as it is, else OUTPUT_FAILED.
 */
export function storeError(path: string, cause: unknown): BacktapeError {
  if (cause instanceof BacktapeError) return cause
  const code = systemCode(cause)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    const sentence = `Cannot open the store ${path}: another shop has it open; end that one, or name another folder`
    return new BacktapeError('SHOP_STORE_TAKEN', sentence, { file: path }, cause)
  }
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code)) return damagedStore(path, code, cause)
  if (code === 'SQLITE_FULL') return outputError(path, Object.assign(new Error('the disk is full'), { code: 'ENOSPC' }))
  return outputError(path, cause)
}

/** The refusal of a store whose content is not as it was written. */
export function damagedStore(path: string, found: string, cause?: unknown): BacktapeError {
  const expected = 'a store of a shop'
  return new BacktapeError(
    'SHOP_STORE_INVALID', `Cannot open the store ${path}: it is damaged, or no store of a shop (${found})`,
    { file: path, expected, found: found.slice(0, 80) }, cause,
  )
}

/** The refusal of a store of another version. */
export function otherVersion(path: string, expected: number, found: number): BacktapeError {
  return new BacktapeError(
    'SHOP_STORE_INVALID',
    `Cannot open the store ${path}: it has version ${found}, and this shop knows ${expected}; name another folder`,
    { file: path, expected: String(expected), found: String(found) },
  )
}
