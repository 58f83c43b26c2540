import { createHash } from 'node:crypto'
import type { FoundTick } from '../catalog/catalog-day.js'
import { seriesOf, type CatalogSeries } from '../catalog/catalog-series.js'
import type { CatalogState } from '../catalog/folder-catalog.js'
import { keptValue } from '../model/kept-value.js'
import type { GoodsInstrument, GoodsList, GoodsSeries } from '../shop/server/shop-goods.js'

/** The files of days by instrument and date. */
export type GoodsFiles = ReadonlyMap<number, ReadonlyMap<string, FoundTick>>

/** The goods that a catalog has found. */
export interface FoundGoods extends Omit<GoodsList, 'version'> {
  /** The file of each day that is sold. */
  readonly files: GoodsFiles
  /** Sentences on what lies there and is not sold. */
  readonly notes: readonly string[]
}

/** The price of a day of a series. */
const PRICE_CENTS = 100
/** Ids of bundles have thirteen digits; those of instruments have eight at most. */
const BUNDLE_ID_FIRST = 1_000_000_000_000
const BUNDLE_ID_COUNT = 9_000_000_000_000n
const SERIES_KEY = /^[^\s\p{Cc}]{1,200}$/u

/** The goods of a catalog: each day of an instrument once, as it lies there, and the series of archives. */
export function goodsOf(state: CatalogState): FoundGoods {
  const notes = new Set<string>()
  const files = filesOf(state, notes)
  const instruments = new Map([...files].map(([id, days]) => [id, instrumentOf(id, days)]))
  return { instruments, series: seriesGoods(state, files, notes), files, notes: [...notes] }
}

function filesOf({ files, copies }: CatalogState, notes: Set<string>): GoodsFiles {
  const sold = new Map<number, Map<string, FoundTick>>()
  const same = new Set(copies.flatMap(({ name, of }) => [name, of]))
  const offered = files.flatMap(({ stamp, ticks, table, problem }) => {
    if (problem !== null && table === null) notes.add(`Not sold: ${problem}`)
    return ticks.map((facts): FoundTick => ({ facts, stamp, digest: null, audit: null }))
  })
  // Files of their own come before members of archives; a catalog has files by their path.
  const alone = offered.filter(isAlone)
  for (const tick of [...alone, ...offered.filter((one) => !isAlone(one)).sort(byName)]) {
    const { name, day, fromByte, instrument } = tick.facts
    if (day === null) notes.add(`Not sold: ${name}: its name does not say its day`)
    else if (fromByte === null)
      notes.add(`Not sold: ${name}: it lies packed in its archive; store it there as it is, or beside it`)
    else {
      const days = keptValue(sold, instrument.id, () => new Map<string, FoundTick>())
      const { facts } = keptValue(days, day, () => tick)
      if (facts !== tick.facts && !(same.has(name) && same.has(facts.name)))
        notes.add(`Not sold: ${name}: the file of instrument ${String(instrument.id)} of ${day} is ${facts.name}`)
    }
  }
  return sold
}

function isAlone({ facts, stamp }: FoundTick): boolean {
  return facts.name === stamp.path
}

function byName({ facts: a }: FoundTick, { facts: b }: FoundTick): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

function instrumentOf(id: number, files: ReadonlyMap<string, FoundTick>): GoodsInstrument {
  const days = [...files].map(([date, { facts }]) => ({ date, sizeBytes: facts.sizeBytes }))
  days.sort((a, b) => (a.date < b.date ? -1 : 1))
  const newest = files.get(days.at(-1)?.date ?? '')?.facts.instrument
  const { code = '', type = '', base = null, counter = null, exchangeCode = '', state } = newest ?? {}
  // Master data state no name of an exchange (spec 4, section 2).
  return { id, code, type, base, counter, exchangeCode, exchangeName: exchangeCode, state: state ?? 'open', days }
}

function seriesGoods(state: CatalogState, files: GoodsFiles, notes: Set<string>): ReadonlyMap<string, GoodsSeries> {
  const sold = new Map<string, GoodsSeries>()
  const ids = new Set(files.keys())
  for (const series of seriesOf(state.files)) {
    const { key } = series
    const bundleId = bundleIdOf(key)
    const goods = seriesOfSold(series, bundleId, files)
    if (goods === null) continue
    if (!SERIES_KEY.test(key))
      notes.add(`Not sold as a series: ${JSON.stringify(key)}: a key has 1 to 200 letters and no space`)
    else if (ids.has(bundleId))
      notes.add(`Not sold as a series: ${key}: its id ${String(bundleId)} is taken; give its archives another name`)
    else {
      sold.set(key, goods)
      ids.add(bundleId)
    }
  }
  return sold
}

function seriesOfSold({ key, kind, days }: CatalogSeries, bundleId: number, files: GoodsFiles): GoodsSeries | null {
  const sold = [...days].flatMap(([date, members]) => {
    const own = members.flatMap(({ instrument: { id } }) => {
      const facts = files.get(id)?.get(date)?.facts
      return facts === undefined ? [] : [facts]
    })
    return own.length === 0 ? [] : [{ date, own }]
  })
  const exchangeCode = sold.at(-1)?.own[0]?.instrument.exchangeCode
  if (exchangeCode === undefined) return null
  return {
    bundleId, seriesKey: key, kind, priceCents: PRICE_CENTS, exchangeCode,
    days: sold.map(({ date, own }) => ({
      date,
      members: own.map(({ instrument: { id, code }, sizeBytes }) => ({ instrumentId: id, code, sizeBytes })),
    })),
  }
}

/** A number that belongs to a key: the same on every machine and at every time. */
export function bundleIdOf(seriesKey: string): number {
  const hash = createHash('sha256').update(seriesKey).digest().readBigUInt64BE(0)
  return BUNDLE_ID_FIRST + Number(hash % BUNDLE_ID_COUNT)
}
