import { dayText, epochDayFromText } from '../../model/time.js'
import type { ShopFileKind } from './byte-check.js'
import type { ExpectedDay } from './byte-checks.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { itemKey, type ShopItem } from './shop-baskets.js'
import type { ShopCall } from './shop-call.js'
import type { ShopFields } from './shop-fields.js'
import { shopFileName } from '../../model/shop-file-name.js'

/** The way in which a file becomes ready. */
export type PieceWay = 'day' | 'export' | 'sample' | 'sample export' | 'zip' | 'range'

/** A file to download. */
export interface ShopPiece {
  readonly name: string
  readonly kind: ShopFileKind
  readonly way: PieceWay
  /** The goods in words, which are compared with those of a manifest. */
  readonly goods: string
  readonly items: readonly ShopItem[]
  /** The day of a tick file or an export; null for an archive. */
  readonly day: ExpectedDay | null
  /** The call without what asks for bytes, states or the manifest. */
  readonly call: ShopCall
  readonly format: string | null
  /** Length where the shop says it before. */
  readonly sizeBytes: number | null
}

type OrderItem = ShopFields<'OrderItem'>

/** The files of an order. */
export interface PieceOptions {
  /** Only these items. */
  readonly items?: readonly ShopItem[]
  readonly format?: string
  /** Bundle days as tars of up to 100 days. */
  readonly isRanges: boolean
}

/** The files that the items of an order are, in their order; bundles behind the others where they go by ranges. */
export function piecesOf(
  orderId: string, token: string, owned: readonly OrderItem[], { items, format, isRanges }: PieceOptions,
): readonly ShopPiece[] {
  const wanted = items === undefined ? null : new Set(items.map(itemKey))
  const chosen = owned.filter((item) => wanted?.has(itemKey(item)) ?? true)
  const pieces: ShopPiece[] = []
  const bundles = new Map<number, OrderItem[]>()
  for (const item of chosen) {
    if (item.kind !== 'series_day') pieces.push(dayPiece(orderId, token, item, format))
    else if (!isRanges) pieces.push(zipPiece(orderId, token, item))
    else bundles.set(item.instrumentId, [...(bundles.get(item.instrumentId) ?? []), item])
  }
  for (const days of bundles.values())
    for (const window of windowsOf(days)) pieces.push(rangePiece(orderId, token, window))
  return pieces
}

/** Items of the wanted that the order does not have. */
export function notOwned(owned: readonly OrderItem[], items: readonly ShopItem[]): readonly ShopItem[] {
  const has = new Set(owned.map(itemKey))
  return items.filter((item) => !has.has(itemKey(item)))
}

function dayPiece(orderId: string, token: string, item: OrderItem, format: string | undefined): ShopPiece {
  const { instrumentId, code, exchangeCode, date, bytes } = item
  const shared = {
    goods: goodsOf(item, format), items: [item], day: { instrumentId, code, exchangeCode, date },
    call: dayCall(orderId, token, item), format: format ?? null,
  }
  const name = shopFileName(exchangeCode, code, date, format ?? 'txt.zst')
  if (format === undefined) return { ...shared, name, kind: 'tick', way: 'day', sizeBytes: bytes }
  return { ...shared, name, kind: kindOfFormat(format), way: 'export', sizeBytes: null }
}

function zipPiece(orderId: string, token: string, item: OrderItem): ShopPiece {
  const { code, exchangeCode, date, bytes } = item
  const day = dayCall(orderId, token, item)
  return {
    name: shopFileName(exchangeCode, code, date, 'zip'), kind: 'zip', way: 'zip', goods: goodsOf(item), items: [item],
    day: null, call: { ...day, query: { kind: 'series_day' } }, format: null, sizeBytes: bytes,
  }
}

/** Bundle days of one bundle as a tar. */
function rangePiece(orderId: string, token: string, days: readonly OrderItem[]): ShopPiece {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) throw new Error('A range has at least one day')
  const span = first === last ? first.date : `${first.date}_${last.date}`
  const query = { kind: 'series_day', from: first.date, to: last.date }
  return {
    name: shopFileName(first.exchangeCode, first.code, span, 'tar'), kind: 'tar', way: 'range',
    goods: `series_day ${first.instrumentId} ${days.map(({ date }) => date).join(' ')}`, items: days, day: null,
    call: { route: 'range', path: { order_id: orderId, bundle_id: first.instrumentId }, query, token }, format: null,
    sizeBytes: days.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** The tar of a bundle day whose zip is too large. */
export function asRange(piece: ShopPiece): ShopPiece {
  const [item] = piece.items
  const { order_id: orderId, instrument_id: id } = piece.call.path ?? {}
  if (item === undefined || orderId === undefined || id === undefined) throw new Error('A zip is of a bundle day')
  const query = { kind: 'series_day', from: item.date, to: item.date }
  return {
    ...piece, name: piece.name.replace(/zip$/, 'tar'), kind: 'tar', way: 'range',
    call: { ...piece.call, route: 'range', path: { order_id: orderId, bundle_id: id }, query },
  }
}

/** A free day as a file. */
export function samplePiece(
  instrumentId: number, date: string, names: { readonly exchangeCode: string, readonly code: string } | null,
  format: string | undefined, sizeBytes: number | null,
): ShopPiece {
  const { exchangeCode = 'sample', code = String(instrumentId) } = names ?? {}
  const item = { instrumentId, date }
  const ending = format ?? 'txt.zst'
  return {
    name: shopFileName(exchangeCode, code, date, ending), kind: format === undefined ? 'tick' : kindOfFormat(format),
    way: format === undefined ? 'sample' : 'sample export', goods: goodsOf(item, format), items: [item],
    day: { instrumentId, code: names?.code ?? null, exchangeCode: names?.exchangeCode ?? null, date },
    call: { route: 'sample', path: { id: instrumentId, date } }, format: format ?? null,
    sizeBytes: format === undefined ? sizeBytes : null,
  }
}

function goodsOf(item: ShopItem, format?: string): string {
  return format === undefined ? itemKey(item) : `${itemKey(item)} ${format}`
}

function dayCall(orderId: string, token: string, { instrumentId, date }: OrderItem): ShopCall {
  return { route: 'download', path: { order_id: orderId, instrument_id: instrumentId, date }, token }
}

function kindOfFormat(format: string): ShopFileKind {
  return format.endsWith('.parquet') ? 'parquet' : 'gzip'
}

/** Days in windows of the length that a range may have, oldest first. */
function windowsOf(days: readonly OrderItem[]): readonly (readonly OrderItem[])[] {
  const windows: OrderItem[][] = []
  let end = ''
  for (const day of days.toSorted((a, b) => (a.date < b.date ? -1 : 1))) {
    if (day.date > end) {
      windows.push([])
      end = dayText((epochDayFromText(day.date) ?? 0) + SHOP.limits.rangeDays.value - 1)
    }
    windows.at(-1)?.push(day)
  }
  return windows
}
