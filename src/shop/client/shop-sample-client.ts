import type { Taken } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { isJsonObject } from '../../model/json-object.js'
import { checkedCall } from './request-check.js'
import type { ShopAsker } from './shop-asker-client.js'
import type { ShopFile, ShopFileOptions } from './shop-download.js'
import { checkOptions, downloadPieces, type DownloadParts } from './shop-downloads-client.js'
import { shopError } from './shop-failure.js'
import type { ShopFinding } from './shop-finding-client.js'
import { samplePiece } from './shop-pieces.js'

/** Downloads a free day. Throws SHOP_ANSWER_INVALID for one that does not lie on the shop. */
export async function downloadSample(
  parts: DownloadParts, finding: ShopFinding, sample: { readonly href: string }, options: ShopFileOptions,
): Promise<ShopFile> {
  checkOptions(options)
  const { instrumentId, date } = placeOfSample(parts.asker, sample.href)
  const stop = options.signal === undefined ? {} : { signal: options.signal }
  const { results } = await finding.search({ q: String(instrumentId) }, stop)
  const hit = results.find((one) => one.instrumentId === instrumentId)
  const names = hit === undefined ? null : { exchangeCode: hit.exchange.code, code: hit.code }
  const piece = samplePiece(instrumentId, date, names, options.format, sizeOf(sample))
  for await (const file of downloadPieces(parts, [piece], { ...options, jobs: 1 })) return file
  throw new Error('A sample is one file')
}

/** The day that an address names. */
function placeOfSample(asker: ShopAsker, href: string): { readonly instrumentId: number, readonly date: string } {
  const { shop } = asker
  const url = URL.canParse(href, shop.href) ? new URL(href, shop) : null
  const pattern = SHOP.routes.sample.path.replace('{id}', '(\\d{1,16})').replace('{date}', '(\\d{4}-\\d{2}-\\d{2})')
  const base = escaped(shop.pathname.replace(/\/+$/, ''))
  const [, id, date] = new RegExp(`^${base}${pattern}$`).exec(url?.pathname ?? '') ?? []
  if (url?.origin !== shop.origin || url.username !== '' || id === undefined || date === undefined) {
    const place = asker.placeOf({ route: 'samples' })
    throw shopError('SHOP_ANSWER_INVALID', place, `an href as ${SHOP.routes.sample.path} of the shop`, 'another one')
  }
  const call = checkedCall({ route: 'sample', path: { id: Number(id), date } })
  return { instrumentId: Number(call.path?.['id']), date }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The size that the list of free days says, where it says one. */
function sizeOf(sample: object): number | null {
  const { size }: Partial<Pick<Taken<'Sample'>, 'size'>> = isJsonObject(sample) ? sample : {}
  return typeof size === 'number' ? size : null
}
