/** A text in quotes, or one that never ends, which is one token too; or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * A JSON value whose numbers are texts with the digits as they stand: times in nanoseconds are beyond 2^53. Throws a
 * SyntaxError for what is no JSON.
 */
export function parseDigitsJson(text: string): unknown {
  return JSON.parse(text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token
    if (!NUMBER.test(token)) throw new SyntaxError(`no number of JSON: ${token.slice(0, 80)}`)
    return `"${token}"`
  }))
}
