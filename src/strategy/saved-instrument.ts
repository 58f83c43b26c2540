import { statedTerms } from './held-position.js'
import type { MarketCallbacks } from './market-callbacks.js'
import { linesState, restoreLines, type InstrumentState } from './runtime-state.js'
import { savedQuantity, savedText } from './saved-decimal.js'
import { holdingOf, ownFillsOf, takeNetTraded, takePosition, TradingInstrument } from './trading-instrument.js'

function belongsTo(state: InstrumentState, { instrument }: MarketCallbacks): boolean {
  return (
    state.instrumentId === instrument.id &&
    state.accountId === (instrument instanceof TradingInstrument ? instrument.account.id : null)
  )
}

/** An instrument of a strategy as a checkpoint holds it. */
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

/** Takes back the state of an instrument out of those of a checkpoint; one that is not among them stays as it is. */
export function restoreInstrument(callbacks: MarketCallbacks, saved: readonly InstrumentState[]): void {
  const { instrument } = callbacks
  const state = saved.find((one) => belongsTo(one, callbacks))
  if (state === undefined) return
  restoreLines(instrument, state)
  if (state.sent !== null) callbacks.restore(state.sent)
  if (!(instrument instanceof TradingInstrument)) return
  if (state.position !== null) takePosition(instrument, savedQuantity(state.position), state.stated)
  if (state.netTraded !== null) takeNetTraded(instrument, savedQuantity(state.netTraded))
  if (state.ownFills !== undefined) ownFillsOf(instrument).restore(state.ownFills)
}
