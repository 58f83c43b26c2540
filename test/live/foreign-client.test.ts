import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openServing } from '../../src/serve/serving-server.js'

const OPTIONS = {
  data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'], from: '2026-07-01T23:58:00Z', to: '2026-07-01T23:58:40Z', httpPort: 0,
  account: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } },
  assumptions: { requestLatency: '10ms', responseLatency: '10ms' }, replay: { speed: 'lockstep' },
} as const

/** The digits of the times, too, are kept as they came. */
type Row = readonly [side: number, price: string, quantity: string]

/**
 * A client of `ws` alone, as a stranger writes one from the documents: it quotes on what the feed says and takes on what the adapter says. Everything
 * that it receives and sends stands in its log, the handshakes apart.
 */
async function played(transportDelay: () => Promise<void>): Promise<readonly string[]> {
  const serving = await openServing(OPTIONS)
  const log: string[] = []
  try {
    const { http, feeds: [feed], keys: [key], accounts: [accountId] } = serving.addresses
    const instrumentId = serving.replay.feed.instruments.entries[0]!.instrument.id
    const ended = serving.run()
    const entry = new WebSocket(`${http.replace('http', 'ws')}/api/v2`)
    const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    let ids = 0
    const send = (message: object): void => {
      const text = JSON.stringify({ accountId, ...message })
      log.push(`> ${text}`)
      entry.send(text)
    }
    const order = (side: 'BID' | 'ASK', price: string, postOnly: boolean): object => {
      const id = uuid(++ids)
      return { msgType: 'place', entries: [{ ownOrderId: id, clientOrderId: id, instrumentId, type: 'LIMIT', side, timeInForce: postOnly ? 'GOOD_TILL_CANCEL' : 'IMMEDIATE_OR_CANCEL', price, totalQuantity: '100', postOnly }] }
    }
    const open: string[] = []
    const touch: [bid: string, ask: string] = ['', '']
    const loggedIn = new Promise<void>((resolve) => entry.on('message', (data: Buffer) => {
      const text = data.toString()
      const message = JSON.parse(text) as { msgType: string, data?: { ownOrderId: string, state: string }[] }
      if (message.msgType === 'welcome') return entry.send(JSON.stringify({ msgType: 'login', accountId, requestId: 'r', processId: 'stranger', version: '1', options: { useLegacyPositionEncoding: false } }))
      if (message.msgType === 'loginResponse') return resolve()
      log.push(`< ${text}`)
      if (message.msgType !== 'orderUpdate') return
      for (const { ownOrderId, state } of message.data!) {
        if (state === 'CONFIRMED') open.push(ownOrderId)
        else if (open.includes(ownOrderId)) open.splice(open.indexOf(ownOrderId), 1)
        // An answer to an answer, within the step.
        if (state === 'CANCELED' && ids % 3 === 0) send(order('BID', touch[1], false))
      }
    }))
    await loggedIn
    await transportDelay()
    const market = new WebSocket(`${feed!.json}?apiKey=${key!}`)
    let [tops, lines] = [0, 0]
    market.on('message', (data: Buffer) => {
      const text = data.toString()
      if (!text.startsWith('[')) return log.push(`< ${text}`)
      const [kind, , , , , , rows] = JSON.parse(text) as [number, number, string, string, number, number, readonly Row[]]
      if (kind === 14) return market.send(JSON.stringify([11, instrumentId]))
      lines++
      log.push(`< ${text}`)
      if (kind !== 6) return
      for (const [side, price] of rows) touch[side as 0 | 1] = price
      if (touch[0] === '' || touch[1] === '' || ++tops % 9 !== 0) return
      if (open.length > 3) send({ msgType: 'cancel', entries: [{ ownOrderId: open[tops % open.length]! }] })
      else send(tops % 2 === 0 ? order('BID', touch[0], true) : order('ASK', touch[1], true))
    })
    await once(market, 'open')
    market.send(JSON.stringify([13, 'o', 'stranger', '1', 'stranger']))
    await ended
    expect(lines).toBeGreaterThan(500)
    expect(serving.pacer.lockStep.lateCount).toBe(0)
    for (const socket of [market, entry]) socket.terminate()
    return log
  } finally {
    await serving.close()
  }
}

const turns = (count: number) => async (): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('in lock-step a client of `ws` that is not ours does the same every time: pongs are its answers', { timeout: 120_000 }, async () => {
  const first = await played(turns(0))
  expect(first.filter((line) => line.startsWith('> ')).length).toBeGreaterThan(50)
  expect(first.some((line) => line.includes('"msgType":"fill"'))).toBe(true)
  for (const delay of [turns(50), turns(500)]) {
    const again = await played(delay)
    const at = first.findIndex((line, index) => line !== again[index])
    expect([at, again[at]]).toEqual([at, first[at]])
    expect(again.length).toBe(first.length)
  }
})
