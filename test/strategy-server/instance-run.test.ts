import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { InstanceFolders } from '../../src/strategy-server/instance-folders-writer.js'
import { newFolder } from '../support/new-folder.ts'
import { expect, test } from 'vitest'
import { type InstanceOrder, orderOptions, type ReplayVenue, type StartInstance } from '../../src/strategy-server/instance-run.js'

const ORDER: InstanceOrder<ReplayVenue> = {
  instanceId: 'i1', instanceName: 'maker', modulePath: '/strategies/maker.ts', strategyName: 'Maker',
  parameters: { instrument: 'XRPUSDT' }, folder: '/store/i1', isResumed: false,
  venue: { type: 'replay', files: ['/days/a.txt.zst'], speed: 'max', account: { balances: { USDT: '1' } }, seed: 3, from: '12:00' },
  limits: { heapMb: 256, bufferMb: 256, callbackMs: 10_000, journalMb: 100 },
}

test('an order has the options of a run file', () => {
  expect(orderOptions(ORDER)).toEqual({
    data: ['/days/a.txt.zst'], account: { balances: { USDT: '1' } }, seed: 3, from: '12:00',
    parameters: { instrument: 'XRPUSDT' },
  })
  expect(orderOptions({ ...ORDER, cache: '/cache' }).cache).toBe('/cache')
})

test('a run says how it ended', () => {
  const words: string[] = []
  const start: StartInstance = (_, sink) => {
    const end = (): void => {
      sink.ended({ end: 'stopped', reason: 'stopped', code: null, stack: null, faults: [], fingerprint: null, journalLineCount: 0, openOrders: [], droppedCount: 0 })
    }
    return { receive: () => {}, stop: end, over: () => {}, kill: () => Promise.resolve() }
  }
  const nothing = (): void => {}
  start(ORDER, {
    running: nothing, opened: nothing, published: nothing, progressed: nothing, logged: nothing, looked: nothing,
    ended: ({ reason }) => { words.push(reason) },
  }).stop(true)
  expect(words).toEqual(['stopped'])
})

test('the files of a run over sockets are kept for the next one, which takes over the ids of its orders', () => {
  const path = newFolder()
  const folders = new InstanceFolders(path)
  const folder = folders.prepare('a', false, true)
  for (const name of ['journal.btj', 'orders.txt']) writeFileSync(join(folder, name), 'first')
  folders.prepare('a', true, true)
  expect([readdirSync(folder).sort(), readdirSync(join(folder, 'earlier/1'))]).toEqual([['earlier', 'orders.txt'], ['journal.btj']])
  writeFileSync(join(folder, 'journal.btj'), 'second')
  folders.prepare('a', false, true)
  expect([readdirSync(folder).sort(), readdirSync(join(folder, 'earlier/2'))]).toEqual([['earlier', 'orders.txt'], ['journal.btj']])
  folders.prepare('a', false, true)
  expect(readdirSync(join(folder, 'earlier')).sort()).toEqual(['1', '2'])
  folders.prepare('a', false, false)
  expect(readdirSync(folder)).toEqual([])
})
