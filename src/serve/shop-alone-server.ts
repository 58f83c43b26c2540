import { FaultsError, foundText, kindOfFound, type Fault } from '../model/fault.js'
import { isJsonObject } from '../model/json-object.js'
import { hostAndPort } from '../web/http-hosts.js'
import { listenHttp } from '../web/http-server.js'
import { openControl } from './control-server.js'
import { ownFaults } from './serve-config-reader.js'
import type { ServeAddresses, ServeOptions } from './serve-options.js'
import { noPath, servedShopOf } from './served-shop.js'

/** The options of a server that serves a shop alone; the others are of a replay. */
const FIELDS: ReadonlySet<string> = new Set<keyof ServeOptions>([
  'data', 'host', 'httpPort', 'controlPort', 'shop', 'replay', 'signal', 'onNote',
])

/** A shop that listens, without a replay. */
export interface ShopAlone {
  readonly addresses: ServeAddresses
  /** Resolves when {@link stop} or {@link close} is called. */
  run(): Promise<'stopped'>
  stop(): void
  /** Closes everything; harmless twice. */
  close(): Promise<void>
}

/**
 * Serves a shop without a replay, over any number of days and exchanges. It opens no feed, directory or order entry
 * adapter. Throws OPTION_INVALID for options that mean nothing or are of a replay, ADDRESS_TAKEN, and the errors of the
 * shop.
 */
export async function openShopAlone(options: ServeOptions): Promise<ShopAlone> {
  const faults = await faultsOf(options)
  const shop = faults.length > 0 ? null : await servedShopOf(options)
  if (shop === null) throw new FaultsError('OPTION_INVALID', 'Cannot serve', faults, 'the options')
  const { host = '127.0.0.1', httpPort = 8_080, controlPort: port, onNote } = options
  let stop = (): void => {}
  const stopped = new Promise<'stopped'>((resolve) => { stop = () => { resolve('stopped') } })
  const closes: (() => Promise<void>)[] = [() => shop.close()]
  const close = async (): Promise<void> => {
    stop()
    for (const one of closes.splice(0).reverse()) await one()
  }
  try {
    const http = await listenHttp({
      request: (request, response) => { if (!shop.request(request, response)) noPath(request, response) },
    }, { host, port: httpPort })
    closes.push(() => http.close())
    const onLog = (text: string): void => { onNote?.(text) }
    const control = port === undefined ? null : await openControl({ parts: { shop, stop }, port, onLog })
    if (control !== null) closes.push(() => control.close())
    const addresses: ServeAddresses = {
      http: `http://${hostAndPort(host, http.port)}`, feeds: [], domainSocket: null, accounts: [], keys: [],
      control: control === null ? null : control.address,
    }
    return { addresses, run: () => stopped, stop, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function faultsOf({ signal: _, onNote: __, data, ...options }: ServeOptions): Promise<readonly Fault[]> {
  const foreign = Object.entries(options).filter(([name, value]) => value !== undefined && !FIELDS.has(name))
  const hasShop = options.shop === true || isJsonObject(options.shop)
  return [
    ...([data as unknown].flat().length === 0 || (data as unknown) === undefined
      ? [{ path: 'data', expected: 'tick files or folders', found: 'nothing' }] : []),
    ...foreign.map(([path, value]) => (
      { path, expected: 'nothing, as replay is false', found: kindOfFound(foundText(value)) })),
    ...hasShop ? [] : [{ path: 'shop', expected: 'a shop, as replay is false', found: 'none' }],
    ...await ownFaults(Object.fromEntries(Object.entries(options).filter(([name, value]) => (
      FIELDS.has(name) && value !== undefined)))),
  ]
}
