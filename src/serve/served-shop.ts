import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { indexPath } from '../catalog/catalog-index-writer.js'
import { userCacheFolder, userStateFolder } from '../files/user-folder-reader.js'
import type { StopSignal } from '../model/stop-signal.js'
import { NS_PER_MS } from '../model/time.js'
import { openShopHttp } from '../shop/http/shop-http-server.js'
import { shopPages } from '../shop/pages/shop-pages.js'
import { shopClock } from '../shop/server/shop-clock-client.js'
import { ShopService } from '../shop/server/shop-service.js'
import type { ShopSettings, ShopTime } from '../shop/server/shop-settings.js'
import { openShopStore } from '../shop/store/shop-store-writer.js'
import { isPattern, matchedFiles } from '../tickfile/archive/file-pattern-reader.js'
import { isInstrumentDays, type DataInput } from '../tickfile/data-input.js'
import { isLoopback } from '../web/http-hosts.js'
import { openFolderGoods } from './folder-goods-reader.js'
import type { ServeOptions } from './serve-options.js'

/** A shop that answers on a listener that others share. */
export interface ServedShop {
  readonly service: ShopService
  /** Answers a request of the shop; false: the path is of another part of the server, and nothing was done. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends what is being made, and closes the store; the listener is closed before. */
  close(): Promise<void>
}

/** The surroundings of a shop. */
interface ServedShopParts {
  /** The data that are served: their folders and files are sold. */
  readonly data: readonly DataInput[]
  /** The address that is listened on. */
  readonly host: string
  /** The clock of the replay, epoch nanoseconds; undefined: there is none. */
  readonly replayNowNs: (() => bigint) | undefined
  readonly signal?: StopSignal | undefined
  /** Receives sentences on what is not sold and on what failed. */
  readonly onNote: (sentence: string) => void
}

/**
 * Opens the shop over the files of data, as options have it; null: there is none. Throws OPTION_INVALID for settings
 * that mean nothing, PACKAGE_MISSING without the part `servers`, and the errors of its store and of the folders.
 */
export async function servedShopOf(
  { shop = false, host = '127.0.0.1', data, signal, onNote }: ServeOptions, replayNowNs?: () => bigint,
): Promise<ServedShop | null> {
  if (shop === false) return null
  return openServedShop(shop === true ? {} : shop, {
    data: [data].flat(), host, replayNowNs, signal, onNote: (sentence) => { onNote?.(sentence) },
  })
}

/** The answer of a port to a path that no part of a server has. */
export function noPath(_: IncomingMessage, response: ServerResponse): void {
  const failure = { error: { code: 'NOT_FOUND', message: 'There is no such path' } }
  response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(failure))
}

async function openServedShop(settings: ShopSettings, parts: ServedShopParts): Promise<ServedShop> {
  const { signal, onNote, host } = parts
  const folders = await soldFolders(parts.data)
  const stateFolder = settings.stateFolder ?? join(userStateFolder(), 'shop')
  const store = await openShopStore(stateFolder)
  try {
    const cache = userCacheFolder()
    const goods = await openFolderGoods({
      folders, indexPath: indexPath(cache, folders), exportFolder: join(cache, 'shop-exports', digest(folders)),
      exportLimitBytes: settings.exportLimitBytes, signal, onNote,
    })
    try {
      const service = new ShopService({ goods, store, settings, time: timeOf(settings, parts) })
      const http = await openShopHttp({
        handlers: { ...service.handlers, ...shopPages(service) },
        hosts: isLoopback(host) ? 'loopback' : 'address', onLog: onNote,
      })
      const close = async (): Promise<void> => {
        await http.close()
        await goods.close()
        service.close()
      }
      return { service, request: (request, response) => http.request(request, response), close }
    } catch (error) {
      await goods.close()
      throw error
    }
  } catch (error) {
    store.close()
    throw error
  }
}

function timeOf({ now }: ShopSettings, { replayNowNs }: ServedShopParts): ShopTime {
  if (now !== 'replay' || replayNowNs === undefined) return shopClock(now)
  return { nowMs: () => Number(replayNowNs() / BigInt(NS_PER_MS)) }
}

function digest(folders: readonly string[]): string {
  return createHash('sha256').update(folders.map((folder) => resolve(folder)).join('\n')).digest('hex').slice(0, 24)
}

/** The folders and files that data name: of a pattern its files, of a member its archive. Bytes in memory are none. */
async function soldFolders(data: readonly DataInput[]): Promise<readonly string[]> {
  const folders = new Set<string>()
  for (const input of data) {
    const place = isInstrumentDays(input) ? input.in : input
    if (typeof place !== 'string' || place === '-') continue
    const [path = place] = /^.*?\.(?:tar|zip)(?=#)/i.exec(place) ?? []
    for (const one of (await isPattern(path)) ? (await matchedFiles(path)).paths : [path]) folders.add(one)
  }
  return [...folders]
}
