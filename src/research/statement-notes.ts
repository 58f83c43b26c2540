import { suggestion } from '../model/suggestion.js'

/** `instrument = 'A'` and `instrument in ('A', 'B')`, whatever stands in front of the column. */
const NAMED = /\binstrument\b"?\s*(?:==?|in\s*\()\s*('(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*')*)/gi
const TEXT = /'((?:[^']|'')*)'/g

function near(word: string, names: readonly string[]): string {
  const whole = names.find((name) => name.slice(name.indexOf(':') + 1) === word)
  return whole === undefined ? suggestion(word, names) : `; did you mean ${whole}?`
}

/**
 * A sentence for each instrument that a statement compares with and that the catalog, whose instruments are `names`,
 * does not have: no row fits such a name, which SQL does not say.
 */
export function unknownInstrumentNotes(statement: string, names: readonly string[]): string[] {
  const words = [...statement.matchAll(NAMED)].flatMap(([, list = '']) => (
    [...list.matchAll(TEXT)].map(([, word = '']) => word.replaceAll('\'\'', '\''))))
  return [...new Set(words)].filter((word) => !names.includes(word)).map((word) => (
    `No file is of the instrument ${JSON.stringify(word)}${near(word, names)}`))
}
