import { downloadFault, isRequest, rangeFault } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { shopFileName } from '../../model/shop-file-name.js'
import { archiveCounts, archiveEvent, stateAfter } from '../../protocol/shop/shop-states.js'
import type { ShopStore } from '../store/shop-store-writer.js'
import type { StoredItem, StoredOrder } from '../store/stored-rows.js'
import { ArchiveChecksums } from './archive-checksums.js'
import type { ArchiveMember } from './archive-members.js'
import { type BoughtDay, type BoughtFile, boughtFiles, manifestOf } from './bought-files.js'
import type { DayStates, ShownDayState } from './day-states.js'
import { dayFileReply, exportReply, exportState } from './file-replies.js'
import type { Shelf, ShelfKeeper } from './shelf.js'
import type { ShopGoods } from './shop-goods.js'
import type { ShopPurchases } from './shop-purchases.js'
import { invalidInput, json, refusal } from './shop-replies.js'
import type { RefusalReply, ShopHandlers, ShopReply } from './shop-reply.js'
import { tarSegments } from './tar-segments.js'
import { zipSegments } from './zip-segments.js'

/** The parts that the routes of "Download" need. */
export interface DownloadParts {
  readonly goods: ShopGoods
  readonly store: ShopStore
  readonly shelves: ShelfKeeper
  readonly purchases: ShopPurchases
  readonly states: DayStates
}

type DownloadQuery = Sent<'DownloadQuery'>

/** The handlers of "Download" (spec 1): what was bought, as files, exports and archives. */
export function downloadHandlers(parts: DownloadParts): ShopHandlers {
  const downloads = new Downloads(parts)
  return {
    download: ({ path, query }) => {
      const fault = downloadFault(query)
      if (fault !== null || !isRequest('DownloadQuery', query))
        return invalidInput(fault ?? { path: '', expected: 'a download', found: 'something else' })
      const [orderId, id, date] = [String(path['order_id']), Number(path['instrument_id']), String(path['date'])]
      return downloads.day(orderId, id, date, query)
    },
    range: ({ path, query }) => {
      const fault = rangeFault(query)
      if (fault !== null || !isRequest('RangeQuery', query))
        return invalidInput(fault ?? { path: '', expected: 'a range', found: 'something else' })
      return downloads.range(String(path['order_id']), Number(path['bundle_id']), query)
    },
  }
}

class Downloads {
  readonly #goods: ShopGoods
  readonly #store: ShopStore
  readonly #shelves: ShelfKeeper
  readonly #purchases: ShopPurchases
  readonly #states: DayStates
  readonly #checksums = new ArchiveChecksums()

  constructor({ goods, store, shelves, purchases, states }: DownloadParts) {
    this.#goods = goods
    this.#store = store
    this.#shelves = shelves
    this.#purchases = purchases
    this.#states = states
  }

  /** A day of an order, in the mode that its parameters ask for. */
  async day(orderId: string, id: number, date: string, query: DownloadQuery): Promise<ShopReply> {
    const order = this.#openOrder(orderId, query.t)
    if ('kind' in order) return order
    const item = this.#store.item(orderId, query.kind ?? 'tick', id, date)
    if (item === null) return refusal('noAccess')
    const shelf = await this.#shelves.look()
    return item.kind === 'tick' ? this.#tick(shelf, item, query) : this.#bundle(shelf, order, item, query)
  }

  /** Every bought day of a window. */
  async range(orderId: string, bundleId: number, query: Sent<'RangeQuery'>): Promise<ShopReply> {
    const order = this.#openOrder(orderId, query.t)
    if ('kind' in order) return order
    const items = this.#store.items(orderId).filter(({ kind, instrumentId, date }) =>
      kind === 'series_day' && instrumentId === bundleId && date >= query.from && date <= query.to)
    const [first] = items
    const shelf = await this.#shelves.look()
    const days = items.flatMap((item) => boughtDay(shelf, order, item) ?? [])
    if (first === undefined || days.length === 0) return refusal('noAccess')
    days.sort((a, b) => (a.date < b.date ? -1 : 1))
    if (query.restore !== undefined) this.#restore(days)
    const files = await boughtFiles(this.#goods, this.#states, days)
    if (query.manifest !== undefined) return json('Manifest', manifestOf(files))
    const counts = archiveCounts(files)
    const isWhole = counts.ready === files.length
    if (query.status !== undefined) return json('ArchiveCounts', counts)
    if (query.restore !== undefined) return json('ArchiveCounts', counts, isWhole ? 200 : 202)
    if (!isWhole && query.complete !== undefined) return refusal('partialArchive')
    if (counts.ready === 0) return json('ArchiveCounts', counts, 202)
    const fileName = shopFileName(first.exchangeCode, first.code, `${query.from}..${query.to}`, 'tar')
    return { kind: 'bytes', segments: tarSegments(readyFiles(files)), media: 'application/x-tar', fileName }
  }

  /** The order that a token opens, as long as its files are served. */
  #openOrder(orderId: string, token: string): StoredOrder | RefusalReply {
    const order = this.#purchases.orderOfToken(orderId, token)
    if (order?.record.state === 'expired') return refusal('orderExpired')
    return order?.record.state === 'paid' ? order : refusal('noAccess')
  }

  #tick(shelf: Shelf, item: StoredItem, query: DownloadQuery): ShopReply | Promise<ShopReply> {
    const { instrumentId, code, exchangeCode, date } = item
    if (!shelf.isThere(instrumentId, date)) return refusal('notFound')
    const { status, restore, format, probe } = query
    const days = [{ instrumentId, date }]
    const [state = 'ready'] = restore === undefined ? this.#states.shown(days) : this.#states.cause(days, 'restore')
    if (restore !== undefined) return json('DayState', { state }, state === 'ready' ? 200 : 202)
    if (status !== undefined) return json('DayState', { state })
    if (state !== 'ready') return probe === undefined ? notYet(state) : json('ExportState', { state })
    const named = { id: instrumentId, code, exchangeCode }
    if (format === undefined) return dayFileReply(this.#goods, named, date)
    return probe === undefined
      ? exportReply(this.#goods, named, date, format) : exportState(this.#goods, named, date, format)
  }

  async #bundle(shelf: Shelf, order: StoredOrder, item: StoredItem, query: DownloadQuery): Promise<ShopReply> {
    const day = boughtDay(shelf, order, item)
    if (day === null) return refusal('notFound')
    let files = await boughtFiles(this.#goods, this.#states, [day])
    if (query.manifest !== undefined) return json('Manifest', manifestOf(files))
    if (query.status !== undefined) return json('ArchiveCounts', archiveCounts(files))
    const isOverLimit = archiveState(files) === 'too_large'
    const { cold, pending, ready } = archiveCounts(files)
    const isStarted = query.probe !== undefined || (query.complete === undefined && ready + pending === 0)
    if (isStarted && cold > 0 && !isOverLimit) {
      this.#restore([day])
      files = await boughtFiles(this.#goods, this.#states, [day])
    }
    return this.#zip(files, query, shopFileName(item.exchangeCode, item.code, item.date, 'zip'))
  }

  async #zip(files: readonly BoughtFile[], query: DownloadQuery, fileName: string): Promise<ShopReply> {
    const state = archiveState(files)
    if (state === 'too_large') return json('ArchiveState', { state })
    const { pending, ready } = archiveCounts(files)
    const isProbe = query.probe !== undefined
    if (state !== 'ready') {
      if (isProbe) return json('ArchiveState', { state })
      if (query.complete !== undefined) return refusal('partialArchive')
      if (pending > 0 || ready === 0) return json('ArchiveState', { state: 'pending' }, 202)
    }
    const members = readyFiles(files)
    const checksums = await this.#checksums.of(members.map(({ content }) => content))
    if (checksums === null) return json('ArchiveState', { state: 'pending' }, isProbe ? 200 : 202)
    if (isProbe) return json('ArchiveState', { state })
    const segments = zipSegments(members.map((member, at) => ({ ...member, crc32: checksums[at] ?? 0 })))
    return { kind: 'bytes', segments, media: 'application/zip', fileName }
  }

  #restore(days: readonly BoughtDay[]): void {
    const files = days.flatMap(({ date, members }) => members.map(({ instrumentId }) => ({ instrumentId, date })))
    this.#states.cause(files, 'restore')
  }
}

/** A bundle day of an order; null: nothing of it lies there. */
function boughtDay(shelf: Shelf, order: StoredOrder, item: StoredItem): BoughtDay | null {
  const { instrumentId, date, exchangeCode } = item
  const members = shelf.membersBought(instrumentId, date, order.record.startMs)
  return members.length === 0 ? null : { date, exchangeCode, members }
}

function notYet(state: Exclude<ShownDayState, 'ready'>): ShopReply {
  return json('Preparing', state === 'cold' ? { state } : { state, reason: 'restoring' }, 202)
}

/** The state of the zip of files. */
function archiveState(files: readonly BoughtFile[]): Sent<'ArchiveState'>['state'] {
  return stateAfter('archive', { state: 'pending', startMs: 0, sinceMs: 0 }, archiveEvent(files), 0).state
}

function readyFiles(files: readonly BoughtFile[]): readonly ArchiveMember[] {
  return files.flatMap(({ name, segments }) => (segments === null ? [] : [{ name, content: segments }]))
}
