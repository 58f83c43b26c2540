import type { GoodsExport, GoodsInstrument, GoodsList, GoodsMember, GoodsSeries, ShopGoods } from '../../src/shop/server/shop-goods.js'
import { type Segments, segmentsOf } from '../../src/shop/server/segments.js'

/** Parts of an instrument of {@link FakeGoods}; its days are `2024-08-01`, or such with a size: `2024-08-01 500`. */
export interface FakeInstrument extends Partial<Omit<GoodsInstrument, 'id' | 'code' | 'days'>> {
  readonly days?: readonly string[]
}

/** Goods in memory. The file of a day has the text `5 2024-08-01`, and then dots. */
export class FakeGoods implements ShopGoods {
  readonly instruments = new Map<number, GoodsInstrument>()
  readonly series = new Map<string, GoodsSeries>()
  /** Exports by `5 2024-08-01 trades.csv.gz`; the others are made by {@link make}. */
  readonly exports = new Map<string, GoodsExport>()
  /** Days without a file, though they are listed: `5 2024-08-01`. */
  readonly gone = new Set<string>()
  /** The exports that were asked for, with the manner: `5 2024-08-01 trades.csv.gz request`. */
  readonly asked: string[] = []
  looks = 0
  #version = 1

  add(id: number, code: string, { days = [], ...more }: FakeInstrument = {}): this {
    this.#version++
    this.instruments.set(id, {
      id, code, type: 'spot', base: null, counter: null, exchangeCode: 'a_spot', exchangeName: 'A', state: 'open', ...more,
      days: days.map((text) => {
        const [date = '', size = '100'] = text.split(' ')
        return { date, sizeBytes: Number(size) }
      }),
    })
    return this
  }

  /** A series whose days have instruments that were added, with the sizes of theirs. */
  bundle(bundleId: number, seriesKey: string, days: Readonly<Record<string, readonly number[]>>, more: Partial<GoodsSeries> = {}): this {
    this.#version++
    const members = (date: string, ids: readonly number[]): GoodsMember[] => ids.flatMap((id) => {
      const one = this.instruments.get(id)
      return one === undefined ? [] : [{ instrumentId: id, code: one.code, sizeBytes: one.days.find((day) => day.date === date)?.sizeBytes ?? 100 }]
    })
    this.series.set(seriesKey, {
      bundleId, seriesKey, kind: 'option_chain', priceCents: 150, exchangeCode: 'a_spot', ...more,
      days: Object.entries(days).map(([date, ids]) => ({ date, members: members(date, ids) })),
    })
    return this
  }

  look(): Promise<GoodsList> {
    this.looks++
    return Promise.resolve({ version: this.#version, instruments: this.instruments, series: this.series })
  }

  dayFile(id: number, date: string): Promise<Segments | null> {
    const day = this.instruments.get(id)?.days.find((one) => one.date === date)
    if (day === undefined || this.gone.has(`${id} ${date}`)) return Promise.resolve(null)
    // A size that no test reads stands for itself.
    const content = day.sizeBytes > 1e6 ? [{ path: '/nowhere', stamp: `${id} ${date}`, fromByte: 0, sizeBytes: day.sizeBytes }]
      : [new TextEncoder().encode(`${id} ${date}`.padEnd(day.sizeBytes, '.'))]
    return Promise.resolve(segmentsOf(content, 1000))
  }

  dayExport(id: number, date: string, format: string, starts: string): Promise<GoodsExport> {
    const key = `${id} ${date} ${format}`
    this.asked.push(`${key} ${starts}`)
    const known = this.exports.get(key) ?? { state: 'none', segments: null }
    const isStarted = starts === 'request' ? known.state === 'none' || known.state === 'failed' : starts === 'probe' && known.state === 'none'
    if (isStarted) this.exports.set(key, { state: 'converting', segments: null })
    return Promise.resolve(this.exports.get(key) ?? known)
  }

  /** Ends the making of an export. */
  make(id: number, date: string, format: string, state: GoodsExport['state'] = 'ready'): void {
    const segments = state === 'ready' ? segmentsOf([new TextEncoder().encode(`${format} of ${id}`)], 1000) : null
    this.exports.set(`${id} ${date} ${format}`, { state, segments })
  }

  minutes(id: number, endMs: number): Promise<Uint8Array | null> {
    const { days = [] } = this.instruments.get(id) ?? {}
    return Promise.resolve(days.length === 0 ? null : new TextEncoder().encode(`# ${id} before ${endMs}\ntime\n`))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
