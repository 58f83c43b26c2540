import { statedTerms } from './held-position.js'
import type { MarketCallbacks } from './market-callbacks.js'
import { linesState, restoreLines, type InstrumentState } from './runtime-state.js'
import { savedQuantity, savedText } from './saved-decimal.js'
import { holdingOf, ownFillsOf, takeNetTraded, takePosition, TradingInstrument } from './trading-instrument.js'

/** True where a saved state is that of an instrument. */
export function belongsTo(state: InstrumentState, { instrument }: MarketCallbacks): boolean {
  return (
    state.instrumentId === instrument.id &&
    state.accountId === (instrument instanceof TradingInstrument ? instrument.account.id : null)
  )
}

/** The state of an instrument for a checkpoint. */
export function instrumentState(callbacks: MarketCallbacks): InstrumentState {
  const { instrument } = callbacks
  const isTrading = instrument instanceof TradingInstrument
  return {
    instrumentId: instrument.id,
    accountId: isTrading ? instrument.account.id : null,
    sent: callbacks.sent(),
    ...linesState(instrument),
    position: isTrading ? savedText(instrument.position) : null,
    netTraded: isTrading ? savedText(instrument.netTraded) : null,
    ...(isTrading
      ? { stated: statedTerms(holdingOf(instrument).stated), ownFills: ownFillsOf(instrument).state() }
      : {}),
  }
}

/** Gives an instrument its state back. */
export function restoreInstrument(callbacks: MarketCallbacks, state: InstrumentState): void {
  const { instrument } = callbacks
  restoreLines(instrument, state)
  if (state.sent !== null) callbacks.restore(state.sent)
  if (!(instrument instanceof TradingInstrument)) return
  if (state.position !== null) takePosition(instrument, savedQuantity(state.position), state.stated)
  if (state.netTraded !== null) takeNetTraded(instrument, savedQuantity(state.netTraded))
  if (state.ownFills !== undefined) ownFillsOf(instrument).restore(state.ownFills)
}
