import { instrumentName } from '../../model/instrument.js'
import { bytesOfDays, dayAmong, dayOfMs, daysBefore } from './sold-days.js'
import type { GoodsDay, GoodsInstrument, GoodsList, GoodsMember, GoodsSeries, ShopGoods } from './shop-goods.js'
import type { ShopTime } from './shop-settings.js'
import type { ShopVisibility } from './shop-visibility.js'

/** A day of a series, with the files in it that are shown. */
export interface SoldSeriesDay extends GoodsDay {
  readonly members: readonly GoodsMember[]
}

/** A series with the days of it that are sold. */
export interface SoldSeries extends Omit<GoodsSeries, 'days'> {
  /** Ascending. */
  readonly days: readonly SoldSeriesDay[]
}

/** An instrument with the days of it that are sold: those before the UTC day of the shop's clock. */
export interface SoldInstrument extends GoodsInstrument {
  /** The sum of the days. */
  readonly totalBytes: number
}

/** The things that are sold on a UTC day: instruments that are not hidden, and days before that day. */
export class Shelf {
  readonly #list: GoodsList
  readonly #visibility: ShopVisibility
  readonly #sold = new Map<number, SoldInstrument>()
  #series: ReadonlyMap<string, SoldSeries> | null = null
  #bundles: ReadonlyMap<number, SoldSeries> | null = null
  #everySeries: ReadonlyMap<number, GoodsSeries> | null = null
  #named: ReadonlyMap<string, GoodsInstrument> | null = null

  constructor(
    list: GoodsList,
    /** The UTC day of the clock, `2024-08-08`. */
    readonly today: string,
    visibility: ShopVisibility,
  ) {
    this.#list = list
    this.#visibility = visibility
  }

  /** An instrument that is shown; null: an unknown or a hidden one. */
  instrument(id: number): SoldInstrument | null {
    const known = this.#sold.get(id)
    if (known !== undefined) return known
    const there = this.#list.instruments.get(id)
    if (there === undefined || !this.#isShown(there)) return null
    const days = daysBefore(there.days, this.today)
    const sold = { ...there, days, totalBytes: bytesOfDays(days) }
    this.#sold.set(id, sold)
    return sold
  }

  /** The instruments that are shown. */
  *instruments(): Generator<GoodsInstrument, void, undefined> {
    for (const one of this.#list.instruments.values()) if (this.#isShown(one)) yield one
  }

  /** Every series with a day that is sold, by its key. */
  get series(): ReadonlyMap<string, SoldSeries> {
    this.#series ??= new Map([...this.#list.series.values()].flatMap((one) => {
      const days = this.#seriesDays(one)
      return days.length === 0 ? [] : [[one.seriesKey, { ...one, days }]]
    }))
    return this.#series
  }

  /** A series by the id of its bundles. */
  bundle(bundleId: number): SoldSeries | null {
    this.#bundles ??= new Map([...this.series.values()].map((one) => [one.bundleId, one]))
    return this.#bundles.get(bundleId) ?? null
  }

  /** An instrument that lies there, hidden or not, by its id or `exchange:CODE`. */
  anyInstrument(named: number | string): GoodsInstrument | null {
    if (typeof named === 'number') return this.#list.instruments.get(named) ?? null
    for (const one of this.#list.instruments.values())
      if (instrumentName(one) === named) return one
    return null
  }

  /** True where a day lies there, hidden or not. */
  isThere(instrumentId: number, date: string): boolean {
    return dayAmong(this.#list.instruments.get(instrumentId)?.days ?? [], date) !== null
  }

  /** The files of a bundle day that was bought at a time: those that were shown then. */
  membersBought(bundleId: number, date: string, boughtMs: number): readonly GoodsMember[] {
    this.#everySeries ??= new Map([...this.#list.series.values()].map((one) => [one.bundleId, one]))
    const series = this.#everySeries.get(bundleId)
    const day = series === undefined ? null : dayAmong(series.days, date)
    if (series === undefined || day === null) return []
    return day.members.filter(({ instrumentId, code }) => {
      const sinceMs = this.#visibility.hiddenSinceMs(instrumentId, series.exchangeCode, code)
      return sinceMs === null || sinceMs > boughtMs
    })
  }

  /** A shown instrument by `exchange:CODE`, the least id where several have that name. */
  named(name: string): GoodsInstrument | null {
    if (this.#named === null) {
      const all = [...this.instruments()].sort((a, b) => b.id - a.id)
      this.#named = new Map(all.map((one) => [instrumentName(one), one]))
    }
    return this.#named.get(name) ?? null
  }

  #isShown({ id, exchangeCode, code }: GoodsInstrument): boolean {
    return this.#visibility.hiddenSinceMs(id, exchangeCode, code) === null
  }

  #seriesDays({ days, exchangeCode }: GoodsSeries): readonly SoldSeriesDay[] {
    return daysBefore(days, this.today).flatMap(({ date, members }) => {
      const shown = members.filter(({ instrumentId, code }) =>
        this.#visibility.hiddenSinceMs(instrumentId, exchangeCode, code) === null)
      return shown.length === 0 ? [] : [{ date, sizeBytes: bytesOfDays(shown), members: shown }]
    })
  }
}

/** Looks at what is sold now; what was worked out stays as long as nothing changes. */
export class ShelfKeeper {
  readonly #goods: ShopGoods
  readonly #time: ShopTime
  readonly #visibility: ShopVisibility
  #shelf: { readonly shelf: Shelf, readonly version: number, readonly revision: number } | null = null

  constructor(goods: ShopGoods, time: ShopTime, visibility: ShopVisibility) {
    this.#goods = goods
    this.#time = time
    this.#visibility = visibility
  }

  async look(): Promise<Shelf> {
    const list = await this.#goods.look()
    const today = dayOfMs(this.#time.nowMs())
    const { version } = list
    const { revision } = this.#visibility
    if (this.#shelf?.version !== version || this.#shelf.revision !== revision || this.#shelf.shelf.today !== today)
      this.#shelf = { shelf: new Shelf(list, today, this.#visibility), version, revision }
    return this.#shelf.shelf
  }
}
