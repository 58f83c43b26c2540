import { createHash, randomUUID } from 'node:crypto'
import type { ShopTokens } from '../server/shop-tokens.js'

/**
 * The token of a form on a page: a random part, and one that only this shop can make for it, this form and its subject
 * (a session, a cart, an account). A page elsewhere has none.
 */
export function formToken(tokens: ShopTokens, form: string, subject: string): string {
  const nonce = randomUUID()
  return `${nonce}.${tokens.tokenOf({ form, subject: `${nonce} ${subject}` })}`
}

/** The random part of the token of a form; null: the form is another, or of a page elsewhere. */
export function formNonce(tokens: ShopTokens, form: string, subject: string, given: string): string | null {
  const [nonce = '', token = '', ...more] = given.split('.')
  const isRight = tokens.isTokenOf({ form, subject: `${nonce} ${subject}` }, token)
  return isRight && more.length === 0 ? nonce : null
}

/** A UUID of texts: the same texts have the same one. It is the `Idempotency-Key` of a form that is sent twice. */
export function uuidOf(texts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
    .join('-')
}
