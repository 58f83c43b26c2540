import { isLoopback } from '../../web/http-hosts.js'
import { hostOf } from './private-address-client.js'
import { SHOP_NETWORK, type ShopNetwork } from './redirect-client.js'

type Environment = Readonly<Record<string, string | undefined>>
type Fetch = ShopNetwork['fetch']

const PROXIES: readonly string[] = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/**
 * The network behind the proxies of the environment: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, in capitals or small.
 * This machine is asked without one. Without a proxy it is the network of this process.
 */
export function networkOfEnvironment(environment: Environment = process.env): ShopNetwork {
  if (!PROXIES.some((name) => (environment[name] ?? '') !== '')) return SHOP_NETWORK
  let behindProxy: Promise<Fetch> | null = null
  return {
    ...SHOP_NETWORK,
    async fetch(url, init) {
      if (isLoopback(hostOf(url)) || hostOf(url).endsWith('.localhost')) return SHOP_NETWORK.fetch(url, init)
      return (await (behindProxy ??= proxyFetch(environment)))(url, init)
    },
  }
}

/** The package has a fetch of its own: that of Node takes no dispatcher of another version. */
async function proxyFetch(environment: Environment): Promise<Fetch> {
  const { default: { EnvHttpProxyAgent, fetch } } = await import('undici')
  const dispatcher = new EnvHttpProxyAgent({
    ...named('httpProxy', environment, 'http_proxy'), ...named('httpsProxy', environment, 'https_proxy'),
    ...named('noProxy', environment, 'no_proxy'),
  })
  return (url, init) => fetch(url, { ...init, dispatcher } as never)
}

/** The value of a variable in small letters or capitals, under the name of an option; nothing where there is none. */
function named(option: string, environment: Environment, variable: string): Readonly<Record<string, string>> {
  const value = [environment[variable], environment[variable.toUpperCase()]].find((one) => (one ?? '') !== '')
  return value === undefined ? {} : { [option]: value }
}
