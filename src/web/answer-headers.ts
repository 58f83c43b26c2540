/**
 * Headers of every answer, unless its route states others: it is not kept, not guessed at, in no frame, and not loaded
 * by a page of another origin.
 */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': 'default-src \'none\'; frame-ancestors \'none\'',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The header of a page with a policy of its own: that of its `meta` element cannot forbid frames. */
export function policyHeader(policy: string): { readonly 'content-security-policy': string } {
  return { 'content-security-policy': `${policy}; frame-ancestors 'none'` }
}
