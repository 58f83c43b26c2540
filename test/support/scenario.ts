import type { Id } from '../../src/model/id.js'
import { CrossingWatch } from '../../src/simulation/crossing-watch.js'
import { SilenceWatch } from '../../src/simulation/made-lines.js'
import type { WorldAssumptions } from '../../src/exchange/world-config.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { queueModelFromName } from '../../src/exchange/matching/queue-model.js'
import { HFTBACKTEST_PRESET } from '../../src/exchange/matching/assumptions.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import type { SameStamp } from '../../src/model/exchange-order.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry, type BenchCommand } from './exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine, type MarketRow } from './market-lines.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import type { Staleness } from '../../src/exchange/market/market-silence.js'

/*
 * A scenario is a page that a trader can read. `# ` lines are words; `set` lines change assumptions; lines that begin with `@time` are what the
 * market recorded and what clients send, in the order in which they happen; indented lines are what came of it. `@12/15` is an exchange
 * time and the adapter's; `[3]` in front gives the line's place in the file where that is another order.
 *
 *   book 100x5 99x8 | 101x4      a snapshot          set 100x4 | 101x0      an update        gap 100x4 |     an update whose chain is broken
 *   top 100x5 | 101x4            top of book         sell 100x3 99x1        a trades line    error           state ERROR
 *   mark 100    index 100        a price by which orders may trigger
 *   silence                      no line of the file: the state that `set staleAfter 10 book` (or `any`) puts in, played and not written
 *   crossed                      the same of `set crossedAfter 10`
 *   place a BID 100 x3 [IOC|FOK|MARKET] [postOnly] [by c2] [on 2]        several orders of one request are divided by ` & `
 *   place a BID 100 x3 STOP trigger=105    place a BID x3 PEG_MARKET|PEG_PRIMARY [offset=-2]    [show=1]    [reduceOnly|closeOnly|OPEN|CLOSE]
 *   cancel a    cancelAll    amend a 99 x2    amend a x2    amend a trigger=104    amend a offset=1    replace a b 99 x2
 *
 * `set profile FIELD VALUE` changes a field of the venue profile's section `orders`.
 */

interface Settings {
  assumptions: Partial<WorldAssumptions>
  exchangeTop: 'fused' | 'depth'
  sameStamp: SameStamp
  preset: boolean
  lot: string
  clients: Record<string, string>
  isFull: boolean
  scale: number
  profile: VenueProfile
  staleness: Staleness | null
  crossedAfterNs: number
}

interface Step {
  readonly text: string
  readonly timeNs: number
  readonly line: MarketLine | null
  readonly fileOrder: number
  readonly instrumentId: number
  readonly command: BenchCommand | null
}

/** Plays a scenario and returns the page as it should stand. */
export function playScenario(page: string, isFull: boolean): string {
  const words: string[] = []
  const settings: Settings = { assumptions: {}, exchangeTop: 'fused', sameStamp: 'trades', preset: false, lot: '1', clients: { c: 'A' }, isFull, scale: 0, profile: GENERIC_PROFILE, staleness: null, crossedAfterNs: Infinity }
  const steps: Step[] = []
  for (const text of page.split('\n')) {
    if (/^@\d+ (silence|crossed)$/.test(text)) continue
    if (text.startsWith('@') || text.startsWith('[')) steps.push(stepOf(text, steps.length))
    else if (text.startsWith('set ')) applySetting(settings, text.split(' ').slice(1))
    if (text.startsWith('#') || text.startsWith('set ') || (text.trim() === '' && steps.length === 0)) words.push(text)
  }
  return [...words.join('\n').trimEnd().split('\n'), '', ...played(steps, settings)].join('\n') + '\n'
}

function applySetting(settings: Settings, [name = '', value = '', more = '']: string[]): void {
  if (name === 'profile') settings.profile = { ...settings.profile, orders: { ...settings.profile.orders, [value]: more === 'true' ? true : more === 'false' ? false : more } }
  else applyAssumption(settings, name, value, more)
}

function applyAssumption(settings: Settings, name: string, value: string, more: string): void {
  const change = (assumption: Partial<WorldAssumptions>): void => void (settings.assumptions = { ...settings.assumptions, ...assumption })
  if (name === 'queue') change({ queue: queueModelFromName(value) })
  else if (name === 'fills') change({ fills: value as 'partial' | 'whole' })
  else if (name === 'gaps') change({ gaps: value as WorldAssumptions['gaps'] })
  else if (name === 'latency') change({ requestLatency: constantLatency(Number(value)), responseLatency: constantLatency(Number(more)) })
  else if (name === 'exchangeTop') settings.exchangeTop = value as 'fused' | 'depth'
  else if (name === 'sameStamp') settings.sameStamp = value as SameStamp
  else if (name === 'lot') settings.lot = value
  else if (name === 'staleAfter') settings.staleness = { afterNs: Number(value), counts: more as Staleness['counts'] }
  else if (name === 'crossedAfter') settings.crossedAfterNs = Number(value)
  else if (name === 'client') settings.clients[value] = more
  else if (name === 'preset') {
    settings.preset = true
    settings.exchangeTop = HFTBACKTEST_PRESET.exchangeTop
    settings.sameStamp = HFTBACKTEST_PRESET.sameStamp
    change({ fills: HFTBACKTEST_PRESET.fills, switches: HFTBACKTEST_PRESET.switches })
  } else throw new Error(`unknown setting ${name}`)
}

function stepOf(text: string, at: number): Step {
  const match = /^(?:\[(\d+)\] )?@(\d+)(?:\/(\d+))? (\w+) ?(.*)$/.exec(text)
  if (match === null) throw new Error(`not a step: ${text}`)
  const [, place, time = '', adapter, verb = '', all = ''] = match
  const timeNs = Number(time)
  const instrumentId = Number(/ on (\d+)/.exec(` ${all}`)?.[1] ?? 1)
  const rest = ` ${all}`.replace(/ on \d+/, '').trim()
  const line = lineOf(verb, rest, timeNs, adapter === undefined ? timeNs : Number(adapter))
  const command = line === null ? commandOf(verb, rest, timeNs, instrumentId) : null
  return { text, timeNs, line, fileOrder: place === undefined ? at : Number(place), instrumentId, command }
}

function lineOf(verb: string, rest: string, timeNs: number, adapterTimeNs: number): MarketLine | null {
  const at = { timeNs, adapterTimeNs }
  if (verb === 'error') return { kind: 'ERROR', ...at }
  if (verb === 'mark' || verb === 'index') return { kind: verb, ...at, value: Number(rest) }
  if (verb === 'sell' || verb === 'buy') return { kind: 'trades', ...at, rows: levels(rest, verb === 'sell' ? 1 : 0) }
  const kinds = { book: 'snapshot', set: 'update', gap: 'update', top: 'top' } as const
  const kind = verb in kinds ? kinds[verb as keyof typeof kinds] : null
  if (kind === null) return null
  const [bids = '', asks = ''] = rest.split('|')
  return { kind, ...at, gap: verb === 'gap', rows: [...levels(bids, 0), ...levels(asks, 1)] }
}

function levels(text: string, side: number): MarketRow[] {
  return [...text.matchAll(/(\d+)x(\d+)(?:@(\d+))?/g)].map(([, price, quantity, time]): MarketRow => {
    const level = [side, Number(price), Number(quantity)] as const
    return time === undefined ? level : [...level, Number(time)]
  })
}

function commandOf(verb: string, rest: string, timeNs: number, instrumentId: number): BenchCommand {
  const clientId = / by (\w+)/.exec(` ${rest}`)?.[1] ?? 'c'
  const words = ` ${rest}`.replace(/ by \w+/, '').trim().split(/\s+/)
  const [first = '', second = ''] = words
  const quantity = words.find((word) => /^x\d+$/.test(word))
  const price = words.slice(1).find((word) => /^\d+$/.test(word))
  const terms = { ...(price === undefined ? {} : { price: Number(price) }), ...(quantity === undefined ? {} : { totalQuantity: Number(quantity.slice(1)) }), ...conditions(words) }
  const base = { timeNs, clientId }
  switch (verb) {
    case 'place': return { ...base, send: (entry) => entry.place(rest.split(' & ').map((one) => placed(one, instrumentId))) }
    case 'cancel': return { ...base, send: (entry) => entry.cancel(words.map((ownOrderId) => ({ ownOrderId }))) }
    case 'cancelAll': return { ...base, send: (entry) => entry.cancelAll({ requestId: 'r', createTimeNs: timeNs }) }
    case 'amend': return { ...base, send: (entry) => entry.amend([{ ownOrderId: first, currentClientOrderId: first, newClientOrderId: `${first}'`, ...terms }]) }
    case 'replace': return { ...base, send: (entry) => entry.replace([{ currentOwnOrderId: first, newOwnOrderId: second, currentClientOrderId: first, newClientOrderId: second, ...terms }]) }
    default: throw new Error(`unknown command ${verb}`)
  }
}

/** What follows `trigger=`, `offset=`, `show=`. */
function conditions(words: readonly string[]): { readonly triggerPrice?: number, readonly pegOffsetValue?: number, readonly displayQuantity?: number } {
  const names = { trigger: 'triggerPrice', offset: 'pegOffsetValue', show: 'displayQuantity' }
  return Object.fromEntries(Object.entries(names).flatMap(([name, field]) => {
    const word = words.find((one) => one.startsWith(`${name}=`))
    return word === undefined ? [] : [[field, Number(word.slice(name.length + 1))]]
  }))
}

const TYPES: readonly (readonly [word: string, type: string])[] = [['MARKET', 'MARKET'], ['STOP', 'STOP_LIMIT'], ['PEG_MARKET', 'MARKET_PEGGED'], ['PEG_PRIMARY', 'PRIMARY_PEGGED']]

/** Words of an order besides its price, its quantity and what has an `=`. */
const WORDS: ReadonlySet<string> = new Set([...TYPES.map(([word]) => word), 'BID', 'ASK', 'IOC', 'FOK', 'postOnly', 'reduceOnly', 'closeOnly', 'OPEN', 'CLOSE'])

function placed(text: string, instrumentId: number): PlaceEntry {
  const words = text.trim().split(/\s+/)
  const unknown = words.slice(1).filter((word, at, all) => word !== 'by' && all[at - 1] !== 'by' && !WORDS.has(word) && !/^x?\d+$|=/.test(word))
  if (unknown.length > 0) throw new Error(`an order has no ${unknown.join(', ')}`)
  const price = words.slice(2).find((word) => /^\d+$/.test(word))
  return placeEntry(words[0]!, {
    instrumentId, side: words[1] as 'BID' | 'ASK', price: price === undefined ? null : Number(price), totalQuantity: Number(words.find((word) => /^x\d+$/.test(word))!.slice(1)),
    type: TYPES.find(([word]) => words.includes(word))?.[1] ?? 'LIMIT', postOnly: words.includes('postOnly'), ...conditions(words),
    ...(words.includes('reduceOnly') ? { reduceOnly: true } : {}), ...(words.includes('closeOnly') ? { closeOnly: true } : {}),
    ...(words.includes('OPEN') ? { openClose: 'OPEN' as const } : words.includes('CLOSE') ? { openClose: 'CLOSE' as const } : {}),
    timeInForce: words.includes('IOC') ? 'IMMEDIATE_OR_CANCEL' : words.includes('FOK') ? 'FILL_OR_KILL' : 'GOOD_TILL_CANCEL',
  })
}

/** A batch with the silences of its lines, and the gaps of a crossed book. */
function inParts(batch: EventBatch, { staleness, crossedAfterNs }: Settings): EventBatch[] {
  const watch = new CrossingWatch(crossedAfterNs)
  const parts = withSilences(batch, staleness).flatMap((part) => watch.parts(part, () => {}))
  const last = watch.end(Infinity)
  return last === null ? parts : [...parts, last]
}

function withSilences(batch: EventBatch, staleness: Staleness | null): EventBatch[] {
  if (staleness === null) return [batch]
  const watch = new SilenceWatch(staleness)
  const end = { instrument: batch.instrument, epochDay: 0, priceScale: 0, quantityScale: 0 }
  const parts = [...watch.parts(batch)]
  const last = watch.end(end, null)
  return last === null ? parts : [...parts, last]
}

function played(steps: readonly Step[], settings: Settings): string[] {
  const log: string[] = []
  const ids = [...new Set(steps.map((step) => step.instrumentId))]
  const commands = steps.flatMap((step) => (step.command === null ? [] : [step.command]))
  const ahead = new Map<string, string>()
  const touches = new Map<number, string>()
  const lineSteps = (id: number): Step[] => steps.filter((step) => step.line !== null && step.instrumentId === id).sort((a, b) => a.fileOrder - b.fileOrder)
  let playing = ''
  const out = (timeNs: number, text: string): void => void log.push(`    ${timeNs === bench.nowNs ? '' : `@${timeNs} `}${text}`)
  const bench: ExchangeBench = new ExchangeBench({
    instruments: ids.map((id) => {
      const instrument = madeInstrument({ id, lotSize: settings.lot })
      return { instrument, batches: lineSteps(id).length === 0 ? [] : inParts(lineBatch(lineSteps(id).map((step) => step.line!), { instrument }), settings) }
    }),
    assumptions: settings.assumptions, exchangeTop: settings.exchangeTop, sameStamp: settings.sameStamp, clients: settings.clients, profile: settings.profile,
    ...(settings.preset ? { market: HFTBACKTEST_PRESET.market } : {}),
    delivered: (_world, clientId, timeNs, message) => {
      const prefix = Object.keys(settings.clients).length > 1 && settings.isFull ? `${clientId}: ` : ''
      for (const text of settings.isFull ? fullTexts(message) : shortTexts(message, clientId === 'c' || Object.keys(settings.clients).length > 0)) out(timeNs, prefix + text)
    },
    observer: () => ({
      bookLost: (_id, { sinceNs, detectedNs, reason }) => out(detectedNs, `blind since ${sinceNs} (${reason})`),
      bookRecovered: (_id, timeNs) => out(timeNs, 'bookKnown'),
      executed: (order, price, quantity, timeNs, cause) => settings.isFull || out(timeNs, `exchange: ${String(order.ownOrderId)} executes ${quantity} @ ${price} (${cause})`),
    }),
    played: (what) => {
      const step = stepPlayed(what)
      if (step !== null && step.text !== playing) {
        const from = log.length
        const kept = what.startsWith('command') ? [] : log.splice(from - pending)
        log.push(step.text, ...kept)
        playing = step.text
      }
      pending = 0
      states()
      mark = log.length
    },
  })
  let pending = 0
  let mark = 0
  const stepPlayed = (what: string): Step | null => {
    pending = log.length - mark
    const [kind = '', id = '', batch = '', event = ''] = what.split(' ')
    if (kind === 'command') return steps.find((step) => step.command === commands[Number(id)]) ?? null
    if (kind !== 'item') return null
    const { batches } = bench.queues.get(Number(id))!
    const { flags, adapterTimeNs } = batches[Number(batch)]!
    const made = EVENT_FLAGS.SILENCE | EVENT_FLAGS.CROSSED_GAP
    if ((flags[0]! & made) !== 0) return { text: `@${adapterTimeNs[0]!} ${(flags[0]! & EVENT_FLAGS.SILENCE) === 0 ? 'crossed' : 'silence'}`, timeNs: adapterTimeNs[0]!, line: null, fileOrder: -1, instrumentId: Number(id), command: null }
    const before = batches.slice(0, Number(batch)).reduce((sum, one) => sum + ((one.flags[0]! & made) === 0 ? one.count : 0), 0)
    return lineSteps(Number(id))[before + Number(event)] ?? null
  }
  const states = (): void => {
    if (settings.isFull) return
    for (const [id, { shown }] of bench.markets) {
      const level = (price: number, quantity: number): string => (Number.isNaN(price) ? '-' : `${price}x${quantity}`)
      const touch = `${level(shown.bestBidPrice, shown.bestBidQuantity)} | ${level(shown.bestAskPrice, shown.bestAskQuantity)}`
      if (touches.get(id) !== touch) log.push(`    shown ${touch}`)
      touches.set(id, touch)
    }
    for (const order of bench.openOrders()) {
      if (order.isDormant === true) continue
      const text = Number.isNaN(order.quantityAhead) ? 'unknown' : String(Math.round(order.quantityAhead * 1e6) / 1e6)
      const place = `has ${text} ahead${order.shownQuantity === undefined ? '' : `, shows ${order.shownQuantity}`}`
      const id = String(order.ownOrderId)
      if (ahead.get(id) !== place) log.push(`    ${id} ${place}`)
      ahead.set(id, place)
    }
    const { halt } = bench.worlds[0]!
    if (halt !== null && ahead.get('halt') === undefined) log.push(`    the run ends at ${halt.timeNs} (${halt.reason})`)
    if (halt !== null) ahead.set('halt', 'said')
  }
  bench.run(commands)
  return log
}

function shortTexts(message: ClientMessage, _isOnly: boolean): string[] {
  switch (message.kind) {
    case 'placeResponse': return message.results.flatMap(({ ownOrderId, error }) => (error === undefined ? [] : [`${String(ownOrderId)} refused: ${error.type} (${error.source})`]))
    case 'amendResponse': return message.results.flatMap(({ ownOrderId, error }) => (error === undefined ? [] : [`amend of ${String(ownOrderId)} refused: ${error.type} (${error.source})`]))
    case 'replaceResponse': return message.results.flatMap(({ ownOrderId, error }) => (error === undefined ? [] : [`replacement ${String(ownOrderId)} refused: ${error.type} (${error.source})`]))
    case 'cancelResponse': return message.results.flatMap(({ ownOrderId, error }) => (error === undefined ? [] : [`cancel of ${String(ownOrderId)} refused: ${error.type} (${error.source})`]))
    case 'orderUpdate': return message.orders.map((order) => `${String(order.ownOrderId)} ${order.state} ${order.executedQuantity}/${order.totalQuantity}${order.price === null ? '' : ` @ ${order.price}`}${order.triggered === undefined ? '' : order.triggered ? ' triggered' : ` waits for ${order.triggerPrice!}`}${order.error === undefined ? '' : `, ${order.error.type} (${order.error.source})`}`)
    case 'fill': return message.fills.map((fill) => `${String(fill.ownOrderId)} filled ${fill.quantity} @ ${fill.price} ${fill.addedLiquidity ? 'maker' : 'taker'}`)
    default: return []
  }
}

function fullTexts(message: ClientMessage): string[] {
  const answer = (ownOrderId: Id, error: { type: string, source: string } | undefined): string => `${String(ownOrderId)} ${error === undefined ? 'ok' : `${error.type} (${error.source})`}`
  switch (message.kind) {
    case 'placeResponse': case 'amendResponse': case 'replaceResponse': case 'cancelResponse':
      return [`${message.kind} ${message.results.map(({ ownOrderId, error }) => answer(ownOrderId, error)).join(', ')}`]
    case 'cancelAllResponse': return ['cancelAllResponse ok']
    case 'orderUpdate': case 'fill': return shortTexts(message, true).map((text) => `${message.kind} ${text}`)
    case 'positionUpdate': return message.positions.map(({ longPosition, shortPosition }) => `positionUpdate long ${longPosition} short ${shortPosition}`)
    case 'orderContextResponse': case 'fillContextResponse': return message.results.map((result) => `${message.kind} ${answer('ownFillId' in result ? result.ownFillId : result.ownOrderId, result.error)}`)
    case 'rateLimitLoad': return message.loads.map(({ id, p, a, r, c }) => `rateLimitLoad ${id}: p ${p} a ${a} r ${r} c ${c}`)
    case 'accountStatus': return [`accountStatus ${message.state.status}, ${message.state.orders.length} open`]
    case 'corporateAction': return [`corporateAction of ${message.action.instrumentId}`]
    case 'walletUpdate': return message.wallets.map(({ underlyingId, availableAmount }) => `walletUpdate ${underlyingId}: ${String(availableAmount)}`)
  }
}
