import { BacktapeError } from '../model/error.js'

/** A path of a strategy server, `http://host:port`. Throws OPTION_INVALID for another address. */
export function addressAt(server: string, path: string): URL {
  if (URL.canParse(server) && /^https?:/.test(server)) return new URL(path, server)
  const expected = 'the address of a strategy server, such as http://127.0.0.1:8000'
  throw new BacktapeError('OPTION_INVALID', `Cannot reach ${server}: it must be ${expected}`, {
    field: 'server', expected, found: server,
  })
}
