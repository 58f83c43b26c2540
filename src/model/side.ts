/** The side of a level, an order or an aggressor, in the protocol's words. */
export type Side = 'BID' | 'ASK'

/** The side of a row in a batch: 0 is BID (or a buy), 1 is ASK (or a sell). Spec 4, section 3. */
export const SIDE_CODES = { BID: 0, ASK: 1 } as const

/** The word for a side code of a batch; any code but 1 is BID. */
export function sideFromCode(code: number): Side {
  return code === SIDE_CODES.ASK ? 'ASK' : 'BID'
}
