import type { IdMap } from '../model/id-map.js'
import type { StatedAmount } from '../model/amount.js'
import type { EntryError, OrderReport } from '../model/order.js'
import type { Fill, Position, UsdAmount, Wallet } from '../venue/account-messages.js'
import type {
  AmendedFields, AmendEntry, AmendResult, CancelEntry, CancelResult, PlaceEntry, PlaceResult, ReplaceEntry,
  ReplaceResult,
} from '../venue/messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import { FieldWriter } from './field-writer.js'
import type { JournalSegment, Outcome, RecordTable, ScaleSource } from './journal-segment.js'
import { RECORD_LAYOUTS, type RecordGroup, type RecordLayout } from './record-layout.js'

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
const ERROR = placesOf<EntryError>('placeRefusal', 'results', 'error')
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

/**
 * Writes messages into records. Fields are named by hand, as a walk over the table costs five times as much; a test
 * writes every field of every message, so that none is forgotten here.
 */
export class RecordWriter {
  readonly #to: FieldWriter
  #isMore = false
  #isFine = false
  #isRefusal = false

  constructor(segment: JournalSegment, scales: ScaleSource) {
    this.#to = new FieldWriter(segment, scales)
  }

  /**
   * Writes a message into the record at `at`, whose fields are absent; `orders` are those of the account. HELD, or why
   * the record does not hold it.
   */
  write(table: RecordTable, at: number, message: Message, orders: IdMap<number> | undefined): Outcome {
    const { layout } = table
    this.#isMore = layout.isMore
    this.#isFine = layout.isFine
    this.#isRefusal = layout.isRefusal
    this.#to.begin(table, orders)
    this.#message(layout, at, message)
    return this.#to.outcome
  }

  #message(
    { code, instrumentAt }: RecordLayout, at: number, message: Message,
  ): void {
    const { message: head, object, second, third } = BASES[code] as (typeof BASES)[number]
    const base = at + object
    switch (message.kind) {
      case 'place': return this.#entry(base, this.#to.only(message.entries))
      case 'amend': return this.#amend(base, at + instrumentAt, this.#to.only(message.entries))
      case 'replace': return this.#replace(base, at + instrumentAt, this.#to.only(message.entries))
      case 'cancel': return this.#cancel(base, this.#to.only(message.entries))
      case 'placeResponse':
        this.#to.integer(at + head, message.adapterTimeNs)
        return this.#placeResult(base, at + second, this.#to.only(message.results))
      case 'amendResponse':
        this.#to.integer(at + head, message.adapterTimeNs)
        return this.#amendResult(base, at + second, at + instrumentAt, this.#to.only(message.results))
      case 'replaceResponse':
        this.#to.integer(at + head, message.adapterTimeNs)
        return this.#replaceResult(base, at + second, at + instrumentAt, this.#to.only(message.results))
      case 'cancelResponse':
        this.#to.integer(at + head, message.adapterTimeNs)
        return this.#cancelResult(base, at + second, this.#to.only(message.results))
      case 'orderUpdate':
        this.#to.integer(at + head, message.adapterTimeNs)
        return this.#report(base, this.#to.only(message.orders))
      case 'fill':
        this.#to.integer(at + head, message.adapterTimeNs)
        return this.#fill(base, this.#to.only(message.fills))
      case 'positionUpdate':
        this.#to.integer(at + head, message.adapterTimeNs)
        this.#to.none(message.isolatedPositions)
        return this.#position(base, this.#to.only(message.positions))
      case 'walletUpdate':
        this.#to.integer(at + head, message.adapterTimeNs)
        this.#wallet(base, this.#to.only(message.wallets))
        this.#usdAmounts(at + second, message.maintenanceMargin)
        return this.#usdAmounts(at + third, message.totalBalances)
      default: this.#to.held(false)
    }
  }

  #entry(at: number, entry: PlaceEntry | null): void {
    if (entry === null) return
    this.#to.own(at + ENTRY.ownOrderId, entry.ownOrderId)
    this.#to.id(at + ENTRY.clientOrderId, entry.clientOrderId)
    this.#to.instrument(at + ENTRY.instrumentId, entry.instrumentId)
    this.#terms(at, ENTRY, entry)
    this.#to.none(entry.owner)
    this.#to.none(entry.context)
    if (this.#isMore) {
      this.#to.flag(at + ENTRY.autoBorrow, entry.autoBorrow)
      this.#to.flag(at + ENTRY.autoRepay, entry.autoRepay)
      this.#to.flag(at + ENTRY.useSpare, entry.useSpare)
    } else {
      this.#to.none(entry.autoBorrow)
      this.#to.none(entry.autoRepay)
      this.#to.none(entry.useSpare)
    }
  }

  #terms(at: number, places: Places<Terms>, terms: Terms): void {
    this.#to.word(at + places.type, TYPES, terms.type)
    this.#to.word(at + places.side, SIDES, terms.side)
    this.#to.word(at + places.timeInForce, TIMES_IN_FORCE, terms.timeInForce)
    this.#to.price(at + places.price, terms.price)
    this.#to.integer(at + places.totalQuantity, terms.totalQuantity)
    this.#to.flag(at + places.postOnly, terms.postOnly)
    this.#to.flag(at + places.reduceOnly, terms.reduceOnly)
    this.#to.flag(at + places.closeOnly, terms.closeOnly)
    const { displayQuantity, triggerPrice, pegOffsetValue, openClose, walletType } = terms
    if (!this.#isMore) {
      this.#to.none(displayQuantity)
      this.#to.none(triggerPrice)
      this.#to.none(pegOffsetValue)
      this.#to.none(openClose)
      return this.#to.none(walletType)
    }
    this.#to.integer(at + places.displayQuantity, displayQuantity)
    this.#to.price(at + places.triggerPrice, triggerPrice)
    this.#to.price(at + places.pegOffsetValue, pegOffsetValue)
    this.#to.word(at + places.openClose, OPEN_CLOSE, openClose)
    this.#to.name(at + places.walletType, walletType)
  }

  #amend(at: number, instrumentAt: number, entry: AmendEntry | null): void {
    if (entry === null) return
    this.#to.own(at + AMEND.ownOrderId, entry.ownOrderId)
    this.#to.orderInstrument(instrumentAt, entry.instrumentId)
    this.#to.id(at + AMEND.currentClientOrderId, entry.currentClientOrderId)
    this.#to.id(at + AMEND.newClientOrderId, entry.newClientOrderId)
    this.#to.id(at + AMEND.exchangeOrderId, entry.exchangeOrderId)
    this.#change(at, AMEND, entry)
    this.#to.price(at + AMEND.pegOffsetValue, entry.pegOffsetValue)
    this.#to.none(entry.context)
  }

  #replace(at: number, instrumentAt: number, entry: ReplaceEntry | null): void {
    if (entry === null) return
    this.#to.own(at + REPLACE.currentOwnOrderId, entry.currentOwnOrderId)
    this.#to.orderInstrument(instrumentAt, entry.instrumentId)
    this.#to.id(at + REPLACE.newOwnOrderId, entry.newOwnOrderId)
    this.#to.id(at + REPLACE.currentClientOrderId, entry.currentClientOrderId)
    this.#to.id(at + REPLACE.newClientOrderId, entry.newClientOrderId)
    this.#to.id(at + REPLACE.exchangeOrderId, entry.exchangeOrderId)
    this.#change(at, REPLACE, entry)
    this.#to.none(entry.context)
  }

  #change(at: number, places: Places<Change>, change: Change): void {
    this.#to.price(at + places.price, change.price)
    this.#to.integer(at + places.totalQuantity, change.totalQuantity)
    this.#to.price(at + places.triggerPrice, change.triggerPrice)
  }

  #cancel(at: number, entry: CancelEntry | null): void {
    if (entry === null) return
    this.#to.own(at + CANCEL.ownOrderId, entry.ownOrderId)
    this.#to.id(at + CANCEL.exchangeOrderId, entry.exchangeOrderId)
  }

  #placeResult(at: number, innerAt: number, entry: PlaceResult | null): void {
    if (entry === null) return
    this.#result(at, RESULT, entry)
    this.#to.none(this.#isRefusal ? entry.result : entry.error)
    if (this.#isRefusal) this.#error(innerAt, this.#to.inner(entry.error))
    else this.#report(innerAt, this.#to.inner(entry.result))
  }

  #amendResult(at: number, innerAt: number, instrumentAt: number, entry: AmendResult | null): void {
    if (entry === null) return
    this.#result(at, RESULT, entry)
    this.#to.none(this.#isRefusal ? entry.result : entry.error)
    if (this.#isRefusal) return this.#error(innerAt, this.#to.inner(entry.error))
    this.#to.orderInstrument(instrumentAt)
    const amended = this.#to.inner(entry.result)
    if (amended === null) return
    this.#change(innerAt, AMENDED, amended)
    this.#to.price(innerAt + AMENDED.pegOffsetValue, amended.pegOffsetValue)
  }

  #replaceResult(at: number, innerAt: number, instrumentAt: number, entry: ReplaceResult | null): void {
    if (entry === null) return
    this.#result(at, REPLACED, entry)
    this.#to.none(entry.error)
    this.#to.id(at + REPLACED.exchangeOrderId, entry.exchangeOrderId)
    this.#to.orderInstrument(instrumentAt)
    const terms = this.#to.inner(entry.result)
    if (terms === null) return
    this.#to.price(innerAt + AMENDED.price, terms.price)
    this.#to.integer(innerAt + AMENDED.totalQuantity, terms.totalQuantity)
  }

  #result(at: number, places: Places<Result>, result: Result): void {
    this.#to.own(at + places.ownOrderId, result.ownOrderId)
    this.#to.id(at + places.clientOrderId, result.clientOrderId)
    this.#to.integer(at + places.exchangeTimeNs, result.exchangeTimeNs)
  }

  #cancelResult(at: number, innerAt: number, result: CancelResult | null): void {
    if (result === null) return
    this.#to.own(at + CANCELED.ownOrderId, result.ownOrderId)
    this.#to.integer(at + CANCELED.exchangeTimeNs, result.exchangeTimeNs)
    if (this.#isRefusal) this.#error(innerAt, this.#to.inner(result.error))
    else this.#to.none(result.error)
  }

  #error(at: number, error: EntryError | null): void {
    if (error === null) return
    this.#to.name(at + ERROR.type, error.type)
    this.#to.word(at + ERROR.source, SOURCES, error.source)
    this.#to.name(at + ERROR.message, error.message)
    this.#to.integer(at + ERROR.retryTimeNs, error.retryTimeNs)
  }

  #report(at: number, report: OrderReport | null): void {
    if (report === null) return
    this.#to.own(at + REPORT.ownOrderId, report.ownOrderId)
    this.#to.id(at + REPORT.exchangeOrderId, report.exchangeOrderId)
    this.#to.id(at + REPORT.clientOrderId, report.clientOrderId)
    this.#to.instrument(at + REPORT.instrumentId, report.instrumentId)
    this.#to.integer(at + REPORT.exchangeTimeNs, report.exchangeTimeNs)
    this.#to.word(at + REPORT.state, STATES, report.state)
    this.#to.integer(at + REPORT.executedQuantity, report.executedQuantity)
    this.#to.flag(at + REPORT.triggered, report.triggered)
    this.#terms(at, REPORT, report)
    this.#to.none(report.owner)
    this.#to.none(report.context)
    this.#to.none(report.error)
  }

  #fill(at: number, fill: Fill | null): void {
    if (fill === null) return
    const places = this.#isFine ? FINE_FILL : FILL
    this.#to.uuid(at + places.ownFillId, fill.ownFillId)
    this.#to.uuid(at + places.exchangeTradeId, fill.exchangeTradeId)
    this.#to.own(at + places.ownOrderId, fill.ownOrderId)
    this.#to.id(at + places.exchangeOrderId, fill.exchangeOrderId)
    this.#to.id(at + places.clientOrderId, fill.clientOrderId)
    this.#to.instrument(at + places.instrumentId, fill.instrumentId)
    this.#to.integer(at + places.exchangeTimeNs, fill.exchangeTimeNs)
    this.#to.word(at + places.side, SIDES, fill.side)
    this.#to.integer(at + places.price, fill.price)
    this.#to.scale(at + places.priceScale, fill.priceScale)
    this.#to.integer(at + places.quantity, fill.quantity)
    this.#to.money(at + places.fees, fill.fees)
    this.#to.number(at + places.feeUnderlyingId, fill.feeUnderlyingId)
    this.#to.flag(at + places.addedLiquidity, fill.addedLiquidity)
    this.#to.flag(at + places.update, fill.update)
    this.#to.money(at + places.usdFees, fill.usdFees)
    this.#to.money(at + places.usdTurnover, fill.usdTurnover)
    this.#to.money(at + places.fxRate, fill.fxRate)
    this.#to.word(at + places.openClose, OPEN_CLOSE, fill.openClose)
    this.#to.none(fill.type)
    this.#to.none(fill.context)
    this.#to.none(fill.owner)
  }

  #position(at: number, position: Position | null): void {
    if (position === null) return
    this.#to.instrument(at + POSITION.instrumentId, position.instrumentId)
    this.#to.integer(at + POSITION.exchangeTimeNs, position.exchangeTimeNs)
    this.#to.integer(at + POSITION.longPosition, position.longPosition)
    this.#to.integer(at + POSITION.shortPosition, position.shortPosition)
    this.#to.money(at + POSITION.liquidationPrice, position.liquidationPrice)
    this.#to.money(at + POSITION.unrealizedPnl, position.unrealizedPnl)
    this.#to.money(at + POSITION.averageEntryPrice, position.averageEntryPrice)
  }

  #wallet(at: number, wallet: Wallet<StatedAmount, number> | null): void {
    if (wallet === null) return
    const places = this.#isFine ? FINE_WALLET : WALLET
    this.#to.number(at + places.underlyingId, wallet.underlyingId)
    this.#to.name(at + places.type, wallet.type)
    this.#to.none(wallet.instrumentId)
    this.#to.integer(at + places.exchangeTimeNs, wallet.exchangeTimeNs)
    this.#to.money(at + places.availableAmount, wallet.availableAmount)
    this.#to.money(at + places.amountBlockedForMargin, wallet.amountBlockedForMargin)
    this.#to.money(at + places.marginBalance, wallet.marginBalance)
    this.#to.money(at + places.maintenanceMargin, wallet.maintenanceMargin)
    this.#to.money(at + places.borrowed, wallet.borrowed)
    this.#to.money(at + places.cashBalance, wallet.cashBalance)
    this.#to.money(at + places.unrealizedPnl, wallet.unrealizedPnl)
    this.#to.money(at + places.availableBorrow, wallet.availableBorrow)
  }

  #usdAmounts(at: number, amounts: readonly UsdAmount[] | undefined): void {
    const amount = amounts === undefined ? null : this.#to.only(amounts)
    if (amount === null) return
    this.#to.name(at + USD_AMOUNT.walletType, amount.walletType)
    this.#to.money(at + USD_AMOUNT.usdAmount, amount.usdAmount)
  }
}
