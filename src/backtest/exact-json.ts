import { Decimal } from '../model/decimal.js'
import { pathPart, type RunFileFault } from './run-file-fault.js'

/** A list or an object that is open while a text is looked through. */
interface OpenValue {
  /** Names so far; null in a list. */
  readonly names: Set<string> | null
  /** Path of the value at hand. */
  name: string
  count: number
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*/g

/**
 * What `JSON.parse` passes over in a text that it can read: a number of more digits than it holds would be another one, and of two values of one name
 * the first would be gone. Faults in the order of the text.
 */
export function passedOver(text: string): RunFileFault[] {
  const faults: RunFileFault[] = []
  const open: OpenValue[] = []
  const pathOf = (): string => open.map(({ names, name, count }) => (names === null ? `[${count}]` : pathPart(name))).join('').replace(/^\./, '')
  const tokens = [...text.matchAll(TOKENS)].map(([token]) => token)
  for (const [at, token] of tokens.entries()) {
    const inner = open.at(-1)
    if (token === '{' || token === '[') open.push({ names: token === '{' ? new Set() : null, name: '', count: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && inner !== undefined) inner.count++
    else if (token.startsWith('"') && tokens[at + 1] === ':' && inner?.names != null) {
      inner.name = JSON.parse(token) as string
      if (inner.names.has(inner.name)) faults.push({ path: pathOf(), expected: 'one value', found: 'another value of the same name' })
      inner.names.add(inner.name)
    } else if (/^[-\d]/.test(token) && !isHeld(token)) faults.push({ path: pathOf(), expected: 'a number that can be held exactly; write decimals in quotes', found: token.slice(0, 80) })
  }
  return faults
}

function isHeld(token: string): boolean {
  const value = Number(token)
  return Number.isFinite(value) && new Decimal(token).eq(new Decimal(String(value)))
}
