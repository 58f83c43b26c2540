import { describe, expect, test } from 'vitest'
import type { PositionStatement, WalletStatement } from '../../src/exchange/accounts/account-statements.js'
import { addExecution, positionMessage, PROMPT_MESSAGES, walletMessage, type LateFill } from '../../src/exchange/fill-messages.js'
import { UNSENT } from '../../src/exchange/outbox.js'
import type { Fill } from '../../src/venue/account-messages.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'

const usd = (usdAmount: string) => [{ walletType: 'ACCOUNT', usdAmount }]
const WALLETS: readonly WalletStatement[] = [{ wallets: [] }, { wallets: [], totalBalances: usd('7') }, { wallets: [], maintenanceMargin: usd('3') }, { wallets: [], maintenanceMargin: usd('3'), totalBalances: usd('7') }]
const POSITIONS: readonly PositionStatement[] = [{ positions: [] }, { positions: [], isolatedPositions: [] }]
const FILL: Fill = {
  ownFillId: 'f', exchangeTradeId: 't', exchangeTimeNs: 1, ownOrderId: 'o', exchangeOrderId: 'e', clientOrderId: 'c', instrumentId: 1, side: 'BID', price: 100, quantity: 1, fees: '0.1', feeUnderlyingId: 2, addedLiquidity: true, update: false,
}

/** What is told of an execution, and what later. */
function told(fill: Fill, position: PositionStatement, wallets: WalletStatement, lateFeesNs: number | null = null): [now: ClientMessage[], later: LateFill[]] {
  const [now, later]: [ClientMessage[], LateFill[]] = [[], []]
  addExecution({ position, fill, report: null, wallets }, { ...PROMPT_MESSAGES, lateFeesNs }, now, later)
  return [now, later]
}

describe('a message says what is known and has no field for what is not', () => {
  test.each(WALLETS)('wallets: %j', (wallets) => {
    expect(walletMessage(wallets)).toStrictEqual({ kind: 'walletUpdate', adapterTimeNs: UNSENT, ...wallets })
    expect(told(FILL, { positions: [] }, wallets)[0].at(-1)).toStrictEqual({ kind: 'walletUpdate', adapterTimeNs: UNSENT, ...wallets })
  })

  test.each(POSITIONS)('positions: %j', (position) => {
    expect(positionMessage(position)).toStrictEqual({ kind: 'positionUpdate', adapterTimeNs: UNSENT, ...position })
    expect(told(FILL, position, { wallets: [] })[0][0]).toStrictEqual({ kind: 'positionUpdate', adapterTimeNs: UNSENT, ...position })
  })

  test.each<Partial<Fill>>([{}, { usdFees: '0.2' }])('a fill before its fees are known: %j', (more) => {
    const fill = { ...FILL, ...more }
    const [now, later] = told(fill, { positions: [] }, { wallets: [] }, 50)
    expect([now[1], later]).toStrictEqual([{ kind: 'fill', adapterTimeNs: UNSENT, fills: [{ ...fill, fees: '0', ...('usdFees' in more ? { usdFees: '0' } : {}) }] }, [{ delayNs: 50, fill: { ...fill, update: true } }]])
  })
})
