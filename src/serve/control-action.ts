import type { ControlBody } from './control-body.js'
import type { ControlParts } from './control-parts.js'

/** One action of the control port: a row of docs/reference/serve-actions.md. `Parts` are those that it changes. */
export interface ControlAction<Parts = ControlParts> {
  /** The fields of its body, with their values in words; they begin with `needed` where it cannot do without. */
  readonly fields: Readonly<Record<string, string>>
  readonly does: string
  /** The messages that a client receives. */
  readonly receives: string
  /** The end of it. */
  readonly ends: string
  /** True: of the pace itself, done while the replay moves; others are done between two steps. */
  readonly isOfPace?: true
  /** Checks what takes time, before it is done; throws {@link ControlRefusal}. The replay may move meanwhile. */
  check?(parts: Parts, body: ControlBody): Promise<void>
  /** Does it; what the answer says beside `ok`. Throws {@link ControlRefusal}. */
  perform(parts: Parts, body: ControlBody): object | Promise<object>
}
