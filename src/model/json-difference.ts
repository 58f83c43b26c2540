import { isJsonTree } from './json-object.js'

/** A place in which two JSON values differ, with the JSON texts that stand there; `nothing` where one has none. */
export interface ValueDifference {
  readonly path: string
  readonly expected: string
  readonly found: string
}

/** The first place in which two JSON values differ, null where they are equal; the order of keys never counts. */
export function firstDifference(expected: unknown, found: unknown, path = ''): ValueDifference | null {
  if (isJsonTree(expected) && isJsonTree(found) && Array.isArray(expected) === Array.isArray(found)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    for (const key of Array.isArray(expected) ? keys : keys.sort()) {
      const at = Array.isArray(expected) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
      const difference = firstDifference(expected[key], found[key], at)
      if (difference !== null) return difference
    }
    return null
  }
  return expected === found
    ? null
    : { path, expected: JSON.stringify(expected) ?? 'nothing', found: JSON.stringify(found) ?? 'nothing' }
}
