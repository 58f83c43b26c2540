/** The path of a URL as HTTP requests have it. */
export function requestPath(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? url : url.slice(0, at)
}

/** The value of a name in the query of a URL, empty where there is none; null for a query that does not parse. */
export function queryValue(url: string, wanted: string): string | null {
  const at = url.indexOf('?')
  let found: string | null = null
  for (const part of at < 0 ? [] : url.slice(at + 1).split('&')) {
    const [name = '', ...rest] = part.split('=')
    try {
      const value = decodeURIComponent(rest.join('='))
      if (decodeURIComponent(name) !== wanted) continue
      if (found !== null) return null
      found = value
    } catch {
      return null
    }
  }
  return found ?? ''
}

/** A part of a path, unescaped; as it stands where its escapes are broken. */
export function unescapedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
