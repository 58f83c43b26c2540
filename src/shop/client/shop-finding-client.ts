import { checkedAnswer } from '../../protocol/shop/shop-check.js'
import type { ShopSchemaName, Taken } from '../../protocol/shop/shop-schemas.js'
import { fileAnswer, type FileAnswer } from './file-answer.js'
import { checkedCall } from './request-check.js'
import type { ShopAsker } from './shop-asker-client.js'
import type { ShopCall } from './shop-call.js'
import { shopError } from './shop-failure.js'
import { fieldsOf, given, type ShopFields } from './shop-fields.js'
import { listItems } from './shop-list-client.js'
import type { ShopDaysOptions, ShopSearchWords, ShopStop } from './shop-options.js'

const STALL_MS = 30_000
const STATISTICS_BYTES_MAX = 64 * 1024 * 1024

/** The free routes of a shop: what it has. Every function throws as `ShopAsker.ask` does. */
export class ShopFinding {
  constructor(private readonly asker: ShopAsker) {}

  async search(words: ShopSearchWords, { signal }: ShopStop = {}): Promise<ShopFields<'Search'>> {
    const { q, venue, class: kind, base, limit } = words
    return this.#answer({ route: 'search', query: given({ q, venue, class: kind, base, limit }), signal }, 'Search')
  }

  async coverage(instrumentId: number, { signal }: ShopStop = {}): Promise<ShopFields<'Coverage'>> {
    return this.#answer({ route: 'coverage', path: { id: instrumentId }, signal }, 'Coverage')
  }

  async calendar(instrumentId: number, month: string, { signal }: ShopStop = {}): Promise<ShopFields<'Calendar'>> {
    return this.#answer({ route: 'calendar', path: { id: instrumentId }, query: { month }, signal }, 'Calendar')
  }

  days(instrumentId: number, options: ShopDaysOptions = {}): AsyncGenerator<ShopFields<'DaySize'>, void> {
    return this.#days({ route: 'days', path: { id: instrumentId } }, options)
  }

  daysPage(instrumentId: number, options: ShopDaysOptions = {}): Promise<ShopFields<'Days'>> {
    return this.#daysPage({ route: 'days', path: { id: instrumentId } }, options)
  }

  bundleDays(seriesKey: string, options: ShopDaysOptions = {}): AsyncGenerator<ShopFields<'DaySize'>, void> {
    return this.#days({ route: 'bundleDays', path: { series_key: seriesKey } }, options)
  }

  bundleDaysPage(seriesKey: string, options: ShopDaysOptions = {}): Promise<ShopFields<'Days'>> {
    return this.#daysPage({ route: 'bundleDays', path: { series_key: seriesKey } }, options)
  }

  async *bundles({ signal }: ShopStop = {}): AsyncGenerator<ShopFields<'Bundle'>, void> {
    const call: ShopCall = { route: 'bundles', signal }
    for await (const item of listItems(this.asker, { call, list: 'bundles', item: 'Bundle' }))
      yield fieldsOf('Bundle', item)
  }

  async *samples({ signal }: ShopStop = {}): AsyncGenerator<ShopFields<'Sample'>, void> {
    const call: ShopCall = { route: 'samples', signal }
    for await (const item of listItems(this.asker, { call, list: 'samples', item: 'Sample' }))
      yield fieldsOf('Sample', item)
  }

  /** The bytes of the CSV of the newest 24 hours. */
  async statistics(instrumentId: number, { signal }: ShopStop = {}): Promise<Uint8Array> {
    const call = checkedCall({ route: 'statistics', path: { id: instrumentId }, query: { format: 'csv' }, signal })
    const place = this.asker.placeOf(call)
    return this.asker.patiently({ place, isRepeatable: true, signal }, async () => {
      const opened = await this.asker.open(call, { 'accept-encoding': 'identity' }, [200])
      try {
        const answer = fileAnswer(opened.response, null, place)
        return await this.#bytes(call, answer, this.asker.chunks(opened, call, STALL_MS))
      } finally {
        opened.close()
      }
    })
  }

  async #bytes(call: ShopCall, answer: FileAnswer, chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
    const place = this.asker.placeOf(call)
    const parts: Uint8Array[] = []
    let sizeBytes = 0
    for await (const chunk of chunks) {
      sizeBytes += chunk.length
      if (sizeBytes > STATISTICS_BYTES_MAX)
        throw shopError('LIMIT_EXCEEDED', place, `at most ${STATISTICS_BYTES_MAX} bytes`, 'more')
      parts.push(chunk)
    }
    const stated = answer.kind === 'whole' ? answer.sizeBytes : null
    if (stated !== null && stated !== sizeBytes)
      throw shopError('SHOP_UNREACHABLE', place, `${stated} bytes`, `an end after ${sizeBytes}`)
    const whole = new Uint8Array(sizeBytes)
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }

  async #answer<Name extends ShopSchemaName>(call: ShopCall, schema: Name): Promise<ShopFields<Name>> {
    const { answer } = await this.asker.ask(checkedCall(call), schema)
    return fieldsOf(schema, answer)
  }

  /** Every day, newest first, as far as the cursors lead. */
  async *#days(call: ShopCall, options: ShopDaysOptions): AsyncGenerator<ShopFields<'DaySize'>, void> {
    let [at, oldest] = [daysCall(call, options), '9999-99-99']
    const place = this.asker.placeOf(call)
    for (;;) {
      const cursor: string | null | undefined = yield* this.#pageOfDays(at, (date) => {
        if (date >= oldest) throw shopError('SHOP_ANSWER_INVALID', place, `a day before ${oldest}`, date)
        oldest = date
      })
      if (cursor === null || cursor === undefined) return
      if (cursor === at.query?.['before'])
        throw shopError('SHOP_ANSWER_INVALID', place, 'a next_cursor that leads on', cursor)
      // A cursor is the shop's own: it need not look like a day.
      at = { ...at, query: { ...at.query, before: cursor } }
    }
  }

  async #daysPage(call: ShopCall, options: ShopDaysOptions): Promise<ShopFields<'Days'>> {
    const days: ShopFields<'DaySize'>[] = []
    const items = this.#pageOfDays(daysCall(call, options), () => undefined)
    for (;;) {
      const { done, value } = await items.next()
      if (done === true) return { days, nextCursor: value ?? null }
      days.push(value)
    }
  }

  /** The days of one answer; at its end the cursor. */
  async *#pageOfDays(
    call: ShopCall, check: (date: string) => void,
  ): AsyncGenerator<ShopFields<'DaySize'>, string | null | undefined> {
    const items = listItems(this.asker, { call, list: 'days', item: 'DaySize' })
    for (;;) {
      const { done, value } = await items.next()
      if (done === true) {
        const page: Taken<'Days'> = checkedAnswer('Days', { ...value, days: [] }, this.asker.placeOf(call))
        return page.next_cursor
      }
      check(value.date)
      yield fieldsOf('DaySize', value)
    }
  }
}

function daysCall(call: ShopCall, { before, limit, signal }: ShopDaysOptions): ShopCall {
  return checkedCall({ ...call, query: given<string | number>({ before, limit }), signal })
}
