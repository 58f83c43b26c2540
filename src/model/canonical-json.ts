/** A value that canonical JSON can hold. Numbers are safe integers; everything else exact travels as text. */
export type CanonicalValue =
  string | number | boolean | null | readonly CanonicalValue[] | { readonly [key: string]: CanonicalValue | undefined }

/**
 * One value as canonical JSON (after RFC 8785): keys sorted by code unit, no white space, `undefined` members left out.
 * Numbers must be safe integers or finite doubles in ECMAScript's shortest form; -0 is 0. Equal values give equal bytes
 * on every engine.
 */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`Cannot write ${value} as canonical JSON: it must be finite`)
    return JSON.stringify(value + 0)
  }
  if (Array.isArray(value)) return `[${(value as readonly CanonicalValue[]).map(canonicalJson).join(',')}]`
  const members = value as { readonly [key: string]: CanonicalValue | undefined }
  const parts: string[] = []
  for (const key of Object.keys(members).sort()) {
    const member = members[key]
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(member)}`)
  }
  return `{${parts.join(',')}}`
}
