/** The msgType of every event of a tick file (spec 4, section 3). A batch's `kind` column holds these numbers. */
export const EVENT_KINDS = {
  snapshot: 0,
  update: 1,
  trades: 2,
  state: 5,
  topOfBook: 6,
  mark: 7,
  index: 8,
  funding: 9,
  liquidations: 17,
} as const

/** The name of an event kind. */
export type EventKind = keyof typeof EVENT_KINDS

/** All kinds in ascending order of their msgType. */
export const EVENT_KIND_NAMES: readonly EventKind[] = [
  'snapshot', 'update', 'trades', 'state', 'topOfBook', 'mark', 'index', 'funding', 'liquidations',
]

const NAMES_BY_CODE: EventKind[] = []
for (const name of EVENT_KIND_NAMES) NAMES_BY_CODE[EVENT_KINDS[name]] = name

/**
 * The name of a msgType, or undefined where the layout knows none.
 *
 * @example
 * ```ts
 * import { EVENT_KINDS, eventKindFromCode } from 'backtape/columns'
 * if (eventKindFromCode(EVENT_KINDS.trades) !== 'trades' || eventKindFromCode(99) !== undefined) {
 *   throw new Error('its own code, and an unknown one')
 * }
 * ```
 */
export function eventKindFromCode(code: number): EventKind | undefined {
  return NAMES_BY_CODE[code]
}
