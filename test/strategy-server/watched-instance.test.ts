import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { GrowingStretch } from '../../src/panels/growing-stretch.js'
import type { StretchColumns } from '../../src/panels/stretch-columns.js'
import type { LiveFrame } from '../../src/strategy-server/pages/live-frames.js'
import type { StrategyServer } from '../../src/strategy-server/open-strategy-server.js'
import { openStrategyServer } from '../../src/strategy-server/strategy-server.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { newFolder } from '../support/new-folder.ts'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => { for (const close of closing.splice(0).reverse()) await close() })

const MAKER = `
import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Maker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  onStart() { this.every(200, () => this.quote()) }
  quote() {
    const { bestBid, bestAsk, openOrders } = this.instrument
    if (bestBid === null || bestAsk === null) return
    for (const order of openOrders) order.cancel()
    const quantity = this.instrument.quantity('100')
    this.instrument.placeOrder({ side: 'BID', quantity, price: bestBid.price })
    this.instrument.placeOrder({ side: 'ASK', quantity, price: bestAsk.price })
  }
}
`

async function opened(): Promise<StrategyServer> {
  const folder = newFolder()
  mkdirSync(join(folder, 'strategies'))
  writeFileSync(join(folder, 'strategies/maker.ts'), MAKER)
  const server = await openStrategyServer({
    strategies: join(folder, 'strategies'), store: join(folder, 'store'), port: 0,
    venues: {
      paper: {
        type: 'replay', files: [join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')], from: '23:59:30', speed: 'max',
        account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } },
      },
    },
  })
  closing.push(() => server.close())
  return server
}

async function ask(server: StrategyServer, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}/api/v1/strategy/instance${path}`, {
    method, ...body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  })
  return await response.json() as Record<string, unknown>
}

/** A viewer that draws as slowly as a test says. */
class Viewer {
  readonly stretches: GrowingStretch[] = []
  readonly frames: string[] = []
  readonly instances: Map<string, { readonly status: { readonly state: string } }> = new Map()

  constructor(readonly socket: WebSocket, private readonly drawMs: number) {
    socket.on('message', (data: Buffer) => { this.#take(JSON.parse(data.toString('utf8')) as LiveFrame) })
  }

  static async open(server: StrategyServer, drawMs: number): Promise<Viewer> {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/live`)
    const viewer = new Viewer(socket, drawMs)
    await once(socket, 'open')
    closing.push(() => { socket.terminate() })
    return viewer
  }

  say(frame: object): void { this.socket.send(JSON.stringify(frame)) }

  #take(frame: LiveFrame): void {
    this.frames.push(frame.op)
    if (frame.op === 'instances') for (const one of frame.instances) this.instances.set(one.instance.instanceId, one)
    if (frame.op === 'stretch') this.stretches.push(new GrowingStretch(frame.columns))
    if (frame.op === 'part') this.stretches.at(-1)!.add(frame.part)
    if (frame.op === 'stretch' || frame.op === 'part') setTimeout(() => { this.say({ op: 'shown' }) }, this.drawMs)
  }
}

/** Waits for something, but not for long. */
async function until(isSo: () => boolean): Promise<void> {
  for (let at = 0; at < 1_000 && !isSo(); at++) await new Promise((later) => { setTimeout(later, 10) })
}

const fillsOf = (stretches: readonly GrowingStretch[]): string[] => stretches.flatMap(({ columns }) => fillTexts(columns))

/** Fills by their orders, times and quantities. */
function fillTexts({ fills, orders, events, fromEpochNs }: StretchColumns): string[] {
  return fills.event.flatMap((event, at) => (event < 0 ? [] : [
    `${orders[fills.order[at]!]!.ownOrderId} ${String(BigInt(fromEpochNs) + BigInt(events.timeNs[event]!))} ${fills.quantity[at]} ${fills.fee[at]}`,
  ]))
}

describe('an instance that browsers watch', () => {
  test('shows each fill to quick and slow ones alike, and is the same run', async () => {
    const server = await opened()
    const [quick, slow] = [await Viewer.open(server, 0), await Viewer.open(server, 400)]
    const made = async (instanceName: string): Promise<string> => (
      String((await ask(server, 'POST', '', { instanceName, strategyName: 'Maker', parameters: { instrument: 'XRPUSDT' } }))['instanceId']))
    const [watched, alone] = [await made('watched'), await made('alone')]
    quick.say({ op: 'watch', instanceId: watched })
    slow.say({ op: 'watch', instanceId: watched })
    await ask(server, 'POST', `/${watched}/start`)
    await ask(server, 'POST', `/${alone}/start`)
    const endOf = async (id: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const { status } = await ask(server, 'GET', `/${id}`) as { status: { state: string, end?: Record<string, unknown> } }
        if (status.state === 'STOPPED') return status.end!
        if (status.state === 'FAILED') throw new Error(JSON.stringify(status))
        await new Promise((later) => { setTimeout(later, 50) })
      }
    }
    const [a, b] = [await endOf(watched), await endOf(alone)]
    expect(a['fingerprint']).toBe(b['fingerprint'])
    const { lines } = await ask(server, 'GET', `/${watched}/fills?limit=1000`) as { lines: readonly { readonly text: string }[] }
    const journal = lines.flatMap(({ text }) => {
      const { fills = [] } = JSON.parse(text) as { readonly fills?: readonly { ownOrderId: string, exchangeTimestampNs: string }[] }
      return fills.map(({ ownOrderId, exchangeTimestampNs }) => `${ownOrderId} ${exchangeTimestampNs}`)
    })
    // Whether anybody watches it or not, the list has the time of its last fill.
    const lastNs = journal.reduce((last, text) => (BigInt(text.split(' ')[1]!) > last ? BigInt(text.split(' ')[1]!) : last), 0n)
    for (const id of [watched, alone]) expect((await ask(server, 'GET', `/${id}`))['status']).toMatchObject({ progress: { lastFill: String(lastNs) } })
    const short = (text: string): string => text.split(' ').slice(0, 2).join(' ')
    await until(() => fillsOf(quick.stretches).length >= journal.length && fillsOf(slow.stretches).length >= journal.length)
    expect(fillsOf(quick.stretches).map(short).sort()).toEqual(journal.sort())
    expect(fillsOf(slow.stretches)).toEqual(fillsOf(quick.stretches))
    expect(journal.length).toBeGreaterThan(5)
    expect(slow.frames.length).toBeLessThan(quick.frames.length)
    await until(() => quick.instances.get(watched)?.status.state === 'STOPPED')
    expect(quick.frames).not.toContain('error')
  })
})
