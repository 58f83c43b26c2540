import { instrumentName } from '../../model/instrument.js'
import { callPath } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import type { DatedName } from './dated-names.js'
import { dayFileReply, exportReply } from './file-replies.js'
import type { Shelf, ShelfKeeper, SoldInstrument, SoldSeries } from './shelf.js'
import type { GoodsDay, ShopGoods } from './shop-goods.js'
import { json, refusal, withQuery } from './shop-replies.js'
import type { ShopHandlers, ShopReply, ShopRequest } from './shop-reply.js'
import { ShopSearch } from './shop-search.js'
import type { ShopTime } from './shop-settings.js'
import { coverageOf, dayAmong, daysOfMonth, daysPage } from './sold-days.js'

/** The parts that the routes of "Search and discovery" need. */
export interface FindParts {
  readonly goods: ShopGoods
  readonly shelves: ShelfKeeper
  readonly time: ShopTime
  /** Free days. */
  readonly samples: readonly DatedName[]
}

/** The handlers of "Search and discovery" (spec 1): free, and without a key. */
export function findHandlers({ goods, shelves, time, samples }: FindParts): ShopHandlers {
  const search = new ShopSearch()
  const coverages = new WeakMap<readonly GoodsDay[], Sent<'Coverage'>>()
  /** Worked out once for each list of days: there are thousands of series. */
  const coverage = (days: readonly GoodsDay[]): Sent<'Coverage'> => {
    const known = coverages.get(days) ?? coverageOf(days)
    coverages.set(days, known)
    return known
  }
  const sold = async ({ path }: ShopRequest): Promise<SoldInstrument | null> =>
    (await shelves.look()).instrument(Number(path['id']))
  return {
    search: withQuery('SearchQuery', async (query) => search.answer(await shelves.look(), query)),
    coverage: async (request) => shown(await sold(request), ({ days }) => json('Coverage', coverage(days))),
    days: withQuery('DaysQuery', async (query, request) =>
      shown(await sold(request), ({ days }) => json('Days', daysPage(days, query)))),
    calendar: withQuery('CalendarQuery', async ({ month }, request) =>
      shown(await sold(request), ({ days }) => json('Calendar', { month, days: daysOfMonth(days, month) }))),
    bundles: async () => {
      const bundles = [...(await shelves.look()).series.values()].map((one) => bundleOf(one, coverage(one.days)))
      return json('Bundles', { bundles })
    },
    bundleDays: withQuery('DaysQuery', async (query, { path }) => {
      const series = (await shelves.look()).series.get(String(path['series_key'])) ?? null
      return shown(series, ({ days }) => json('Days', daysPage(days, query)))
    }),
    samples: async () => json('Samples', { samples: samplesOf(samples, await shelves.look()) }),
    sample: withQuery('SampleQuery', async ({ format }, request) => {
      const date = String(request.path['date'])
      return shown(await sold(request), (one) => {
        const isFree = samples.some(({ name, date: free }) => free === date && name === nameOf(one))
        if (!isFree || dayAmong(one.days, date) === null) return refusal('notFound')
        return format === undefined ? dayFileReply(goods, one, date) : exportReply(goods, one, date, format)
      })
    }),
    statistics: withQuery('StatisticsQuery', async (_query, request) => shown(await sold(request), async ({ id }) => {
      const text = await goods.minutes(id, time.nowMs())
      return text === null ? refusal('notFound') : { kind: 'text', status: 200, media: 'text/csv', text }
    })),
  }
}

/** The answer about a thing that is shown; an unknown and a hidden one are refused alike. */
function shown<Thing>(
  thing: Thing | null, reply: (thing: Thing) => ShopReply | Promise<ShopReply>,
): ShopReply | Promise<ShopReply> {
  return thing === null ? refusal('notFound') : reply(thing)
}

function nameOf({ exchangeCode, code }: SoldInstrument): string {
  return instrumentName({ exchangeCode, code })
}

function bundleOf({ bundleId, seriesKey, priceCents, kind }: SoldSeries, coverage: Sent<'Coverage'>): Sent<'Bundle'> {
  return { bundle_id: bundleId, series_key: seriesKey, price_cents: priceCents, coverage, kind }
}

function samplesOf(samples: readonly DatedName[], shelf: Shelf): readonly Sent<'Sample'>[] {
  return samples.flatMap(({ name, date }) => {
    const one = shelf.instrument(shelf.named(name)?.id ?? -1)
    const day = one === null ? null : dayAmong(one.days, date)
    if (one === null || day === null) return []
    const href = callPath('sample', { id: one.id, date })
    return [{ href, instrument_id: one.id, code: one.code, date, size: day.sizeBytes }]
  })
}
