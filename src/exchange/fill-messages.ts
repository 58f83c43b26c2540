import type { OrderReport } from '../model/order.js'
import type { PositionStatement, WalletStatement } from './accounts/account-statements.js'
import { profileDurationNs, type MessageRules } from './profile/venue-profile.js'
import type { Fill } from '../venue/account-messages.js'

/** A message before it is known when it leaves. */
export type UntimedMessage =
  | ({ readonly kind: 'positionUpdate' } & PositionStatement)
  | { readonly kind: 'fill'; readonly fills: readonly Fill[] }
  | { readonly kind: 'orderUpdate'; readonly orders: readonly OrderReport[] }
  | ({ readonly kind: 'walletUpdate' } & WalletStatement)

/** The changes of an execution, as the protocol states them. */
export interface ExecutionNews {
  readonly position: PositionStatement
  readonly fill: Fill
  /** Null where no order executed: a fill that the exchange forces. */
  readonly report: OrderReport | null
  readonly wallets: WalletStatement
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

/** The message as it leaves. */
export function timedMessage(
  message: UntimedMessage, adapterTimeNs: number,
): UntimedMessage & { readonly adapterTimeNs: number } {
  switch (message.kind) {
    case 'fill': return { kind: 'fill', fills: message.fills, adapterTimeNs }
    case 'orderUpdate': return { kind: 'orderUpdate', orders: message.orders, adapterTimeNs }
    case 'positionUpdate': {
      const { positions, isolatedPositions } = message
      return isolatedPositions === undefined
        ? { kind: 'positionUpdate', positions, adapterTimeNs }
        : { kind: 'positionUpdate', positions, isolatedPositions, adapterTimeNs }
    }
    case 'walletUpdate': return walletUpdate(message, adapterTimeNs)
  }
}

/** The wallets as a message, without a spread: every fill sends them. */
export function walletUpdate(
  statement: WalletStatement, adapterTimeNs: number,
): { readonly kind: 'walletUpdate'; readonly adapterTimeNs: number } & WalletStatement {
  const { wallets, maintenanceMargin, totalBalances } = statement
  if (maintenanceMargin === undefined) {
    return totalBalances === undefined
      ? { kind: 'walletUpdate', wallets, adapterTimeNs }
      : { kind: 'walletUpdate', wallets, totalBalances, adapterTimeNs }
  }
  return totalBalances === undefined
    ? { kind: 'walletUpdate', wallets, maintenanceMargin, adapterTimeNs }
    : { kind: 'walletUpdate', wallets, maintenanceMargin, totalBalances, adapterTimeNs }
}

/**
 * Says what an execution did: the position first (a derivative's must come before its fill), then fill and order update
 * in the order of the profile, then the wallets. What comes later is handed to `later` with its delay.
 */
export function sendExecution(
  news: ExecutionNews, rules: MessagePolicy, tell: (message: UntimedMessage) => void,
  later: (delayNs: number, message: UntimedMessage) => void,
): void {
  const { position, fill, report, wallets } = news
  const { lateFeesNs, fillDelayNs } = rules
  const first = lateFeesNs === null ? fill : preliminary(fill, rules)
  const sendFill = (): void => {
    if (fillDelayNs > 0) later(fillDelayNs, { kind: 'fill', fills: [first] })
    else tell({ kind: 'fill', fills: [first] })
  }
  const isUpdateFirst = rules.fillOrder === 'updateFirst' || (rules.fillOrder === 'seeded' && isDrawn(fill))
  const { positions, isolatedPositions } = position
  tell(
    isolatedPositions === undefined
      ? { kind: 'positionUpdate', positions }
      : { kind: 'positionUpdate', positions, isolatedPositions },
  )
  if (!isUpdateFirst) sendFill()
  if (report !== null) tell({ kind: 'orderUpdate', orders: [report] })
  if (isUpdateFirst) sendFill()
  tell({ kind: 'walletUpdate', ...wallets })
  if (lateFeesNs !== null) later(fillDelayNs + lateFeesNs, { kind: 'fill', fills: [{ ...fill, update: true }] })
}

/** A fill before its fees are known: what they are in USD is not known either. */
function preliminary(fill: Fill, { lateTradeId }: MessagePolicy): Fill {
  return {
    ...fill, fees: '0', ...(fill.usdFees === undefined ? {} : { usdFees: '0' }),
    ...(lateTradeId ? { exchangeTradeId: `preliminary-${fill.ownFillId}` } : {}),
  }
}

/** One bit of the fill's id, which the seed has drawn: no counter has to be kept. */
function isDrawn({ ownFillId }: Fill): boolean {
  return parseInt(ownFillId.slice(-1), 16) % 2 === 1
}
