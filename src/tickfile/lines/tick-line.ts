/**
 * The layout of a tick line (spec 4, section 3) in one place:
 * `[msgType, instrumentId, prevEventId, eventId, adapterTs, exchangeTs, data, ...tail]`.
 */
export const TICK_LINE = {
  /** Fields of every event but a state, in order. */
  envelope: ['msgType', 'instrumentId', 'prevEventId', 'eventId', 'adapterTs', 'exchangeTs', 'data'],
  /** A state is the whole line. */
  state: ['msgType', 'instrumentId', 'adapterTs', 'state', 'text'],
  /** Rows of kinds 0, 1 and 6. */
  bookRow: ['side', 'price', 'qty', 'orderCount'],
  /** Rows of kind 2. */
  tradeRow: ['side', 'price', 'qty', 'tradeId', 'exchangeTradeTs'],
  /** Rows of kind 17. */
  liquidationRow: ['side', 'price', 'qty', 'exchangeLiquidationTs'],
  /** Data of kind 9; the last may be absent. */
  funding: ['rate', 'nextFundingTs', 'predictedRate'],
  /** Tail of kind 0; absent in files before 2026. */
  snapshotTail: ['forceReset'],
  /** Tail of kind 7; absent in files before 2026, null on anything but options. */
  markTail: ['delta', 'gamma', 'vega', 'theta', 'markVol', 'bidVol', 'askVol'],
} as const

/**
 * The chain that a msgType belongs to (spec 4, section 4): snapshots and updates share one, the others have one each;
 * -1 has none. Indexed by msgType.
 */
export const CHAIN_OF_KIND: readonly number[] = [0, 0, 1, -1, -1, -1, 2, 3, 4, 5, -1, -1, -1, -1, -1, -1, -1, 6]
/** The number of chains that {@link CHAIN_OF_KIND} names. */
export const CHAIN_COUNT = 7
