import { randomUUID } from 'node:crypto'
import { demandFault, endDemandedFaults } from '../exchange/demands.js'
import { REQUEST_KINDS } from '../exchange/profile/venue-profile.js'
import { FEED_NOTICES, FEED_REJECTIONS, INSTRUMENT_ERRORS } from '../protocol/feed-messages.js'
import { ControlRefusal, type ControlBody } from './control-body.js'
import type { ControlAction } from './control-action.js'
import type { Chosen, ControlParts } from './control-parts.js'
import { DEFAULT_FOR, daysOf, eventsOf, newKeyOf, socketOf, speedOf } from './control-fields.js'
import { act, checkAction, correctFill } from './demanded-messages.js'
import { ALONE_ACTIONS } from './shop-actions.js'
import { laterMs } from '../model/wall-client.js'

const NOTHING = 'nothing'
const AT_ONCE = 'done at once'
const INSTRUMENT = 'needed; id, `exchange:code` or code'
const ACCOUNT = 'an account; default all'
const MARKET_FOR = 'a duration of the server\'s clock'
const WHO = {
  socket: '`feed`, `orderEntry` or `all` (default)', market: 'feed connections of one market alone',
  account: 'order entry connections of one account alone', processId: 'connections of this login alone',
} as const

function chosen({ feed, orderEntry }: ControlParts, body: ControlBody): Chosen {
  const socket = socketOf(body)
  const [market, account] = [body.market(), body.account()]
  const processId = body.has('processId') ? body.text('processId', 'a process id') : null
  const isMeant = (one: { readonly processId: string | null }): boolean =>
    processId === null || one.processId === processId
  const of = {
    feed: socket === 'orderEntry' || (account !== null && market === null)
      ? []
      : [...feed.connections].filter((one) => isMeant(one) && (market === null || one.market === market)),
    orderEntry: socket === 'feed' || (market !== null && account === null)
      ? []
      : [...orderEntry.connections].filter((one) => isMeant(one) && (account === null || one.accountId === account)),
  }
  if (of.feed.length + of.orderEntry.length === 0)
    throw new ControlRefusal(409, 'socket', 'connections that are open', 'none of them')
  return of
}

function stall(parts: ControlParts, body: ControlBody): object {
  const { feed, orderEntry } = chosen(parts, body)
  const isOn = body.flag('on', true)
  const all = [...feed, ...orderEntry]
  for (const one of all) one.isStalled = isOn
  if (isOn && body.has('for'))
    laterMs(body.durationNs('for', DEFAULT_FOR) / 1e6, () => { for (const one of all) one.isStalled = false })
  return { connections: all.length }
}

function goTo({ pacer, replay }: ControlParts, body: ControlBody): Promise<object> {
  const timeNs = body.timeNs('time')
  if (timeNs < replay.fromNs) return body.refuse('time', 'a time of the replay')
  if (pacer.speed === 'lockstep') throw new ControlRefusal(409, 'time', 'another speed than lockstep', 'lockstep')
  return pacer.goTo(timeNs).then(() => ({}))
}

/** The new key; of an account the shop makes it, which alone can make it again. */
function rotatedKey({ access, shop }: ControlParts, body: ControlBody): string {
  const key = body.text('key', 'a key')
  const account = shop?.service.accounts.accountOfKey(key) ?? null
  if (account !== null && body.has('newKey'))
    throw new ControlRefusal(409, 'newKey', 'none where the key is of an account of the shop', 'one')
  const made = account === null ? null : shop?.service.accounts.rotateKey(account) ?? null
  if (made !== null) return made
  const newKey = body.has('newKey') ? newKeyOf(body) : randomUUID()
  if (access.keys.rotate(key, newKey)) return newKey
  throw new ControlRefusal(404, 'key', 'a known key, and a new one that is not known', 'another')
}

function rateLimit({ replay }: ControlParts, body: ControlBody): object {
  const nowNs = replay.clock.nowNs()
  const forNs = body.durationNs('for', DEFAULT_FOR)
  const account = body.account()
  for (const { accountId, profile } of replay.world.config.accounts) {
    if (account !== null && account !== accountId) continue
    const retry = profile?.capabilities.retryTime === true ? { retryTimeNs: nowNs + forNs } : {}
    demandFault(replay.world, {
      accountId, startNs: nowNs, everyNs: null, forNs,
      effect: { kind: 'requests', requests: REQUEST_KINDS, type: 'RATE_LIMIT_EXCEEDED', source: 'INTERNAL', ...retry },
    }, nowNs)
  }
  return {}
}

/** All actions by name. */
export const CONTROL_ACTIONS: Readonly<Record<string, ControlAction>> = {
  pause: {
    isOfPace: true, fields: {}, does: 'The replay stands still; messages of the exchange wait with it.',
    receives: NOTHING,
    ends: '`resume`',
    perform: ({ pacer }) => {
      pacer.pause()
      return {}
    },
  },
  resume: {
    isOfPace: true, fields: {}, does: 'The replay goes on, or begins without a subscription.',
    receives: 'market data', ends: '`pause`',
    perform: ({ pacer }) => {
      pacer.resume()
      return {}
    },
  },
  step: {
    isOfPace: true, fields: {},
    does: 'Plays until somebody is sent something, at most a second of the clock; for a replay that is paused, or ' +
      'whose `replay.step` is `post`. ' +
      'The answer comes when the messages have been written; its `sent` counts those of each connection that is ' +
      'logged in: `socket`, `market` or `account`, `processId`, `messages`.',
    receives: 'the messages of one step', ends: AT_ONCE,
    perform: async ({ pacer, replay }) => {
      if (!pacer.isStepped)
        throw new ControlRefusal(409, '', 'a replay that is paused, or replay.step "post"', 'neither')
      const sent = await pacer.step()
      return { hasEnded: replay.hasEnded, lateRequests: pacer.lockStep.lateCount, sent }
    },
  },
  speed: {
    isOfPace: true, fields: { speed: 'needed; `"max"` or a factor' },
    does: 'Another speed. A replay in lock-step keeps it, and no other gets into it.', receives: NOTHING,
    ends: 'another `speed`',
    perform: ({ pacer }, body) => {
      const speed = speedOf(body)
      if ((speed === 'lockstep') !== (pacer.speed === 'lockstep'))
        throw new ControlRefusal(409, 'speed', `a speed of a replay that is at ${String(pacer.speed)}`, String(speed))
      pacer.setSpeed(speed)
      return {}
    },
  },
  'go-to': {
    isOfPace: true, fields: { time: 'needed; `12:00` of the first day, ISO-8601 or epoch nanoseconds' },
    does: 'Goes to a time. One that has been is reached from the begin, with accounts as they were then. ' +
      'Behind the end the data have ended. Not in lock-step.',
    receives: 'READY and snapshots with `forceReset`, none of the lines between; backwards also `accountStatus`',
    ends: AT_ONCE, perform: goTo,
  },
  'revoke-key': {
    fields: { key: 'needed' }, does: 'The key opens nothing any more.',
    receives: 'the notice `api key expired or revoked`, close; then 401', ends: 'the end of the server',
    perform: ({ access, feed }, body) => {
      if (!access.keys.revoke(body.text('key', 'a key'))) throw new ControlRefusal(404, 'key', 'a known key', 'another')
      feed.recheckAccess()
      return {}
    },
  },
  'rotate-key': {
    fields: {
      key: 'needed', newKey: '1 to 200 letters, digits and -._~; default a random one; not for an account of the shop',
    },
    does: 'The key is another one from now on; its days stay.',
    receives: 'with the old key: the notice `api key expired or revoked`, close; then 401',
    ends: 'another `rotate-key`',
    perform: (parts, body) => {
      const key = rotatedKey(parts, body)
      parts.feed.recheckAccess()
      return { key }
    },
  },
  'expire-instrument': {
    fields: { instrument: INSTRUMENT, on: 'false: permitted again; default true' },
    does: 'No key opens the instrument any more.',
    receives: `the ERROR \`${INSTRUMENT_ERRORS.EXPIRED}\` without a close; then \`${INSTRUMENT_ERRORS.NOT_PERMITTED}\``,
    ends: '`on` false; clients subscribe again',
    perform: ({ access, feed }, body) => {
      const id = body.instrumentId()
      if (body.flag('on', true)) access.expired.add(id)
      else access.expired.delete(id)
      feed.recheckAccess()
      return {}
    },
  },
  'unconfigure-market': {
    fields: { market: 'needed; code of a market', on: 'false: configured again; default true' },
    does: 'The market is not configured any more: its feed takes nobody, and the directory does not know it.',
    receives: `the notice \`${FEED_NOTICES.EXPIRED}\`, close; then 401 \`${FEED_REJECTIONS.MARKET}\``,
    ends: '`on` false',
    perform: ({ access, feed }, body) => {
      const market = body.market() ?? body.refuse('market', 'a market')
      if (body.flag('on', true)) access.unconfigured.add(market)
      else access.unconfigured.delete(market)
      feed.recheckAccess()
      return {}
    },
  },
  midnight: {
    fields: { days: 'days ahead of the clock, 0 to 400; default one more' },
    does: 'Keys are decided as on a later UTC day; the clock stays.',
    receives: 'with a key that does not have that day: the notice `api key expired or revoked`, close; then 401',
    ends: '`days` 0',
    perform: ({ access, feed }, body) => {
      access.daysAhead = daysOf(body, access.daysAhead + 1)
      feed.recheckAccess()
      return { days: access.daysAhead }
    },
  },
  'directory-down': {
    fields: {}, does: 'The instrument directory cannot check access.', receives: '503 with `Retry-After`',
    ends: '`directory-up`',
    perform: ({ directory }) => {
      directory.isUp = false
      return {}
    },
  },
  'directory-up': {
    fields: {}, does: 'The directory answers again.', receives: 'the directory', ends: AT_ONCE,
    perform: ({ directory }) => {
      directory.isUp = true
      return {}
    },
  },
  'exchange-down': {
    fields: { account: ACCOUNT, for: `${MARKET_FOR}; default until \`exchange-up\``, message: 'text of the status' },
    does: 'Accounts lose their connection to the exchange; its messages wait.',
    receives: '`accountStatus` `DISCONNECTED`; requests fail with the error `DISCONNECTED`',
    ends: '`exchange-up`, or `for`',
    perform: ({ replay: { world, clock } }, body) => {
      const message = body.has('message') ? body.text('message', 'a text') : 'connection to the exchange lost'
      demandFault(world, {
        accountId: body.account(), effect: { kind: 'status', status: 'DISCONNECTED', message }, startNs: clock.nowNs(),
        everyNs: null, forNs: body.has('for') ? body.durationNs('for', DEFAULT_FOR) : Infinity,
      }, clock.nowNs())
      return {}
    },
  },
  'exchange-up': {
    fields: { account: ACCOUNT }, does: 'The connection is there again; what waited is sent.',
    receives: '`accountStatus` `OK`', ends: AT_ONCE,
    perform: ({ replay: { world, clock } }, body) => {
      endDemandedFaults(world, 'status', body.account(), clock.nowNs())
      return {}
    },
  },
  'rate-limit': {
    fields: { account: ACCOUNT, for: `${MARKET_FOR}; default ${DEFAULT_FOR}` },
    does: 'Order requests of all kinds exceed a limit.',
    receives: 'the error `RATE_LIMIT_EXCEEDED` of each entry, with `retryTimeNs` where `retryTime` is a capability',
    ends: '`for`', perform: rateLimit,
  },
  'correct-fill': {
    fields: { account: ACCOUNT, ownFillId: 'default: the last fill', fees: 'decimal text; default as they were' },
    does: 'Publishes a fill again, with other fees. The message alone: balances stay.',
    receives: '`fill` with `update` true', ends: AT_ONCE, perform: correctFill,
  },
  'corporate-action': {
    fields: {
      instrument: INSTRUMENT, split: 'lastPrice, buyVolume, sellVolume, liquidateFractionalShares',
      dividend: 'underlying (code), highPrice, lowPrice', comment: 'a text',
    },
    does: 'A split, a dividend or both, now, as `corporateActions` of a run file.',
    receives: '`corporateAction` where the login enables it, positions and wallets; a split cancels open orders',
    ends: AT_ONCE, check: checkAction, perform: act,
  },
  gap: {
    fields: { instrument: INSTRUMENT, events: 'depth lines left out, 1 to 1000000; default 1' },
    does: 'Leaves out depth lines of everybody\'s feed; the replay itself has them.',
    receives: 'an update whose `prevEventId` is not the last `eventId`', ends: 'so many lines; clients subscribe again',
    perform: ({ feed }, body) => {
      feed.omit(body.instrumentId(), { depthLineCount: eventsOf(body) })
      return {}
    },
  },
  silence: {
    fields: { instrument: INSTRUMENT, for: `${MARKET_FOR}; default ${DEFAULT_FOR}` },
    does: 'Leaves out all lines of an instrument.', receives: 'nothing of it, then a broken chain', ends: '`for`',
    perform: ({ feed, replay }, body) => {
      feed.omit(body.instrumentId(), { untilNs: replay.clock.nowNs() + body.durationNs('for', DEFAULT_FOR) })
      return {}
    },
  },
  'force-reset': {
    fields: { instrument: 'id, `exchange:code` or code; default all' }, does: 'Sends the current state again.',
    receives: 'READY, then a snapshot with `forceReset`', ends: AT_ONCE,
    perform: ({ feed }, body) => {
      feed.resendSnapshots(body.has('instrument') ? body.instrumentId() : undefined)
      return {}
    },
  },
  'error-state': {
    fields: { instrument: INSTRUMENT, text: 'default `market data error`' },
    does: 'Sends the state ERROR to everybody who reads the instrument; lines go on.',
    receives: 'ERROR with the text; one of the four instrument-level errors ends the subscription too',
    ends: '`force-reset`',
    perform: ({ feed }, body) => {
      const text = body.has('text') ? body.text('text', 'a text') : 'market data error'
      feed.sendState(body.instrumentId(), 'ERROR', text)
      return {}
    },
  },
  drop: {
    fields: WHO, does: 'Ends connections without a word.', receives: 'an abrupt close, no close frame', ends: AT_ONCE,
    perform: (parts, body) => {
      const { feed, orderEntry } = chosen(parts, body)
      for (const one of feed) one.close(null)
      for (const one of orderEntry) one.close()
      return { connections: feed.length + orderEntry.length }
    },
  },
  stall: {
    fields: { ...WHO, for: 'a duration of your clock; default until `on` false', on: 'false: ends it; default true' },
    does: 'Writes nothing to connections; what is due waits, up to the limit of a slow reader.',
    receives: 'nothing, then everything at once', ends: '`for`, or `on` false', perform: stall,
  },
  ...ALONE_ACTIONS,
}
