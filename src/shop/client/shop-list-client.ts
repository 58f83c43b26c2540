import { BacktapeError } from '../../model/error.js'
import type { JsonObject } from '../../model/json-object.js'
import { JsonListFault, JsonListReader } from '../../protocol/json-list.js'
import { checkedAnswer } from '../../protocol/shop/shop-check.js'
import type { ShopSchemaName, Taken } from '../../protocol/shop/shop-schemas.js'
import { mediaOf, type OpenedBody, type ShopAsker } from './shop-asker-client.js'
import type { ShopCall } from './shop-call.js'
import { shopError } from './shop-failure.js'
import { jsonText } from './shop-fields.js'

/** A list in the answer of a call. */
export interface ShopList<Name extends ShopSchemaName> {
  readonly call: ShopCall
  /** The field of the answer that has it; an answer that is a list is taken too. */
  readonly list: string
  /** The schema of an item. */
  readonly item: Name
}

/** A connection ends where nothing comes for so long. */
const STALL_MS = 30_000

/**
 * The items of a list of any length, one by one as they come, each checked by its schema; at the end the fields beside
 * the list. A connection that fails is opened anew, and the items that came are passed over. Throws as `ShopAsker.ask`
 * does; LIMIT_EXCEEDED for an item over 1 MiB.
 */
export async function* listItems<Name extends ShopSchemaName>(
  asker: ShopAsker, list: ShopList<Name>,
): AsyncGenerator<Taken<Name>, JsonObject> {
  const reading = new ListReading(asker, list)
  const { signal } = list.call
  const patience = { place: reading.place, isRepeatable: true, signal, progress: () => reading.itemCount }
  try {
    for (;;) {
      yield* await asker.patiently(patience, () => reading.next())
      if (reading.rest !== null) return reading.rest
    }
  } finally {
    reading.close()
  }
}

/** An answer whose list is being read. */
interface OpenList {
  readonly opened: OpenedBody
  readonly chunks: AsyncGenerator<Uint8Array, void>
  readonly reader: JsonListReader
  readonly decoder: InstanceType<typeof TextDecoder>
  /** Items of this answer so far. */
  itemCount: number
}

class ListReading<Name extends ShopSchemaName> {
  readonly place: string
  /** Items that were taken, of whatever connection. */
  itemCount = 0
  /** The fields beside the list; null before its end. */
  rest: JsonObject | null = null
  #last: unknown = null
  #open: OpenList | null = null

  constructor(private readonly asker: ShopAsker, private readonly list: ShopList<Name>) {
    this.place = asker.placeOf(list.call)
  }

  /** Some more items; none at the end. */
  async next(): Promise<readonly Taken<Name>[]> {
    try {
      const open = this.#open ??= await this.#opened()
      for (;;) {
        const { done, value } = await open.chunks.next()
        if (done === true) return this.#end(open)
        const items = this.#fresh(open, open.reader.push(open.decoder.decode(value, { stream: true })))
        if (items.length > 0) return items
      }
    } catch (error) {
      const media = this.#open?.opened.response
      this.close()
      throw this.asker.safeError(this.#typed(error, media), this.list.call)
    }
  }

  close(): void {
    this.#open?.opened.close()
    this.#open = null
  }

  async #opened(): Promise<OpenList> {
    const { asker, list: { call, list } } = this
    const opened = await asker.open(call)
    return {
      opened, chunks: asker.chunks(opened, call, STALL_MS), reader: new JsonListReader({ list, numbers: 'exact' }),
      decoder: new TextDecoder(), itemCount: 0,
    }
  }

  #end({ reader }: OpenList): readonly [] {
    const rest = reader.end()
    if (rest === null)
      throw shopError('SHOP_ANSWER_INVALID', this.place, `a list, or an object with the list ${this.list.list}`, 'none')
    this.rest = rest
    return []
  }

  /** Items that were not taken before; those that were must be the same again. */
  #fresh(open: OpenList, items: readonly unknown[]): readonly Taken<Name>[] {
    const fresh: Taken<Name>[] = []
    for (const item of items) {
      const at = open.itemCount++
      if (at >= this.itemCount) {
        fresh.push(checkedAnswer(this.list.item, item, `${this.place}, ${this.list.list}[${at}]`))
        this.#last = item
      } else if (at === this.itemCount - 1 && jsonText(item) !== jsonText(this.#last))
        throw shopError('SHOP_ANSWER_INVALID', this.place, 'the list of before', 'another one')
    }
    this.itemCount = Math.max(this.itemCount, open.itemCount)
    return fresh
  }

  #typed(error: unknown, response: Response | undefined): unknown {
    if (error instanceof BacktapeError || !(error instanceof JsonListFault)) return error
    const code = error.kind === 'too large' ? 'LIMIT_EXCEEDED' : 'SHOP_ANSWER_INVALID'
    return shopError(code, this.place, error.expected, response === undefined ? 'another text' : mediaOf(response))
  }
}
