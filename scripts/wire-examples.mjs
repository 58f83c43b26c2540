// Requests and answers of each kind, as a server over a made-up day sends them: for the pages of the wire.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WebSocket } from 'ws'
import { root } from './project.mjs'

const ID = 67_824
const EVENT = '9223372036854775807'
const uuid = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const nsAt = (ms) => BigInt(Date.parse('2026-07-01T00:00:00Z') + ms) * 1_000_000n

async function fromDist(path) {
  return import(pathToFileURL(join(root, 'dist', path)).href)
}

function masterText() {
  const instrument = {
    id: ID, code: 'BTCUSDT', exchange_code: 'example', type: 'perpetual', state: 'open', ticksize: '0.1',
    lot_size: '0.001', multiplier: 1, is_inverse: false, is_quanto: false, funding_interval: '28800',
    base_underlying_id: 1, counter_underlying_id: 2, valuation_underlying_id: 2, fee_underlying_id: 2,
  }
  const underlying = (id, code, rate) => (
    { id, code, name: code, type: 'coin', fx_rate: rate, ts_fx: '2026-07-01T00:00:00Z' })
  return JSON.stringify({ instrument, underlyings: [underlying(1, 'BTC', 60_000), underlying(2, 'USDT', 1)] })
}

/** The lines of the day: every kind once, then a book and a trade each half second. */
function dayText() {
  const line = (kind, ms, data, [before, event] = [EVENT, EVENT]) => (
    `[${kind},${ID},"${before}","${event}",${nsAt(ms + 2)},${nsAt(ms)},${data}]`)
  const lines = [
    line(0, 1000, '[[0,"60000.1","1.5",1],[0,"60000","2",1],[1,"60000.2","0.8",1]],false', ['0', '1000']),
    line(6, 1100, '[[0,"60000.1","1.5",1],[1,"60000.2","0.8",1]]'), line(7, 1200, '"60000.15"'),
    line(8, 1300, '"60000.4"'), line(9, 1400, `["0.0001",${nsAt(28_800_000)},"0.00012"]`),
    line(17, 1500, `[[1,"59990","0.3",${nsAt(1500)}]]`),
  ]
  for (let at = 0; at < 116; at++) {
    const ms = 2000 + 500 * at
    lines.push(line(1, ms, `[[1,"60000.2","${1 + (at % 5)}",1]]`, [String(1000 + at), String(1001 + at)]))
    lines.push(line(2, ms + 100, `[[0,"60000.2","0.05","${5001 + at}",${nsAt(ms + 100)}]]`))
  }
  return [masterText(), ...lines, ''].join('\n')
}

/** A client that takes texts down. */
class Peer {
  texts = []

  constructor(url) {
    this.socket = new WebSocket(url, { perMessageDeflate: false })
    this.socket.on('message', (data) => { this.texts.push(data.toString('utf8')) })
  }

  send(text) {
    this.socket.send(text)
  }

  /** The server has taken everything that was sent, and all that it wrote is here: its pong is behind both. */
  async settled() {
    this.socket.ping()
    await once(this.socket, 'pong')
  }
}

/** JSON over several lines: broken behind commas, so that it stays what was sent. */
function wrapped(sign, text) {
  const lines = ['']
  for (const piece of text.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+,?/g) ?? []) {
    if (lines.at(-1).length + piece.length > 114) lines.push('')
    lines[lines.length - 1] += piece
  }
  return lines.map((line, at) => `${at === 0 ? sign : ' '} ${line}`)
}

/** A server over the day that moves step by step. */
class Example {
  blocks = []
  #server = null
  #folder = mkdtempSync(join(tmpdir(), 'backtape-wire-'))

  async open() {
    const [{ openServing }, { createFrameCompressor }, { GENERIC_PROFILE }] = await Promise.all([
      fromDist('serve/serving-server.js'), fromDist('files/zstd-compressor.js'),
      fromDist('exchange/profile/venue-profile.js'),
    ])
    const day = join(this.#folder, 'example-BTCUSDT-2026-07-01.txt.zst')
    writeFileSync(day, (await createFrameCompressor(1))(new TextEncoder().encode(dayText())))
    const rateLimits = [{ id: 'ORDERS', windowMs: 10_000, tokens: { shared: 50 } }]
    this.#server = await openServing({
      data: [day], httpPort: 0, controlPort: 0, keys: [{ key: 'KEY', markets: ['example'], days: 'always' }],
      accounts: {
        paper: {
          exchange: 'example', balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' },
          profile: { ...GENERIC_PROFILE, name: 'example', rateLimits },
        },
      },
      replay: { speed: 'max', start: 'paused' },
    })
    this.ended = this.#server.run()
  }

  get addresses() {
    return this.#server.addresses
  }

  async peer(url) {
    const peer = new Peer(url)
    await once(peer.socket, 'open')
    return peer
  }

  /** An HTTP request and its answer; ports are those of the documents. */
  async get(url, key) {
    const answer = await fetch(url, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })
    const head = key === undefined ? [] : [`> Authorization: Bearer ${key}`]
    const text = (await answer.text()).replaceAll(new URL(this.addresses.http).port, '8080')
    return [`> GET ${url.replace(/^\w+:\/\/[^/]+/, '')}`, ...head, ...wrapped('<', text)]
  }

  async control(action, body = {}) {
    const { url, token } = this.addresses.control
    const answer = await fetch(`${url}/${action}`, {
      method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`Cannot do ${action}: ${await answer.text()}`)
  }

  /** The first text behind `from` that begins with `[...`, or holds another word: waited for step by step. */
  async find(peer, from, word) {
    const fits = (text) => (word.startsWith('[') ? text.startsWith(word) : text.includes(word))
    for (let tries = 0; tries < 100; tries++) {
      await peer.settled()
      const found = peer.texts.slice(from).find(fits)
      if (found !== undefined) return found
      await this.control('step')
    }
    throw new Error(`Cannot find ${word}: ${peer.texts.slice(from).join('\n')}`)
  }

  async close() {
    await this.#server?.close()
    await this.ended
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function block(title, lines) {
  return `### ${title}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\``
}

async function feedBlocks(example) {
  const [feed] = example.addresses.feeds
  const blocks = [
    block('Connection', await example.get(`${feed.info}?all=true`)),
    block('Directory', await example.get(`${example.addresses.http}/api/realtime/instruments?market=example`, 'KEY')),
  ]
  const peer = await example.peer(`${feed.json}?apiKey=KEY`)
  const talk = async (title, request, words) => {
    const from = peer.texts.length
    peer.send(request)
    const answers = []
    for (const word of words) answers.push(...wrapped('<', await example.find(peer, from, word)))
    blocks.push(block(title, [...wrapped('>', request), ...answers]))
  }
  await talk('Login', '[13,"my-firm","my-bot","1.0","4711"]', ['[14,'])
  const kinds = [5, 0, 6, 7, 8, 9, 17, 1, 2].map((kind) => `[${kind},`)
  await talk('Subscription, and an event of each type', `[11,${ID},{"liquidationsTopic":true}]`, kinds)
  await talk('End of a subscription', `[12,${ID}]`, ['"instrument unsubscribed"'])
  peer.send(`[11,${ID}]`)
  await peer.settled()
  return blocks
}

const ORDER = { instrumentId: ID, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL' }
const LOGIN = { accountId: 'paper', requestId: uuid(1), processId: 'my-bot', version: '1.0' }

async function orderBlocks(example) {
  const { http } = example.addresses
  const blocks = [
    block('Lookup', await example.get(`${http}/api/accounts/paper/tradingservers`)),
    block('Adapter', await example.get(`${http}/api/info`)),
  ]
  const peer = await example.peer(`${http.replace('http', 'ws')}/api/v2`)
  const talk = async (title, request, words, act = null) => {
    // What the message before caused has come by then.
    for (let count = 0; count < 3; count++) await example.control('step')
    const from = peer.texts.length
    const text = typeof request === 'string' || request === null ? request : JSON.stringify(request)
    if (text !== null) peer.send(text)
    if (act !== null) await act()
    const answers = []
    for (const word of words) answers.push(...wrapped('<', await example.find(peer, from, word)))
    blocks.push(block(title, [...(text === null ? [] : wrapped('>', text)), ...answers]))
  }
  const message = (kind) => `"msgType":"${kind}"`
  const request = (msgType, ...entries) => ({ msgType, accountId: 'paper', entries })
  const place = (number, more) => (
    request('place', { ownOrderId: uuid(number), clientOrderId: uuid(number), ...ORDER, ...more }))
  const [own, second, third, bought, replaced] = [10, 20, 30, 40, 50]
  blocks.push(block('welcome', wrapped('<', await example.find(peer, 0, message('welcome')))))
  const options = { includeContext: true, enableCorporateActions: true, useLegacyPositionEncoding: false }
  await talk('login', { msgType: 'login', ...LOGIN, options }, [message('loginResponse')])
  await talk('place', place(own, { price: '59990', totalQuantity: '0.5', postOnly: true, context: { tag: 'maker' } }), [
    message('placeResponse'), message('orderUpdate'), message('rateLimitLoad'),
  ])
  await talk('A place that is refused', place(second, { price: '60001', totalQuantity: '0.5', postOnly: true }), [
    message('placeResponse'),
  ])
  await talk('amend', request('amend', {
    ownOrderId: uuid(own), currentClientOrderId: uuid(own), newClientOrderId: uuid(11), price: '59991.5',
  }), [message('amendResponse')])
  await talk('replace', request('replace', {
    currentOwnOrderId: uuid(own), currentClientOrderId: uuid(11), newOwnOrderId: uuid(replaced),
    newClientOrderId: uuid(replaced), price: '59992', totalQuantity: '0.4',
  }), [message('replaceResponse')])
  await talk('orderContext', request('orderContext', {
    ownOrderId: uuid(replaced), clientOrderId: uuid(replaced), context: { tag: 'quote' },
  }), [message('orderContextResponse')])
  await talk('cancel', request('cancel', { ownOrderId: uuid(replaced) }), [
    message('cancelResponse'), '"state":"CANCELED"',
  ])
  const taker = { type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL', totalQuantity: '0.2' }
  await talk('A market order that is filled', place(bought, taker), [
    message('placeResponse'), message('fill'), message('positionUpdate'), message('walletUpdate'), '"state":"FILLED"',
  ])
  const fill = JSON.parse(peer.texts.findLast((text) => text.includes(message('fill'))))
  const { ownFillId } = fill.data[0]
  await talk('fillContext', request('fillContext', { ownFillId, context: { tag: 'entry' } }), [
    message('fillContextResponse'),
  ])
  const resting = JSON.stringify(place(third, { price: '59980', totalQuantity: '0.1' }))
  peer.send(resting)
  await example.find(peer, peer.texts.length, message('orderUpdate'))
  await talk('cancelAll', { msgType: 'cancelAll', accountId: 'paper', requestId: uuid(60), createTimestampNs: 0 }, [
    message('cancelAllResponse'),
  ])
  await talk('A request that cannot be read', '{"msgType":"dance"}', [message('invalidRequest')])
  const split = { lastPrice: '60000', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false }
  await talk('A split, where the login has `enableCorporateActions`', null, [message('corporateAction')], () => (
    example.control('corporate-action', { instrument: 'BTCUSDT', split })))
  await talk('The exchange is lost', null, [message('accountStatus')], () => (
    example.control('exchange-down', { account: 'paper' })))
  await talk('logout, which has no answer', { msgType: 'logout', accountId: 'paper', requestId: uuid(2) }, [])
  return blocks
}

/** The examples of the two pages, in Markdown: `feed` and `orders`. Needs a built dist. */
export async function wireExamples() {
  const example = new Example()
  try {
    await example.open()
    const feed = await feedBlocks(example)
    const orders = await orderBlocks(example)
    return { feed: feed.join('\n\n'), orders: orders.join('\n\n') }
  } finally {
    await example.close()
  }
}
