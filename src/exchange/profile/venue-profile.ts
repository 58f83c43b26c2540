import { durationNsFromText, type DurationBounds } from '../../model/duration.js'
import { BacktapeError } from '../../model/error.js'
import { NS_PER_DAY } from '../../model/time.js'
import type { Capabilities } from '../../venue/account-messages.js'
import type { Instrument } from '../../model/instrument.js'
import type { TriggerReference } from '../../model/order.js'

/** One step of a ladder of margin rates; decimal texts. */
export interface MarginBracket {
  /** Largest value of the position, in the margin's underlying; null is without end. */
  readonly upTo: string | null
  /** Part of the position's value that must be there to open it. */
  readonly initialRate: string
  /** Part of the position's value below which it is liquidated, before `deduction`. */
  readonly maintenanceRate: string
  /** Maintenance margin = value * maintenanceRate - deduction. */
  readonly deduction: string
}

/** The margin terms of a venue. Without brackets nothing is blocked and nothing liquidated, which the result says. */
export interface MarginProfile {
  /** The margin modes that positions of this venue can have. */
  readonly modes: readonly ('cross' | 'isolated')[]
  /** By growing `upTo`. */
  readonly brackets: readonly MarginBracket[]
  /** Brackets of single instruments, by their code: they take the place of `brackets`. */
  readonly instruments?: Readonly<Record<string, readonly MarginBracket[]>>
  /** The margin of the seller of options; without it options are sold only as far as they are held. */
  readonly shortOptions?: ShortOptionMargin
  /** Of the value closed. */
  readonly liquidationFeeRate?: string
}

/**
 * Margin of a short option beside its own value, as a part of the index for each unit of the underlying: initial =
 * max(initialRate - out of the money / index, minimumInitialRate), maintenance = maintenanceRate. Decimal texts.
 */
export interface ShortOptionMargin {
  /** Initial margin at the money, a part of the index. */
  readonly initialRate: string
  /** Least initial margin, a part of the index. */
  readonly minimumInitialRate: string
  /** Maintenance margin, a part of the index. */
  readonly maintenanceRate: string
}

/** The terms by which contracts end. */
export interface SettlementProfile {
  /** The index at expiry, or its time average over `averageMs` before, which is needed then. */
  readonly index?: 'last' | 'average'
  /** Time of the average before expiry, milliseconds. */
  readonly averageMs?: number
  /** Of the value settled. */
  readonly feeRate?: string
}

/** Kinds of venues that the protocols know. */
export type VenueKind = 'generic' | 'usdtPerpetual' | 'coinPerpetual' | 'spot' | 'options' | 'prediction'


/** Where a field of a profile is from. */
export interface ProfileSource {
  /** Address of the page that states the field. */
  readonly url: string
  /** `YYYY-MM-DD`: when the page was read. */
  readonly date: string
}

/**
 * The rules for orders at a venue. A field that is absent is not known: an order that needs it is refused by its name.
 */
export interface OrderRules {
  /** Prices that a stop order can be triggered by. */
  readonly triggerReferences?: readonly TriggerReference[]
  /** The reference of a stop order; one of `triggerReferences`. */
  readonly defaultTrigger?: TriggerReference
  /** A stop order whose trigger is passed at its arrival triggers at once; else the exchange refuses it. */
  readonly triggersAtArrival?: boolean
  /** True where an amend to a smaller quantity at the same price keeps the place in the queue, or nothing does. */
  readonly amendKeepsQueue?: 'smallerQuantity' | 'never'
  /** `closeOnly` deletes the strategy's other open orders of the instrument. */
  readonly closeOnlyCancelsOthers?: boolean
  /** `displayQuantity` 0 is allowed. */
  readonly hiddenOrders?: boolean
}

/** Bounds of one order; decimal texts. A bound that is absent is none. */
export interface OrderLimits {
  /** Least quantity of an order. */
  readonly minQuantity?: string
  /** Greatest quantity of an order. */
  readonly maxQuantity?: string
  /**
   * Of an order's value: quantity * contract size * price, in the counter underlying; of inverse contracts quantity *
   * contract value / price, in coin.
   */
  readonly minValue?: string
  /** Most open orders of an account on one instrument. */
  readonly maxOpenOrders?: number
  /**
   * Furthest distance of a limit price from the last mark (else the mid), as a fraction: `"0.1"` is ten percent either
   * way.
   */
  readonly priceBand?: string
}

/** Requests that a limit counts. */
export type LimitedRequest = 'place' | 'amend' | 'replace' | 'cancel'

/** All of them. A `cancelAll` counts as a cancel. */
export const REQUEST_KINDS: readonly LimitedRequest[] = ['place', 'amend', 'replace', 'cancel']

/**
 * Requests an account may make in a window of time; each entry of a request is one. Windows begin at whole multiples of
 * their length.
 */
export interface RateLimit {
  /** The exchange's own key, as `rateLimitLoad` names it. */
  readonly id: string
  /** Length of the window, milliseconds. */
  readonly windowMs: number
  /** Budget of a window, by kind of request or `shared` by all. A kind that is absent is not limited by this key. */
  readonly tokens: Readonly<Partial<Record<LimitedRequest, number>>> | { readonly shared: number }
  /** After a refusal everything that the key counts is refused for this long. */
  readonly blockMs?: number
  /** Of the budget, this many are kept for entries with `useSpare`. */
  readonly spare?: number
}

/** In which order the adapter says what happened, and what it says later. */
export interface MessageRules {
  /** Default `fillFirst`. `seeded` draws it for every execution. */
  readonly fillOrder?: 'fillFirst' | 'updateFirst' | 'seeded'
  /** Fees come this much later than their fill, which says 0 until then; a duration such as `2s`. */
  readonly lateFees?: string
  /** The final trade id comes with the late fees (or after the same time); the fill has a preliminary one. */
  readonly lateTradeId?: boolean
}

/**
 * A venue as its accounts see it: plain data, `schemas/venue-profile.schema.json` is its schema. `generic` allows
 * everything that spec 2 and 3 name; a named profile holds only fields with a source, and what is absent is refused
 * where it is needed.
 */
export interface VenueProfile {
  /** Path or URL of the JSON schema, for editors. */
  readonly $schema?: string
  /** Name of the profile, as results show it. */
  readonly name: string
  /** Kind of venue, which decides the contracts that it can have. */
  readonly kind: VenueKind
  /** By field, such as `orders.amendKeepsQueue` or `rateLimits`: where it is from. */
  readonly sources?: Readonly<Record<string, ProfileSource>>
  /** Requests and fields that the adapter supports; a field that is left out is not supported. */
  readonly capabilities: Partial<Capabilities>
  /** Rules for the orders of this venue. */
  readonly orders?: OrderRules
  /** Bounds of one order. */
  readonly limits?: OrderLimits
  /** Limits of requests in a window of time. */
  readonly rateLimits?: readonly RateLimit[]
  /** Order and delay of the adapter's messages. */
  readonly messages?: MessageRules
  /** Margin rules; without them nothing is blocked and nothing is liquidated. */
  readonly margin?: MarginProfile
  /** Simple interest of a year of 365 days by the code of its underlying, charged at every full hour; decimal texts. */
  readonly borrowRates?: Readonly<Record<string, string>>
  /**
   * The most that an account may owe of an underlying, by its code; decimal texts. Without one there is no bound, and
   * `availableBorrow` is not stated.
   */
  readonly borrowLimits?: Readonly<Record<string, string>>
  /** The end of contracts that expire. */
  readonly settlement?: SettlementProfile
}

/** Types of wallets: the account's own, and those of isolated margin, one for each instrument. */
export const WALLET_TYPES: readonly string[] = ['ACCOUNT', 'ISOLATED']

const NO_CAPABILITIES: Capabilities = {
  amend: false, replace: false, cancelAll: false, closeOnly: false, reduceOnly: false, displayQuantity: false,
  orderTypes: [], timeInForces: [], walletTypes: ['ACCOUNT'], averageEntryPrice: false, positionUnrealizedPnl: false,
  liquidationPrice: false, cashBalance: false, walletUnrealizedPnl: false, availableBorrow: false, retryTime: false,
  spare: false,
}

/** The capabilities of an adapter of this profile: what the profile does not state it cannot. */
export function capabilitiesOf(profile: VenueProfile): Capabilities {
  return { ...NO_CAPABILITIES, ...profile.capabilities }
}

/** The bounds of the delay of fees behind their fills: a profile's limit. */
export const LATE_FEES_BOUNDS: DurationBounds = { mostNs: NS_PER_DAY }

/**
 * Nanoseconds of a duration as profiles write it: `2s`. The profile's reader has seen its form; PROFILE_INVALID where
 * nobody has.
 */
export function profileDurationNs(text: string): number {
  return durationNsFromText(
    text,
    LATE_FEES_BOUNDS,
    (expected) =>
      new BacktapeError(
        'PROFILE_INVALID',
        `Cannot take a duration of a venue profile: it must be ${expected}, found ${JSON.stringify(text)}`,
        { expected, found: text },
      ),
  )
}

/**
 * The default: everything that spec 2 and 3 name is allowed, nothing is limited, nothing is liquidated.
 * `profiles/generic.json` is the same.
 */
export const GENERIC_PROFILE: VenueProfile = {
  name: 'generic',
  kind: 'generic',
  capabilities: {
    amend: true,
    replace: true,
    cancelAll: true,
    closeOnly: true,
    reduceOnly: true,
    displayQuantity: true,
    orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED'],
    timeInForces: ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL'],
    walletTypes: ['ACCOUNT'],
    averageEntryPrice: true,
    positionUnrealizedPnl: true,
    liquidationPrice: true,
    cashBalance: true,
    walletUnrealizedPnl: true,
    availableBorrow: true,
    retryTime: true,
    spare: true,
  },
  orders: {
    triggerReferences: ['lastTrade', 'mark', 'index'],
    defaultTrigger: 'lastTrade',
    triggersAtArrival: false,
    amendKeepsQueue: 'smallerQuantity',
    closeOnlyCancelsOthers: true,
    hiddenOrders: true,
  },
  limits: {},
  rateLimits: [],
  messages: { fillOrder: 'fillFirst' },
}

const OF_KIND: Readonly<Record<VenueKind, (instrument: Instrument) => boolean>> = {
  generic: () => true,
  spot: ({ type }) => type === 'spot',
  options: ({ type }) => type === 'call' || type === 'put',
  usdtPerpetual: ({ type, isInverse }) => type === 'perpetual' && !isInverse,
  coinPerpetual: ({ type, isInverse }) => type === 'perpetual' && isInverse,
  prediction: (instrument) => noPrediction(instrument) === null,
}

/**
 * Why the master data of an instrument contradict that it is a prediction contract, or null. Their type says
 * `perpetual` for both (spec 4, section 2), but no prediction market pays funding, and a probability is neither inverse
 * nor quanto.
 */
export function noPrediction({ type, isInverse, isQuanto, fundingIntervalSeconds }: Instrument): string | null {
  if (type !== 'perpetual') return `its type is ${type === '' ? 'not stated' : type}`
  if (isInverse || isQuanto) return `it is ${isInverse ? 'inverse' : 'quanto'}`
  return fundingIntervalSeconds === null ? null : 'it pays funding'
}

/** True where an instrument is what venues of a kind trade, as far as master data say it. */
export function isOfKind(kind: VenueKind, instrument: Instrument): boolean {
  return OF_KIND[kind](instrument)
}
