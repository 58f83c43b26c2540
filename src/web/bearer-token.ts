import { createHash, timingSafeEqual } from 'node:crypto'

const BEARER = /^Bearer +(\S+) *$/i

/** The token of `Authorization: Bearer TOKEN`; null where there is none, or another scheme. */
export function bearerOf({ authorization = '' }: { readonly authorization?: string | undefined }): string | null {
  return BEARER.exec(authorization)?.[1] ?? null
}

/** True for the token that is expected, in a time that does not depend on how much of it is right; never if empty. */
export function isSameToken(given: string, expected: string): boolean {
  const isEqual = timingSafeEqual(digest(given), digest(expected))
  return isEqual && expected !== ''
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest()
}
