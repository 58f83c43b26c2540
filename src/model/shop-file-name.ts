/** Letters that no file name needs to escape are left; `_u` with four hex digits would pass for an escape. */
const ESCAPED = /[^A-Za-z0-9._-]|_(?=u[0-9a-f]{4})/g

/**
 * The name of a file of a shop, of exchange, code, date and ending. Letters outside `[A-Za-z0-9._-]` stand as `_u002f`;
 * no two instruments share a name by that.
 *
 * @example `shopFileName('a_spot', 'BTC/USDT', '2026-01-02', 'txt.zst')` is `a_spot-BTC_u002fUSDT-2026-01-02.txt.zst`
 */
export function shopFileName(exchange: string, code: string, date: string, ending: string): string {
  return [exchange, code, `${date}.${ending}`].map(escapedPart).join('-')
}

function escapedPart(text: string): string {
  return text.replace(ESCAPED, (letter) => `_u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
