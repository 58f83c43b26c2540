import type { SignalRow } from '../model/signal-row.js'

/** Receives rows of signals. */
export interface SignalListener {
  /** A row of the signal of this name is known now. */
  onSignal(name: string, row: SignalRow): void
}

/** Rows from outside the market, which a venue passes on when they become known. */
export interface SignalSource {
  /** Names of the signals, in the order in which rows of one instant come. */
  readonly names: readonly string[]
  /** From now on every row comes to the listener: none from before, none that is not due. */
  subscribe(listener: SignalListener): void
}
