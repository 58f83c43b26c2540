/** The two headers by which a request of HTTP shows that a page of a browser made it. */
export interface HostHeaders {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

const NAMED = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/?#\\[\]]+))(?::\d{1,5})?$/i
const MAPPED_LOOPBACK = /^::ffff:(?:127\.\d+\.\d+\.\d+|7f[0-9a-f]{2}:[0-9a-f]{1,4})$/

/**
 * The reason to refuse a request that a page from elsewhere may have made, in words; null: there is none. Such a page
 * comes by a name of its own that leads here (its `Host`), or states where it is from (its `Origin`). So `Host` must
 * be an address, or `localhost`; of this machine alone where `hosts` is `loopback`. `Origin` must be absent, or name
 * the same host and port.
 *
 * @example `foreignRequest({ host: '127.0.0.1:8080' }, 'address')` is null,
 *   `foreignRequest({ host: 'evil.example:8080' }, 'address')` a reason
 */
export function foreignRequest({ host, origin }: HostHeaders, hosts: 'address' | 'loopback'): string | null {
  const address = host === undefined ? null : addressIn(host)
  if (host === undefined || address === null) return 'Host must be an address or localhost, not another name'
  if (hosts === 'loopback' && !isLoopback(address)) return 'Host must be an address of this machine alone'
  return origin === undefined || isOwn(origin, host) ? null : 'a page of another origin has no access'
}

/** True for an address of this machine alone, and for `localhost`. */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase()
  if (plain === 'localhost') return true
  if (!plain.includes(':')) return plain.startsWith('127.') && isFour(plain)
  const whole = canonical(`[${plain}]`)?.slice(1, -1) ?? plain
  return whole === '::1' || MAPPED_LOOPBACK.test(whole)
}

/** The address in a `Host`, or `localhost`; null for a name, and for what is no host. */
function addressIn(host: string): string | null {
  const [, six, plain] = NAMED.exec(host) ?? []
  if (six !== undefined) return canonical(`[${six}]`) === null ? null : six
  if (plain === undefined) return null
  return isFour(plain) || plain.toLowerCase() === 'localhost' ? plain : null
}

/** True for four numbers as they are written as a rule. */
function isFour(address: string): boolean {
  return /^\d+(?:\.\d+){3}$/.test(address) && canonical(address) === address
}

/** An address as URLs have it: null where it is none. */
function canonical(address: string): string | null {
  const url = `http://${address}/`
  return URL.canParse(url) ? new URL(url).hostname : null
}

function isOwn(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: named, username, password } = new URL(origin)
  const isPlain = (protocol === 'http:' || protocol === 'ws:') && username === '' && password === ''
  return isPlain && named === new URL(`http://${host}/`).host
}

/** A host and a port as URLs have them: an IPv6 address in brackets. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`
}
