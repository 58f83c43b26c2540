declare global {
  interface SymbolConstructor {
    /** As TypeScript's `esnext.disposable` and the types of Node declare it. */
    readonly asyncDispose: unique symbol
  }
}

/** Something that is closed when it is no longer needed: by hand, or by leaving the block of an `await using`. */
export interface Closing {
  /** Closes it; harmless twice. */
  close(): Promise<void>
  /** Closes it where `await using` leaves its block. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Both ways to close something. */
export function closing(close: () => Promise<void>): Closing {
  return { close, [Symbol.asyncDispose]: close }
}
