import { afterEach, expect, test } from 'vitest'
import { closeServers, madeServer } from '../support/feed-peer.ts'
import { closeClients, liveClient } from '../support/live-feed-client.ts'
import { FEED_LINES } from '../support/made-feed.ts'

afterEach(async () => {
  await closeClients()
  await closeServers()
})

test('of top-of-book lines that wait in one send the last remains, in its place', async () => {
  const made = await madeServer()
  const peer = await made.reader('[11,1210,{"topOfBookCoalescing":true}]')
  const whole = await made.reader('[11,1210]')
  await peer.received(1)
  await whole.received(1)
  const top = (n: number): string => FEED_LINES.top.replace('"8"', `"${n}"`)
  const lines = [top(1), FEED_LINES.trades, top(2), FEED_LINES.mark, top(3), FEED_LINES.index]
  for (const line of lines) made.feed.play(line)
  made.server.flush()
  for (const line of [top(4), top(5)]) made.feed.play(line)
  made.server.flush()
  expect((await whole.received(9)).slice(1)).toEqual([...lines, top(4), top(5)])
  expect((await peer.received(6)).slice(1)).toEqual([FEED_LINES.trades, FEED_LINES.mark, top(3), FEED_LINES.index, top(5)])
  expect([...made.server.connections].map(({ sentCount }) => sentCount)).toEqual([6, 9])
})

test('many lines in one turn arrive whole, in order, through every length of frame', async () => {
  const made = await madeServer()
  const peers = [await made.reader('[11,1210]'), await made.reader('[11,1210]')]
  for (const peer of peers) await peer.received(1)
  const wanted: string[] = []
  for (let i = 0; i < 4000; i++) {
    const size = i === 2000 ? 70_000 : i % 97
    const rows = Array.from({ length: size }, (_, row) => `[${row % 2},"1.${String(row % 10_000).padStart(4, '1')}","${row + 1}",1]`).join(',')
    const line = `[1,1210,"${i}","${i + 1}",${1782345115505070406n + BigInt(i)},0,[${rows}]]`
    wanted.push(line)
    made.feed.play(line)
  }
  for (const peer of peers) {
    const texts = await peer.received(4001)
    const plain = (text: string): string => text.replaceAll(/0+"/g, '"').replaceAll('."', '"')
    expect(texts.slice(1).map(plain)).toEqual(wanted.map(plain))
  }
})

test('both encodings deliver the same, in the same order', async () => {
  const made = await madeServer()
  const clients = ['/api/v6', '/api/v6/sbe'].map((path) => liveClient(made.url('test_swap', path)))
  for (const { client, heard } of clients) {
    client.subscribe(1210, { liquidations: true })
    await client.connect()
    await heard(3)
  }
  for (const line of Object.values(FEED_LINES)) made.feed.play(line)
  made.feed.play('[5,1210,1782345123000000001,"ERROR","why"]')
  const [json, sbe] = await Promise.all(clients.map(({ heard }) => heard(3 + Object.keys(FEED_LINES).length + 1)))
  expect(json!.at(-1)).toBe('1210 ERROR why')
  expect(sbe).toEqual(json)
})

test('as many connections of a key and market as are stated', async () => {
  const made = await madeServer({ connectionsPerKey: 7 })
  const all = await Promise.all(Array.from({ length: 8 }, () => made.peer()))
  expect(all.filter(({ refusal }) => refusal === null)).toHaveLength(7)
})
