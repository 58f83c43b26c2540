import { optionUrl } from '../protocol/option-url.js'

/** A path of a strategy server, `http://host:port`. Throws OPTION_INVALID for another address. */
export function addressAt(server: string, path: string): URL {
  const use = { option: 'server', action: 'reach the strategy server', form: 'http://host:port' }
  return new URL(path, optionUrl(server, use))
}
