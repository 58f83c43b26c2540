import { createHmac } from 'node:crypto'
import { BacktapeError } from '../../model/error.js'
import { isSameToken } from '../../web/bearer-token.js'

/** Bytes that the secret of a store has at least. */
const SECRET_BYTES_MIN = 32

/**
 * The holder of a token: an order, an account since so many rotations, a browser that is signed in by a token, or a
 * form of a page and its subject.
 */
export type TokenHolder =
  | { readonly orderId: string }
  | { readonly account: string, readonly rotation: number }
  | { readonly signedIn: string, readonly token: string }
  | { readonly form: string, readonly subject: string }

/**
 * The tokens of a shop: none is kept, each is made again from its holder and the store's own secret (HMAC with
 * SHA-256). So a token that was answered once is answered again after a crash, and the store gives none away.
 */
export class ShopTokens {
  readonly #secret: Uint8Array

  /** Throws OPTION_INVALID where the secret has fewer than 32 bytes; it copies the secret. */
  constructor(secret: Uint8Array) {
    if (secret.length < SECRET_BYTES_MIN) {
      const found = `${String(secret.length)} bytes`
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot make tokens: the secret must have ${String(SECRET_BYTES_MIN)} bytes, found ${found}`,
        { field: 'secret', expected: `${String(SECRET_BYTES_MIN)} bytes or more`, found },
      )
    }
    this.#secret = secret.slice()
  }

  /** The token of a holder: 43 letters of base64url, which need no escape in a URL. */
  tokenOf(holder: TokenHolder): string {
    return createHmac('sha256', this.#secret).update(wordsOf(holder), 'utf8').digest('base64url')
  }

  /**
   * True for the token of a holder, in a time that does not depend on how much of it is right. Ask this before looking
   * whether there is such an order: then an order that does not exist is refused as a wrong token is.
   */
  isTokenOf(holder: TokenHolder, given: string): boolean {
    return isSameToken(given, this.tokenOf(holder))
  }
}

/** Different for any two holders, also where a name has the letters of another kind. Throws OPTION_INVALID. */
function wordsOf(holder: TokenHolder): string {
  if ('orderId' in holder) return JSON.stringify(['order', named('orderId', holder.orderId)])
  if ('form' in holder) return JSON.stringify(['form', named('form', holder.form), holder.subject])
  if ('signedIn' in holder)
    return JSON.stringify(['signedIn', named('account', holder.signedIn), named('token', holder.token)])
  const { account, rotation } = holder
  if (!Number.isSafeInteger(rotation) || rotation < 0) throw invalid('rotation', 'an integer from 0', String(rotation))
  return JSON.stringify(['account', named('account', account), rotation])
}

function named(field: string, name: string): string {
  if (name === '') throw invalid(field, 'a name', 'none')
  return name
}

function invalid(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot make a token: ${field} must be ${expected}, found ${found}`, { field, expected, found },
  )
}
