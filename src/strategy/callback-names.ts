import { brandedPrototype } from '../model/brand.js'
import { editDistance } from '../model/word-distance.js'
import type { Strategy } from './strategy.js'

/** Names that other tools give to what a callback here is called for. */
const ALIASES: ReadonlyMap<string, keyof Strategy> = new Map([
  ['onbbo', 'onInstrumentTopOfBook'], ['onbestbidask', 'onInstrumentTopOfBook'], ['onticker', 'onInstrumentTopOfBook'],
  ['onbook', 'onInstrumentSnapshot'], ['onbookupdate', 'onInstrumentSnapshot'], ['ondepth', 'onInstrumentSnapshot'],
  ['onorderbook', 'onInstrumentSnapshot'], ['onpublictrade', 'onInstrumentTrades'], ['onmark', 'onInstrumentMarkPrice'],
  ['onindex', 'onInstrumentIndexPrice'], ['onfunding', 'onInstrumentFundingRate'], ['onexecution', 'onOrderFill'],
  ['onfilled', 'onOrderFill'], ['onorderfilled', 'onOrderFill'], ['onorder', 'onOrderUpdate'],
  ['onorderrejected', 'onOrderError'], ['onstate', 'onMarketDataState'], ['oninit', 'onStart'], ['onbegin', 'onStart'],
  ['onend', 'onStop'], ['onfinish', 'onStop'],
])

/** The words that a callback's name may lack: `onTrades` for `onInstrumentTrades`. */
const NOUNS = /^on(?:Instrument|Order|Account|MarketData)(?=[A-Z])/

/** Names shorter than this are close only where a letter is missing or one too many: `onStep` is no `onStop`. */
const SHORT_NAME = 8
const LONG_NAME = 12

/**
 * Methods of a strategy whose names are close to a callback's but are none, each with the callback, in the order of the
 * classes.
 */
export function nearCallbacks(strategy: Strategy): (readonly [name: string, callback: string])[] {
  const base = brandedPrototype(strategy, 'Strategy')
  if (base === null) return []
  const callbacks = Object.getOwnPropertyNames(base).filter((name) => /^on[A-Z]/.test(name))
  const found: (readonly [string, string])[] = []
  for (const name of new Set(ownMethods(strategy, base))) {
    const callback = name in base || !/^on/i.test(name) ? undefined : callbackNear(name, callbacks)
    if (callback !== undefined) found.push([name, callback])
  }
  return found
}

/** Methods of an object and of its classes below a base. */
function ownMethods(instance: object, base: object): string[] {
  const names: string[] = []
  for (let at: object | null = instance; at !== null && at !== base; at = Object.getPrototypeOf(at) as object | null) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && name !== 'constructor') names.push(name)
  }
  return names
}

function callbackNear(name: string, callbacks: readonly string[]): string | undefined {
  const lower = name.toLowerCase()
  return ALIASES.get(lower) ?? callbacks.find((callback) =>
    // With its noun and without.
    [callback, callback.replace(NOUNS, 'on')].some((form) => isNear(lower, form.toLowerCase())),
  )
}

function isNear(name: string, form: string): boolean {
  if (name === form) return true
  if (form.length < SHORT_NAME) return name.length !== form.length && editDistance(name, form) === 1
  return editDistance(name, form) <= (form.length < LONG_NAME ? 1 : 2)
}
