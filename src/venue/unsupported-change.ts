import type { EntryError } from '../model/order.js'
import type { Capabilities } from './account-messages.js'

/** Why an adapter takes no entry of a kind of change, whichever order it names; null where it does (spec 2). */
export function unsupportedChange(
  verb: 'amend' | 'replace', capabilities: Pick<Capabilities, 'amend' | 'replace'>,
): EntryError | null {
  return capabilities[verb]
    ? null
    : { type: 'NOT_SUPPORTED', message: `this venue does not support ${verb}`, source: 'INTERNAL' }
}
