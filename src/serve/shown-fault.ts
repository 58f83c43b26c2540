import { kindOfFound, type Fault } from '../model/fault.js'
import { CONTROL_ACTIONS } from './control-actions.js'

const ACTION_FIELDS = Object.values(CONTROL_ACTIONS).flatMap(({ fields }) => Object.keys(fields))
/** Names in whose values a key may stand, on purpose or by mistake. */
const OF_KEYS = /(^|[.["])(api[-_]?)?(keys?|newKey|controlPlan|tokens?)(?![A-Za-z\d])|^shop\.accounts/i
/** Of the path of such a place, the names that are ours; a name of digits looks like a number of more. */
const OURS = new RegExp(
  String.raw`^(keys(\[\d{1,4}\](\.(key|markets|instruments|days)(\[\d{1,4}\])?)?)?` +
  String.raw`|shop\.accounts(\[\d{1,4}\](\.(name|token|owns|realtimeKey|realtimeDays)(\[\d{1,5}\]` +
  String.raw`(\.(bought|markets|instruments|days)(\[\d{1,5}\])?)?)?)?)?` +
  String.raw`|controlPlan(\[\d{1,4}\](\.(at|action|${ACTION_FIELDS.join('|')}))?)?)(?=$|[.[])`)
const OF_ACTION = /^controlPlan\[\d+\]\.(?!(key|newKey)$)/

/**
 * A fault in the options of a server as it is shown: no key, wherever one stands. Where keys have their place, values
 * are named by their kind and names by ours; elsewhere lists and objects are named by their kind.
 */
export function shownFault(one: Fault): Fault {
  // A text in the place of all may be a configuration in quotes.
  const isByKind = /^[[{]/.test(one.found) || one.path === ''
  if (!OF_KEYS.test(one.path)) return isByKind ? { ...one, found: kindOfFound(one.found) } : one
  const { path: whole, expected } = one
  const path = OURS.exec(whole)?.[0] ?? ''
  if (path !== whole) return { path, expected, found: 'another field' }
  return OF_ACTION.test(path) && !isByKind ? one : { path, expected, found: kindOfFound(one.found) }
}
