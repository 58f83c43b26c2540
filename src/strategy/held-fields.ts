import type { Strategy } from './strategy.js'

/** Lists in maps in lists: deeper than this nothing is looked for. */
const DEPTH_LIMIT = 4

/**
 * Values of a kind that a strategy holds: its own fields, and those in arrays and maps that are; by path, `fast` or
 * `averages[0]`, in the order of declaration.
 */
export function heldFields<T>(strategy: Strategy, isMeant: (value: unknown) => value is T): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  const visit = (value: unknown, path: string, depth: number): void => {
    if (isMeant(value)) found.set(path, value)
    else if (depth === DEPTH_LIMIT) return
    else if (Array.isArray(value)) value.forEach((item, at) => { visit(item, `${path}[${at}]`, depth + 1) })
    else if (value instanceof Map)
      for (const [key, item] of value) if (isName(key)) visit(item, `${path}[${JSON.stringify(key)}]`, depth + 1)
  }
  for (const [name, value] of Object.entries(strategy)) visit(value, name, 0)
  return found
}

function isName(key: unknown): boolean {
  return typeof key === 'string' || typeof key === 'number'
}
