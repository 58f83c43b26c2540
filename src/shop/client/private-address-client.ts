import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { isLoopback } from '../../web/http-hosts.js'

const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['224.0.0.0', 3],
]
/** Unspecified, loopback; local, link-local, site-local, multicast; NAT64 and 6to4, which hold an address of IPv4. */
const IPV6: readonly (readonly [string, number])[] = [
  ['::', 96], ['fc00::', 7], ['fe80::', 10], ['fec0::', 10], ['ff00::', 8], ['64:ff9b::', 96], ['64:ff9b:1::', 48],
  ['2002::', 16],
]

const PRIVATE = new BlockList()
for (const [net, bits] of IPV4) PRIVATE.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of IPV6) PRIVATE.addSubnet(net, bits, 'ipv6')

/** True for an address that is not of the public internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** The addresses of a name, or none where it has none. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  return lookup(host, { all: true }).then((found) => found.map(({ address }) => address), () => [])
}

/** The host of a URL: IPv6 without brackets, a name without its last dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** True where `some` or `every` address of a host is private. */
export async function isPrivateHost(
  host: string, quantity: 'some' | 'every', resolve: (host: string) => Promise<readonly string[]>,
): Promise<boolean> {
  if (isLoopback(host) || host.endsWith('.localhost')) return true
  if (isIP(host) !== 0) return isPrivateAddress(host)
  const addresses = await resolve(host)
  return addresses.length > 0 && addresses[quantity](isPrivateAddress)
}
