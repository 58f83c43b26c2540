import { plainDecimal } from '../model/decimal.js'
import { fault, type Fault } from '../model/fault.js'
import type { JsonObject } from '../model/json-object.js'
import { ControlRefusal, type ControlBody } from './control-body.js'
import type { ReplaySpeed } from './serve-options.js'
import { goodsOf, shopDayOf } from './shop-actions.js'

/** The duration of an action that names none. */
export const DEFAULT_FOR = '10s'
const FAR_FACTOR = 1e9
const KEY = /^[A-Za-z0-9._~-]{1,200}$/
/** Most depth lines that `gap` leaves out. */
const MOST_EVENTS = 1_000_000
/** Most days that `midnight` is ahead. */
const MOST_DAYS = 400

/** A speed: `"max"`, `"lockstep"` or a factor. */
export function speedOf(body: ControlBody): ReplaySpeed {
  const value = body.value('speed')
  if (value === 'max' || value === 'lockstep') return value
  return typeof value === 'number' && value > 0 && value <= FAR_FACTOR
    ? value
    : body.refuse('speed', '"max", or a factor above 0 such as 60')
}

/** The key in the place of another, as a configuration has keys. */
export function newKeyOf(body: ControlBody): string {
  const key = body.value('newKey')
  // A key is a secret: what was found is not repeated.
  if (typeof key !== 'string' || !KEY.test(key))
    throw new ControlRefusal(400, 'newKey', 'a text of 1 to 200 letters, digits and -._~', 'another one')
  return key
}

/** Fees as decimal text. */
export function feesOf(body: ControlBody): string {
  return plainDecimal(body.text('fees', 'a decimal in quotes')) ?? body.refuse('fees', 'a decimal in quotes')
}

/** Depth lines that are left out. */
export function eventsOf(body: ControlBody): number {
  return body.count('events', [1, MOST_EVENTS], 1)
}

/** Days ahead of the clock. */
export function daysOf(body: ControlBody, otherwise: number): number {
  return body.count('days', [0, MOST_DAYS], otherwise)
}

/** The kind of socket that is meant. */
export function socketOf(body: ControlBody): 'feed' | 'orderEntry' | 'all' {
  return body.choice('socket', ['feed', 'orderEntry', 'all'], 'all')
}

/** Reads the value of a field, as the action itself does. */
interface FieldRule {
  /** True: the data say which values there are. */
  readonly isOfData?: true
  read(body: ControlBody): unknown
}

const text = (name: string): FieldRule => ({ read: (body) => body.text(name, 'a text') })

/** Fields of actions by name; one name means the same in all. Those of a corporate action are checked together. */
const FIELD_RULES: Readonly<Record<string, FieldRule>> = {
  speed: { read: speedOf }, time: { read: (body) => body.timeNs('time') }, key: text('key'),
  newKey: { read: newKeyOf }, instrument: { isOfData: true, read: (body) => body.instrumentId() },
  account: { isOfData: true, read: (body) => body.account() },
  market: { isOfData: true, read: (body) => body.market() }, on: { read: (body) => body.flag('on', true) },
  days: { read: (body) => daysOf(body, 0) }, for: { read: (body) => body.durationNs('for', DEFAULT_FOR) },
  events: { read: eventsOf }, fees: { read: feesOf }, socket: { read: socketOf }, message: text('message'),
  order: text('order'), goods: { read: goodsOf }, day: { read: shopDayOf },
  text: text('text'), ownFillId: text('ownFillId'), processId: text('processId'),
}

/**
 * The faults of an action's fields that show before it is done: `words` are its fields, those that begin with `needed`
 * have to be there. Without data the names of instruments, accounts and markets are taken as they are.
 */
export function fieldFaults(
  words: Readonly<Record<string, string>>, fields: JsonObject, body: ControlBody, isWithData: boolean,
): Fault[] {
  return Object.entries(words).flatMap(([name, said]) => {
    const isThere = body.has(name)
    if (!isThere && said.startsWith('needed')) return [fault(name, said.replace(/^needed; /, ''), fields[name])]
    const rule = FIELD_RULES[name]
    if (!isThere || rule === undefined || (rule.isOfData === true && !isWithData)) return []
    return refusalsOf(() => rule.read(body))
  })
}

/** The refusal of a value, as a fault. */
function refusalsOf(read: () => unknown): Fault[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ControlRefusal) return [faultOf(error)]
    throw error
  }
}

/** A refusal as a fault of a field. */
export function faultOf({ field, expected, found }: ControlRefusal): Fault {
  return { path: field, expected, found }
}
