import type { OrderReport } from '../model/order.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { Fill } from '../venue/account-messages.js'
import type { PositionStatement, WalletStatement } from './accounts/account-statements.js'
import { UNSENT } from './outbox.js'
import { profileDurationNs, type MessageRules } from './profile/venue-profile.js'

/** The changes of an execution, as the protocol states them. */
export interface ExecutionNews {
  readonly position: PositionStatement
  readonly fill: Fill
  /** Null where no order executed: a fill that the exchange forces. */
  readonly report: OrderReport | null
  readonly wallets: WalletStatement
}

/** A fill that is published later than its cause. */
export interface LateFill {
  readonly delayNs: number
  readonly fill: Fill
}

/** The way in which an account receives its executions. */
export interface MessagePolicy {
  readonly fillOrder: NonNullable<MessageRules['fillOrder']>
  /** Null: fees come with the fill. */
  readonly lateFeesNs: number | null
  readonly lateTradeId: boolean
  /** The delay of the fill behind the rest (fault plan); 0 where there is none. */
  readonly fillDelayNs: number
}

/** The telling of exchange rules 5.1. */
export const PROMPT_MESSAGES: MessagePolicy = {
  fillOrder: 'fillFirst', lateFeesNs: null, lateTradeId: false, fillDelayNs: 0,
}

/** The policy of messages that a profile states. */
export function messagePolicyOf({
  fillOrder = 'fillFirst', lateFees, lateTradeId = false,
}: MessageRules = {}): MessagePolicy {
  return {
    ...PROMPT_MESSAGES, fillOrder, lateFeesNs: lateFees === undefined ? null : profileDurationNs(lateFees), lateTradeId,
  }
}

/** Positions as a message that has not been sent. */
export function positionMessage({ positions, isolatedPositions }: PositionStatement): ClientMessage {
  return isolatedPositions === undefined
    ? { kind: 'positionUpdate', positions, adapterTimeNs: UNSENT }
    : { kind: 'positionUpdate', positions, isolatedPositions, adapterTimeNs: UNSENT }
}

/** Wallets as a message that has not been sent; without a spread, as every fill sends them. */
export function walletMessage({ wallets, maintenanceMargin, totalBalances }: WalletStatement): ClientMessage {
  if (maintenanceMargin === undefined) {
    return totalBalances === undefined
      ? { kind: 'walletUpdate', wallets, adapterTimeNs: UNSENT }
      : { kind: 'walletUpdate', wallets, totalBalances, adapterTimeNs: UNSENT }
  }
  return totalBalances === undefined
    ? { kind: 'walletUpdate', wallets, maintenanceMargin, adapterTimeNs: UNSENT }
    : { kind: 'walletUpdate', wallets, maintenanceMargin, totalBalances, adapterTimeNs: UNSENT }
}

/**
 * Adds the messages of an execution to `now`: the position first (a derivative's must come before its fill), then fill
 * and order update in the order of the profile, then the wallets. Fills that come later go to `later`.
 */
export function addExecution(
  { position, fill, report, wallets }: ExecutionNews, rules: MessagePolicy, now: ClientMessage[], later: LateFill[],
): void {
  const { lateFeesNs, fillDelayNs, fillOrder } = rules
  const first = lateFeesNs === null ? fill : preliminary(fill, rules)
  const isUpdateFirst = fillOrder === 'updateFirst' || (fillOrder === 'seeded' && isDrawn(fill))
  now.push(positionMessage(position))
  if (isUpdateFirst && report !== null) now.push({ kind: 'orderUpdate', orders: [report], adapterTimeNs: UNSENT })
  if (fillDelayNs > 0) later.push({ delayNs: fillDelayNs, fill: first })
  else now.push({ kind: 'fill', fills: [first], adapterTimeNs: UNSENT })
  if (!isUpdateFirst && report !== null) now.push({ kind: 'orderUpdate', orders: [report], adapterTimeNs: UNSENT })
  now.push(walletMessage(wallets))
  if (lateFeesNs !== null) later.push({ delayNs: fillDelayNs + lateFeesNs, fill: { ...fill, update: true } })
}

/** A fill before its fees are known: what they are in USD is not known either. */
function preliminary(fill: Fill, { lateTradeId }: MessagePolicy): Fill {
  return {
    ...fill, fees: '0', ...(fill.usdFees === undefined ? {} : { usdFees: '0' }),
    ...(lateTradeId ? { exchangeTradeId: `preliminary-${String(fill.ownFillId)}` } : {}),
  }
}

/** One bit of the fill's id, which the seed has drawn: no counter has to be kept. */
function isDrawn({ ownFillId }: Fill): boolean {
  return parseInt(String(ownFillId).slice(-1), 16) % 2 === 1
}
