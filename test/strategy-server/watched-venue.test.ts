import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { GrowingStretch } from '../../src/panels/growing-stretch.js'
import { StretchReplay } from '../../src/panels/stretch-replay.js'
import type { LiveFrame } from '../../src/strategy-server/pages/live-frames.js'
import { KEY, openedVenues, servedVenue, venueConfig } from '../support/venue-instances.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => { for (const end of ends.splice(0).reverse()) await end() })

test('an instance over sockets is shown as its messages have it, asked for before it begins', { timeout: 180_000 }, async () => {
  const { serving, venue } = await servedVenue(30)
  ends.push(() => serving.close())
  process.env['WATCHED_KEY'] = KEY
  const server = await openedVenues(venueConfig({ there: { ...venue, keyVariable: 'WATCHED_KEY' } }))
  ends.push(server.close)
  const id = await server.made('one', 'there')
  const stretches: GrowingStretch[] = []
  let profitCount = 0
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/live`)
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString('utf8')) as LiveFrame
    if (frame.op === 'stretch') stretches.push(new GrowingStretch(frame.columns))
    else if (frame.op === 'part') {
      stretches.at(-1)!.add(frame.part)
      profitCount += frame.points.filter(({ profit }) => profit !== null).length
    } else return
    socket.send(JSON.stringify({ op: 'shown' }))
  })
  await once(socket, 'open')
  ends.push(() => { socket.terminate() })
  socket.send(JSON.stringify({ op: 'watch', instanceId: id }))
  await server.start(id)
  await server.until(id, ({ progress }) => (progress?.fills ?? 0) >= 3)
  await server.trading(id)
  const shown = (): StretchReplay => new StretchReplay(stretches.at(-1)!.columns)
  // Its two orders far from the touch rest, and nothing says where they stand in the queue.
  const resting = shown().orders(Infinity, 0).filter(({ state }) => state === 'CONFIRMED')
  expect(resting.map(({ side, price, total, ahead }) => [side, price, total, ahead])).toEqual(Array.from({ length: 2 }, (): unknown[] => ['BID', expect.any(Number) as number, expect.any(Number) as number, null]))
  await server.stop(id)
  const { progress } = await server.until(id, ({ end }) => end !== undefined)
  const { lines } = await server.ask<{ lines: readonly { readonly text: string }[] }>(`/api/v1/strategy/instance/${id}/fills?limit=1000`)
  const journal = lines.flatMap(({ text }) => {
    const { fills = [] } = JSON.parse(text) as { readonly fills?: readonly { ownOrderId: string, exchangeTimestampNs: string }[] }
    return fills.map(({ ownOrderId, exchangeTimestampNs }) => `${ownOrderId} ${exchangeTimestampNs}`)
  })
  const seen = (): string[] => stretches.flatMap(({ columns: { fills, orders, events, fromEpochNs } }) => (
    fills.event.map((event, at) => `${orders[fills.order[at]!]!.ownOrderId} ${String(BigInt(fromEpochNs) + BigInt(events.timeNs[event]!))}`)))
  for (let at = 0; at < 500 && seen().length < journal.length; at++) await new Promise((later) => { setTimeout(later, 10) })
  const part = (texts: readonly string[], at: number): string[] => texts.map((text) => text.split(' ')[at]!)
  expect(part(seen(), 0)).toEqual(part(journal, 0))
  // Times ascend: a fill is known only once it has been received.
  for (const [at, time] of part(seen(), 1).entries()) expect(BigInt(time)).toBeGreaterThanOrEqual(BigInt(part(journal, 1)[at]!))
  expect(progress).toMatchObject({ fills: journal.length, lastFill: journal.at(-1)!.split(' ')[1] })
  const { columns } = stretches.at(-1)!
  expect(columns.fills).toMatchObject({ cause: journal.map(() => ''), ahead: journal.map(() => null) })
  expect(progress!.positions).toMatchObject([{ size: columns.fills.position.at(-1) }])
  // Behind its cancels no order is open; the book has levels of both sides, the journal its last lines.
  expect(shown().orders(Infinity, 0)).toEqual([])
  const ladder = shown().ladders[0]!.at(columns.events.kind.length - 1)
  expect([ladder.bids.prices.length, ladder.asks.prices.length]).toEqual([20, 20])
  expect(columns.lines.text.length).toBeGreaterThan(5)
  expect(profitCount).toBeGreaterThan(0)
})
