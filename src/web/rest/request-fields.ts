/** The fields of a query or of a form by their names; a name that stands several times has a list. */
export type RequestFields = Readonly<Record<string, string | readonly string[]>>

/** A value of a broken escape: no schema accepts it. */
const BROKEN: readonly string[] = []

/**
 * The fields of a query, or of a form (`application/x-www-form-urlencoded`), unescaped: `+` is a space. A name or a
 * value whose escapes are broken makes an empty list of its value, which no schema accepts.
 *
 * @example `fieldsOf('q=btc+perp&limit=5')` is `{ q: 'btc perp', limit: '5' }`
 */
export function fieldsOf(text: string): RequestFields {
  const fields = new Map<string, string | readonly string[]>()
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const written = at < 0 ? part : part.slice(0, at)
    const name = unescaped(written)
    const value = at < 0 ? '' : unescaped(part.slice(at + 1))
    const before = fields.get(name ?? written)
    const next = name === null || value === null ? BROKEN : value
    fields.set(name ?? written, before === undefined ? next : [before, next].flat())
  }
  // Also a field named __proto__ is one of its own.
  return Object.fromEntries(fields)
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
