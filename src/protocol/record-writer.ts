import type { OrderError, OrderReport } from '../model/order.js'
import type { Fill, Position, UsdAmount, Wallet } from '../venue/account-messages.js'
import type {
  AmendedFields, AmendEntry, AmendResult, CancelEntry, CancelResult, PlaceEntry, PlaceResult, ReplaceEntry,
  ReplaceResult,
} from '../venue/messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import { writeUuid } from './id-bytes.js'
import { HELD, NOT_HELD, type JournalSegment, type Outcome, type RecordTable, type ScaleSource } from './journal-segment.js'
import type { AccountOrders, KnownOrder } from './known-orders.js'
import type { StatedAmount } from '../model/amount.js'
import { writeAmount, writeMoney } from './money-words.js'
import { NULL_LOW, RECORD_LAYOUTS, type RecordGroup, type RecordLayout } from './record-layout.js'

const TWO_32 = 4_294_967_296
const LARGEST_NUMBER = 0x7fffffff
const LARGEST_SCALE = 254

type Message = ClientRequest | ClientMessage
/** Places of the fields of an object behind its first byte. */
type Places<M> = { readonly [F in keyof M]-?: number }

function groupOf(name: string, path: readonly string[]): RecordGroup {
  const layout = RECORD_LAYOUTS.find((one) => one.name === name)
  return path.reduce<RecordGroup | undefined>(
    (group, part) => group?.groups.find((one) => one.name === part), layout?.message,
  ) as RecordGroup
}

/** Places of the fields that the objects of a group have in its widest record: narrower ones begin in the same way. */
function placesOf<M>(name: string, ...path: string[]): Places<M> {
  const { fields, at } = groupOf(name, path)
  return Object.fromEntries(fields.map((field) => [field.name, field.at - at])) as Places<M>
}

const ENTRY = placesOf<PlaceEntry>('placeMore', 'entries')
const AMEND = placesOf<AmendEntry>('amend', 'entries')
const REPLACE = placesOf<ReplaceEntry>('replace', 'entries')
const CANCEL = placesOf<CancelEntry>('cancel', 'entries')
const REPORT = placesOf<OrderReport>('orderUpdateMore', 'orders')
const RESULT = placesOf<PlaceResult>('placeResponse', 'results')
const AMENDED = placesOf<AmendedFields>('amendResponse', 'results', 'result')
const REPLACED = placesOf<ReplaceResult>('replaceResponse', 'results')
const ERROR = placesOf<OrderError>('placeRefusal', 'results', 'error')
const CANCELED = placesOf<CancelResult>('cancelResponse', 'results')
const FILL = placesOf<Fill>('fill', 'fills')
const FINE_FILL = placesOf<Fill>('fillFine', 'fills')
const POSITION = placesOf<Position>('positionUpdate', 'positions')
const WALLET = placesOf<Wallet>('walletUpdate', 'wallets')
const FINE_WALLET = placesOf<Wallet>('walletUpdateFine', 'wallets')
const USD_AMOUNT = placesOf<UsdAmount>('walletUpdate', 'totalBalances')

function wordsOf(name: string): readonly string[] {
  const field = [...groupOf('placeMore', ['entries']).fields, ...groupOf('orderUpdate', ['orders']).fields]
    .find((one) => one.name === name)
  return field?.words ?? []
}

const [TYPES, SIDES, TIMES_IN_FORCE] = [wordsOf('type'), wordsOf('side'), wordsOf('timeInForce')]
const [STATES, OPEN_CLOSE] = [wordsOf('state'), wordsOf('openClose')]
const SOURCES = groupOf('placeRefusal', ['results', 'error']).fields.find(({ form }) => form === 'word')?.words ?? []

/** The orders of the account. */
type Orders = AccountOrders | undefined
/** The fields that objects of several kinds have. */
type Terms = Pick<
  PlaceEntry, 'type' | 'side' | 'timeInForce' | 'price' | 'totalQuantity' | 'postOnly' | 'reduceOnly' | 'closeOnly' |
    'displayQuantity' | 'triggerPrice' | 'pegOffsetValue' | 'openClose' | 'walletType'
>
type Change = Pick<ReplaceEntry, 'price' | 'totalQuantity' | 'triggerPrice'>
type Result = Pick<PlaceResult, 'ownOrderId' | 'clientOrderId' | 'exchangeTimeNs'>

/** First bytes of the objects of each kind of record: the first of its groups, and what lies in it or beside it. */
const BASES = RECORD_LAYOUTS.map(({ message: { at, groups: [object, ...beside] } }) => {
  const others = [...beside, ...(object?.groups ?? [])]
  return { message: at, object: object?.at ?? 0, second: others[0]?.at ?? 0, third: others[1]?.at ?? 0 }
})

/** An integer in 64 bits; false for a number that is no safe one. */
export function writeInteger(view: DataView, at: number, value: unknown): boolean {
  if (!Number.isSafeInteger(value)) return false
  view.setUint32(at, value as number, true)
  view.setInt32(at + 4, Math.floor((value as number) / TWO_32), true)
  return true
}

/**
 * Writes messages into records. Fields are named by hand, as a walk over the table costs five times as much; a test
 * writes every field of every message, so that none is forgotten here.
 */
export class RecordWriter {
  #view: DataView = new DataView(new ArrayBuffer(0))
  #bytes: Uint8Array = new Uint8Array(0)
  #isMore = false
  #isFine = false
  #isRefusal = false
  #orders: Orders = undefined
  /** The order that the message names; undefined for one that is not known. */
  #order: KnownOrder | undefined = undefined
  #outcome: Outcome = HELD

  constructor(private readonly segment: JournalSegment, private readonly scales: ScaleSource) {}

  /**
   * Writes a message into the record at `at`, whose fields are absent; `orders` are the instruments of the account's
   * orders. HELD, or why the record does not hold it.
   */
  write(
    { layout, view, bytes }: RecordTable, at: number, message: Message, orders: Orders,
  ): Outcome {
    this.#view = view
    this.#bytes = bytes
    this.#isMore = layout.isMore
    this.#isFine = layout.isFine
    this.#isRefusal = layout.isRefusal
    this.#orders = orders
    this.#order = undefined
    this.#outcome = HELD
    this.#message(layout, at, message)
    return this.#outcome
  }

  #message(
    { code, instrumentAt }: RecordLayout, at: number, message: Message,
  ): void {
    const { message: head, object, second, third } = BASES[code] as (typeof BASES)[number]
    const base = at + object
    switch (message.kind) {
      case 'place': return this.#entry(base, this.#only(message.entries))
      case 'amend': return this.#amend(base, at + instrumentAt, this.#only(message.entries))
      case 'replace': return this.#replace(base, at + instrumentAt, this.#only(message.entries))
      case 'cancel': return this.#cancel(base, this.#only(message.entries))
      case 'placeResponse':
        this.#integer(at + head, message.adapterTimeNs)
        return this.#placeResult(base, at + second, this.#only(message.results))
      case 'amendResponse':
        this.#integer(at + head, message.adapterTimeNs)
        return this.#amendResult(base, at + second, at + instrumentAt, this.#only(message.results))
      case 'replaceResponse':
        this.#integer(at + head, message.adapterTimeNs)
        return this.#replaceResult(base, at + second, at + instrumentAt, this.#only(message.results))
      case 'cancelResponse':
        this.#integer(at + head, message.adapterTimeNs)
        return this.#cancelResult(base, at + second, this.#only(message.results))
      case 'orderUpdate':
        this.#integer(at + head, message.adapterTimeNs)
        return this.#report(base, this.#only(message.orders))
      case 'fill':
        this.#integer(at + head, message.adapterTimeNs)
        return this.#fill(base, this.#only(message.fills))
      case 'positionUpdate':
        this.#integer(at + head, message.adapterTimeNs)
        this.#none(message.isolatedPositions)
        return this.#position(base, this.#only(message.positions))
      case 'walletUpdate':
        this.#integer(at + head, message.adapterTimeNs)
        this.#wallet(base, this.#only(message.wallets))
        if (message.maintenanceMargin !== undefined) this.#usdAmount(at + second, this.#only(message.maintenanceMargin))
        if (message.totalBalances !== undefined) this.#usdAmount(at + third, this.#only(message.totalBalances))
        return
      default: this.#outcome = NOT_HELD
    }
  }

  #entry(at: number, entry: PlaceEntry | null): void {
    if (entry === null) return
    this.#own(at + ENTRY.ownOrderId, entry.ownOrderId)
    this.#client(at + ENTRY.clientOrderId, entry.clientOrderId)
    this.#instrument(at + ENTRY.instrumentId, entry.instrumentId)
    this.#terms(at, ENTRY, entry)
    this.#none(entry.owner)
    this.#none(entry.context)
    if (this.#isMore) {
      this.#flag(at + ENTRY.autoBorrow, entry.autoBorrow)
      this.#flag(at + ENTRY.autoRepay, entry.autoRepay)
      this.#flag(at + ENTRY.useSpare, entry.useSpare)
    } else {
      this.#none(entry.autoBorrow)
      this.#none(entry.autoRepay)
      this.#none(entry.useSpare)
    }
  }

  #terms(at: number, places: Places<Terms>, terms: Terms): void {
    this.#word(at + places.type, TYPES, terms.type)
    this.#word(at + places.side, SIDES, terms.side)
    this.#word(at + places.timeInForce, TIMES_IN_FORCE, terms.timeInForce)
    this.#price(at + places.price, terms.price)
    this.#integer(at + places.totalQuantity, terms.totalQuantity)
    this.#flag(at + places.postOnly, terms.postOnly)
    this.#flag(at + places.reduceOnly, terms.reduceOnly)
    this.#flag(at + places.closeOnly, terms.closeOnly)
    const { displayQuantity, triggerPrice, pegOffsetValue, openClose, walletType } = terms
    if (!this.#isMore) {
      this.#none(displayQuantity)
      this.#none(triggerPrice)
      this.#none(pegOffsetValue)
      this.#none(openClose)
      return this.#none(walletType)
    }
    this.#integer(at + places.displayQuantity, displayQuantity)
    this.#price(at + places.triggerPrice, triggerPrice)
    this.#price(at + places.pegOffsetValue, pegOffsetValue)
    this.#word(at + places.openClose, OPEN_CLOSE, openClose)
    this.#name(at + places.walletType, walletType)
  }

  #amend(at: number, instrumentAt: number, entry: AmendEntry | null): void {
    if (entry === null) return
    this.#own(at + AMEND.ownOrderId, entry.ownOrderId)
    this.#orderInstrument(instrumentAt)
    this.#id(at + AMEND.currentClientOrderId, entry.currentClientOrderId)
    this.#id(at + AMEND.newClientOrderId, entry.newClientOrderId)
    this.#exchange(at + AMEND.exchangeOrderId, entry.exchangeOrderId)
    this.#change(at, AMEND, entry)
    this.#price(at + AMEND.pegOffsetValue, entry.pegOffsetValue)
    this.#none(entry.context)
  }

  #replace(at: number, instrumentAt: number, entry: ReplaceEntry | null): void {
    if (entry === null) return
    this.#own(at + REPLACE.currentOwnOrderId, entry.currentOwnOrderId)
    this.#orderInstrument(instrumentAt)
    this.#id(at + REPLACE.newOwnOrderId, entry.newOwnOrderId)
    this.#id(at + REPLACE.currentClientOrderId, entry.currentClientOrderId)
    this.#id(at + REPLACE.newClientOrderId, entry.newClientOrderId)
    this.#exchange(at + REPLACE.exchangeOrderId, entry.exchangeOrderId)
    this.#change(at, REPLACE, entry)
    this.#none(entry.context)
  }

  #change(at: number, places: Places<Change>, change: Change): void {
    this.#price(at + places.price, change.price)
    this.#integer(at + places.totalQuantity, change.totalQuantity)
    this.#price(at + places.triggerPrice, change.triggerPrice)
  }

  #cancel(at: number, entry: CancelEntry | null): void {
    if (entry === null) return
    this.#own(at + CANCEL.ownOrderId, entry.ownOrderId)
    this.#exchange(at + CANCEL.exchangeOrderId, entry.exchangeOrderId)
  }

  #placeResult(at: number, innerAt: number, entry: PlaceResult | null): void {
    if (entry === null) return
    this.#result(at, RESULT, entry)
    this.#none(this.#isRefusal ? entry.result : entry.error)
    if (this.#isRefusal) this.#error(innerAt, this.#inner(entry.error))
    else this.#report(innerAt, this.#inner(entry.result))
  }

  #amendResult(at: number, innerAt: number, instrumentAt: number, entry: AmendResult | null): void {
    if (entry === null) return
    this.#result(at, RESULT, entry)
    this.#none(this.#isRefusal ? entry.result : entry.error)
    if (this.#isRefusal) return this.#error(innerAt, this.#inner(entry.error))
    this.#orderInstrument(instrumentAt)
    const amended = this.#inner(entry.result)
    if (amended === null) return
    this.#change(innerAt, AMENDED, amended)
    this.#price(innerAt + AMENDED.pegOffsetValue, amended.pegOffsetValue)
  }

  #replaceResult(at: number, innerAt: number, instrumentAt: number, entry: ReplaceResult | null): void {
    if (entry === null) return
    this.#result(at, REPLACED, entry)
    this.#none(entry.error)
    this.#exchange(at + REPLACED.exchangeOrderId, entry.exchangeOrderId)
    this.#orderInstrument(instrumentAt)
    const terms = this.#inner(entry.result)
    if (terms === null) return
    this.#price(innerAt + AMENDED.price, terms.price)
    this.#integer(innerAt + AMENDED.totalQuantity, terms.totalQuantity)
  }

  #result(at: number, places: Places<Result>, result: Result): void {
    this.#own(at + places.ownOrderId, result.ownOrderId)
    this.#client(at + places.clientOrderId, result.clientOrderId)
    this.#integer(at + places.exchangeTimeNs, result.exchangeTimeNs)
  }

  #cancelResult(at: number, innerAt: number, result: CancelResult | null): void {
    if (result === null) return
    this.#own(at + CANCELED.ownOrderId, result.ownOrderId)
    this.#integer(at + CANCELED.exchangeTimeNs, result.exchangeTimeNs)
    if (this.#isRefusal) this.#error(innerAt, this.#inner(result.error))
    else this.#none(result.error)
  }

  #error(at: number, error: OrderError | null): void {
    if (error === null) return
    this.#name(at + ERROR.type, error.type)
    this.#word(at + ERROR.source, SOURCES, error.source)
    this.#name(at + ERROR.message, error.message)
    this.#integer(at + ERROR.retryTimeNs, error.retryTimeNs)
  }

  #report(at: number, report: OrderReport | null): void {
    if (report === null) return
    this.#own(at + REPORT.ownOrderId, report.ownOrderId)
    this.#exchange(at + REPORT.exchangeOrderId, report.exchangeOrderId)
    this.#client(at + REPORT.clientOrderId, report.clientOrderId)
    this.#instrument(at + REPORT.instrumentId, report.instrumentId)
    this.#integer(at + REPORT.exchangeTimeNs, report.exchangeTimeNs)
    this.#word(at + REPORT.state, STATES, report.state)
    this.#integer(at + REPORT.executedQuantity, report.executedQuantity)
    this.#flag(at + REPORT.triggered, report.triggered)
    this.#terms(at, REPORT, report)
    this.#none(report.owner)
    this.#none(report.context)
    this.#none(report.error)
  }

  #fill(at: number, fill: Fill | null): void {
    if (fill === null) return
    const places = this.#isFine ? FINE_FILL : FILL
    this.#uuid(at + places.ownFillId, fill.ownFillId)
    this.#uuid(at + places.exchangeTradeId, fill.exchangeTradeId)
    this.#own(at + places.ownOrderId, fill.ownOrderId)
    this.#exchange(at + places.exchangeOrderId, fill.exchangeOrderId)
    this.#client(at + places.clientOrderId, fill.clientOrderId)
    this.#instrument(at + places.instrumentId, fill.instrumentId)
    this.#integer(at + places.exchangeTimeNs, fill.exchangeTimeNs)
    this.#word(at + places.side, SIDES, fill.side)
    this.#integer(at + places.price, fill.price)
    this.#scale(at + places.priceScale, fill.priceScale)
    this.#integer(at + places.quantity, fill.quantity)
    this.#money(at + places.fees, fill.fees)
    this.#number(at + places.feeUnderlyingId, fill.feeUnderlyingId)
    this.#flag(at + places.addedLiquidity, fill.addedLiquidity)
    this.#flag(at + places.update, fill.update)
    this.#money(at + places.usdFees, fill.usdFees)
    this.#money(at + places.usdTurnover, fill.usdTurnover)
    this.#money(at + places.fxRate, fill.fxRate)
    this.#word(at + places.openClose, OPEN_CLOSE, fill.openClose)
    this.#none(fill.type)
    this.#none(fill.context)
    this.#none(fill.owner)
  }

  #position(at: number, position: Position | null): void {
    if (position === null) return
    this.#instrument(at + POSITION.instrumentId, position.instrumentId)
    this.#integer(at + POSITION.exchangeTimeNs, position.exchangeTimeNs)
    this.#integer(at + POSITION.longPosition, position.longPosition)
    this.#integer(at + POSITION.shortPosition, position.shortPosition)
    this.#money(at + POSITION.liquidationPrice, position.liquidationPrice)
    this.#money(at + POSITION.unrealizedPnl, position.unrealizedPnl)
    this.#money(at + POSITION.averageEntryPrice, position.averageEntryPrice)
  }

  #wallet(at: number, wallet: Wallet<StatedAmount> | null): void {
    if (wallet === null) return
    const places = this.#isFine ? FINE_WALLET : WALLET
    this.#number(at + places.underlyingId, wallet.underlyingId)
    this.#name(at + places.type, wallet.type)
    this.#integer(at + places.exchangeTimeNs, wallet.exchangeTimeNs)
    this.#money(at + places.availableAmount, wallet.availableAmount)
    this.#money(at + places.amountBlockedForMargin, wallet.amountBlockedForMargin)
    this.#money(at + places.marginBalance, wallet.marginBalance)
    this.#money(at + places.maintenanceMargin, wallet.maintenanceMargin)
    this.#money(at + places.borrowed, wallet.borrowed)
    this.#money(at + places.cashBalance, wallet.cashBalance)
    this.#money(at + places.unrealizedPnl, wallet.unrealizedPnl)
    this.#money(at + places.availableBorrow, wallet.availableBorrow)
  }

  #usdAmount(at: number, amount: UsdAmount | null): void {
    if (amount === null) return
    this.#name(at + USD_AMOUNT.walletType, amount.walletType)
    this.#money(at + USD_AMOUNT.usdAmount, amount.usdAmount)
  }

  /** The one object of a list; null where it has none or more, which no record holds. */
  #only<T extends object>(objects: readonly T[]): T | null {
    return this.#inner(objects.length === 1 ? objects[0] : undefined)
  }

  /** An object in another; null where it is absent, which no record holds. */
  #inner<T extends object>(object: T | undefined): T | null {
    this.#held(object !== undefined)
    return object ?? null
  }

  /** A field that the record does not have. */
  #none(value: unknown): void {
    this.#held(value === undefined)
  }

  #held(isHeld: boolean): void {
    if (!isHeld && this.#outcome === HELD) this.#outcome = NOT_HELD
  }

  #integer(at: number, value: number | null | undefined): void {
    if (value !== undefined) this.#held(writeInteger(this.#view, at, value))
  }

  #price(at: number, value: number | null | undefined): void {
    if (value !== null) return this.#integer(at, value)
    this.#view.setUint32(at, NULL_LOW, true)
  }

  #number(at: number, value: number): void {
    this.#view.setInt32(at, value, true)
    this.#held(Number.isInteger(value) && Math.abs(value) <= LARGEST_NUMBER)
  }

  #scale(at: number, value: number | undefined): void {
    if (value === undefined) return
    this.#bytes[at] = value
    this.#held(Number.isInteger(value) && value >= 0 && value <= LARGEST_SCALE)
  }

  #flag(at: number, value: boolean | undefined): void {
    if (value !== undefined) this.#bytes[at] = value ? 2 : 1
  }

  #word(at: number, words: readonly string[], value: string | undefined): void {
    if (value === undefined) return
    const number = words.indexOf(value) + 1
    this.#bytes[at] = number
    this.#held(number > 0)
  }

  #name(at: number, value: string | undefined): void {
    if (value === undefined) return
    const number = this.segment.nameNumber(value)
    this.#view.setUint16(at, number, true)
    this.#held(number > 0)
  }

  #id(at: number, value: string): void {
    this.#idNumber(at, this.segment.idNumber(value))
  }

  #idNumber(at: number, number: number): void {
    this.#view.setUint16(at, number, true)
    this.#held(number > 0)
  }

  /** The own id of the order; the other ids of a message are its. */
  #own(at: number, value: string): void {
    const { segment } = this
    const known = (this.#order = this.#orders?.order(value))
    this.#idNumber(at, known === undefined ? segment.idNumber(value) : known.ownNumber(segment))
  }

  #client(at: number, value: string): void {
    const { segment } = this
    this.#idNumber(at, this.#order?.clientNumber(segment, value) ?? segment.idNumber(value))
  }

  #exchange(at: number, value: string | undefined): void {
    const { segment } = this
    if (value !== undefined)
      this.#idNumber(at, this.#order?.exchangeNumber(segment, value) ?? segment.idNumber(value))
  }

  #uuid(at: number, value: string): void {
    this.#held(writeUuid(value, this.#bytes, at))
  }

  #money(at: number, value: StatedAmount | undefined): void {
    if (value === undefined) return
    const write = typeof value === 'string' ? writeMoney(value, this.#view, at, this.#isFine)
      : writeAmount(value, this.#view, at, this.#isFine)
    this.#held(write)
  }

  #instrument(at: number, instrumentId: number): void {
    this.#view.setUint32(at, instrumentId, true)
    const scales = this.scales.get(instrumentId)
    const outcome = scales === undefined ? NOT_HELD : this.segment.stateScales(instrumentId, scales)
    if (outcome !== HELD && this.#outcome === HELD) this.#outcome = outcome
  }

  /** The instrument of the order, where the message does not name it. */
  #orderInstrument(at: number): void {
    if (this.#order === undefined) this.#outcome = NOT_HELD
    else this.#instrument(at, this.#order.instrumentId)
  }
}
