/*
 * Records of a journal, written the plain way from docs/reference/journal-records.md: the forms by their sizes, the
 * fields of each kind in their order, none of it from the table of the code.
 */

/** Fields of each kind of record: their names along the message, and their forms. */
const TERMS = 'type:w side:w timeInForce:w price:p totalQuantity:q postOnly:f reduceOnly:f closeOnly:f'
const MORE = 'displayQuantity:q triggerPrice:p pegOffsetValue:p openClose:w walletType:n'
const ENTRY = `ownOrderId:i clientOrderId:i instrumentId:I ${TERMS}`
const REPORT = `ownOrderId:i exchangeOrderId:i clientOrderId:i instrumentId:I exchangeTimeNs:t state:w executedQuantity:q triggered:f ${TERMS}`
const RESULT = 'ownOrderId:i clientOrderId:i exchangeTimeNs:t'
const ERROR = 'type:n source:w message:n retryTimeNs:t'
const money = (fields: string, isFine: boolean): string => (isFine ? fields.replaceAll(':d', ':D') : fields)
const FILL = 'ownFillId:u exchangeTradeId:u ownOrderId:i exchangeOrderId:i clientOrderId:i instrumentId:I exchangeTimeNs:t side:w price:p priceScale:s quantity:q fees:d feeUnderlyingId:N addedLiquidity:f update:f usdFees:d usdTurnover:d fxRate:d openClose:w'
const WALLET = 'underlyingId:N type:n exchangeTimeNs:t availableAmount:d amountBlockedForMargin:d marginBalance:d maintenanceMargin:d borrowed:d cashBalance:d unrealizedPnl:d availableBorrow:d'

interface NaiveKind {
  readonly code: number
  readonly kind: string
  readonly isOfOrder?: boolean
  /** Objects of the message, outermost first: the path to each, and its fields. */
  readonly objects: readonly (readonly [path: string, fields: string])[]
}

const wallets = (isFine: boolean): NaiveKind['objects'] => [['', 'adapterTimeNs:t'], ['wallets', money(WALLET, isFine)], ['maintenanceMargin', money('walletType:n usdAmount:d', isFine)], ['totalBalances', money('walletType:n usdAmount:d', isFine)]]
const responses = (result: string, inner: string): NaiveKind['objects'] => [['', 'adapterTimeNs:t'], ['results', result], ['results.result', inner]]

export const NAIVE_KINDS: readonly NaiveKind[] = [
  { code: 1, kind: 'place', objects: [['entries', ENTRY]] },
  { code: 2, kind: 'place', objects: [['entries', `${ENTRY} ${MORE} autoBorrow:f autoRepay:f useSpare:f`]] },
  { code: 3, kind: 'amend', isOfOrder: true, objects: [['entries', 'ownOrderId:i currentClientOrderId:i newClientOrderId:i exchangeOrderId:i price:p totalQuantity:q triggerPrice:p pegOffsetValue:p']] },
  { code: 4, kind: 'replace', isOfOrder: true, objects: [['entries', 'currentOwnOrderId:i newOwnOrderId:i currentClientOrderId:i newClientOrderId:i exchangeOrderId:i price:p totalQuantity:q triggerPrice:p']] },
  { code: 5, kind: 'cancel', objects: [['entries', 'ownOrderId:i exchangeOrderId:i']] },
  { code: 6, kind: 'placeResponse', objects: responses(RESULT, REPORT) },
  { code: 7, kind: 'placeResponse', objects: responses(RESULT, `${REPORT} ${MORE}`) },
  { code: 8, kind: 'amendResponse', isOfOrder: true, objects: responses(RESULT, 'price:p totalQuantity:q triggerPrice:p pegOffsetValue:p') },
  { code: 9, kind: 'replaceResponse', isOfOrder: true, objects: responses(`exchangeOrderId:i ${RESULT}`, 'price:p totalQuantity:q') },
  { code: 10, kind: 'cancelResponse', objects: [['', 'adapterTimeNs:t'], ['results', 'ownOrderId:i exchangeTimeNs:t']] },
  { code: 11, kind: 'orderUpdate', objects: [['', 'adapterTimeNs:t'], ['orders', REPORT]] },
  { code: 12, kind: 'orderUpdate', objects: [['', 'adapterTimeNs:t'], ['orders', `${REPORT} ${MORE}`]] },
  { code: 13, kind: 'fill', objects: [['', 'adapterTimeNs:t'], ['fills', FILL]] },
  { code: 14, kind: 'fill', objects: [['', 'adapterTimeNs:t'], ['fills', money(FILL, true)]] },
  { code: 15, kind: 'positionUpdate', objects: [['', 'adapterTimeNs:t'], ['positions', 'instrumentId:I exchangeTimeNs:t longPosition:q shortPosition:q liquidationPrice:d unrealizedPnl:d averageEntryPrice:d']] },
  { code: 16, kind: 'walletUpdate', objects: wallets(false) },
  { code: 17, kind: 'walletUpdate', objects: wallets(true) },
  { code: 18, kind: 'placeResponse', objects: [['', 'adapterTimeNs:t'], ['results', RESULT], ['results.error', ERROR]] },
  { code: 19, kind: 'amendResponse', objects: [['', 'adapterTimeNs:t'], ['results', RESULT], ['results.error', ERROR]] },
  { code: 20, kind: 'cancelResponse', objects: [['', 'adapterTimeNs:t'], ['results', 'ownOrderId:i exchangeTimeNs:t'], ['results.error', ERROR]] },
]

const WORDS: Readonly<Record<string, readonly string[]>> = {
  type: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED'], side: ['BID', 'ASK'], timeInForce: ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL'],
  state: ['PENDING_NEW', 'CONFIRMED', 'PENDING_AMEND', 'FILLED', 'CANCELED', 'REJECTED', 'DISCARDED'], openClose: ['AUTO', 'OPEN', 'CLOSE'], source: ['INTERNAL', 'EXCHANGE'],
}

/** The dictionaries of a segment: texts in the order in which they came. */
export interface NaiveNumbers {
  readonly ids: readonly string[]
  readonly names: readonly string[]
}

function little(value: bigint, length: number): number[] {
  return Array.from({ length }, (_, index) => Number((BigInt.asUintN(length * 8, value) >> BigInt(8 * index)) & 255n))
}

/** A decimal text as the whole number below it and digits of what is above that. */
function parts(text: string, places: number): readonly [whole: bigint, fraction: string] {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!
  const units = BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`)
  const one = 10n ** BigInt(places)
  const below = ((units % one) + one) % one
  return [(units - below) / one, String(below).padStart(places, '0')]
}

const ABSENT = -(1n << 63n)

/** The bytes of a value by its form. */
function bytesOf(name: string, form: string, value: unknown, { ids, names }: NaiveNumbers): number[] {
  switch (form) {
    case 't': case 'q': case 'p': return little(value === undefined ? ABSENT : value === null ? ABSENT + 1n : BigInt(value as number), 8)
    case 'd': case 'D': {
      if (value === undefined) return [...little(ABSENT, 8), ...little(0n, form === 'd' ? 8 : 12)]
      const [whole, fraction] = parts(value as string, form === 'd' ? 18 : 27)
      return [...little(whole, 8), ...little(BigInt(fraction.slice(0, 18)), 8), ...(form === 'd' ? [] : little(BigInt(fraction.slice(18)), 4))]
    }
    case 'I': return little(BigInt((value as number | undefined) ?? 0), 4)
    case 'N': return little(value === undefined ? -(1n << 31n) : BigInt(value as number), 4)
    case 'i': return little(BigInt(value === undefined ? 0 : ids.indexOf(value as string) + 1), 2)
    case 'n': return little(BigInt(value === undefined ? 0 : names.indexOf(value as string) + 1), 2)
    case 'u': return (value as string).replaceAll('-', '').match(/../g)!.map((pair) => parseInt(pair, 16))
    case 'w': return [value === undefined ? 0 : WORDS[name]!.indexOf(value as string) + 1]
    case 'f': return [value === undefined ? 0 : value === true ? 2 : 1]
    case 's': return [(value as number | undefined) ?? 255]
    default: throw new Error(form)
  }
}

function inside(message: unknown, path: string): Readonly<Record<string, unknown>> {
  let object = message
  for (const name of path === '' ? [] : path.split('.')) {
    const inner = (object as Readonly<Record<string, unknown>> | undefined)?.[name]
    object = Array.isArray(inner) ? inner[0] : inner
  }
  return (object ?? {}) as Readonly<Record<string, unknown>>
}

/** The record of a message. */
export function naiveRecord(code: number, head: { readonly timeNs: number, readonly client: string, readonly account: string, readonly instrumentId: number }, message: object, numbers: NaiveNumbers): number[] {
  const { isOfOrder = false, objects } = NAIVE_KINDS.find((one) => one.code === code)!
  const field = (name: string, form: string, value: unknown): number[] => bytesOf(name, form, value, numbers)
  return [
    ...field('time', 't', head.timeNs), ...field('client', 'n', head.client), ...field('account', 'n', head.account), ...(isOfOrder ? field('instrument', 'I', head.instrumentId) : []),
    ...objects.flatMap(([path, fields]) => fields.split(' ').flatMap((one) => {
      const [name = '', form = ''] = one.split(':')
      return field(name, form, inside(message, path)[name])
    })),
  ]
}
