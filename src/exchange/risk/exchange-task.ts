/** The exchange's own actions at an instant, after the feed and the requests of that instant (exchange rules 1.3). */
export type InternalTask =
  /**
   * Stop orders whose trigger was reached enter; pegged orders follow their reference; `closeOnly` orders grow with
   * their position (exchange rules 7.1, 7.2, 7.4).
   */
  | { readonly kind: 'conditions', readonly instrumentId: number }
  /** Funding of every position in an instrument (exchange rules 8.1). */
  | { readonly kind: 'funding'; readonly instrumentId: number }
  /** Looks whether an account's positions are to be liquidated (exchange rules 8.3). */
  | { readonly kind: 'judge'; readonly accountId: string }
  /** A full hour of what an account has borrowed. */
  | { readonly kind: 'interest'; readonly accountId: string }
  /** The contract of an instrument ends. */
  | { readonly kind: 'expiry'; readonly instrumentId: number }
  /** A corporate action of the plan, by its place there. */
  | { readonly kind: 'corporateAction'; readonly number: number }

/** Takes tasks of the exchange: each is done after the feed and the requests of its instant (exchange rules 1.3). */
export interface TaskAgenda {
  plan(timeNs: number, instrumentId: number, task: InternalTask): void
}
