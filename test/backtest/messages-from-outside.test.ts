import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { playInstance, runBacktest } from '../../src/backtest/run-backtest.js'
import { RandomNumbers } from '../../src/model/random.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import type { InboxMessage, TimedMessage } from '../../src/simulation/message-inbox.js'
import type { Channel } from '../../src/strategy/channel.js'
import type { ChannelMessage } from '../../src/venue/channels.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { newFolder } from '../support/new-folder.ts'
import { receivedLines, ScriptedOutside } from '../support/played-outside.ts'
import { caseCount } from '../support/repetitions.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'

/** Reacts to messages as to anything else, and opens a second channel with the first of them. */
class Messenger extends RestlessStrategy {
  override onStart(): void {
    super.onStart()
    this.openChannel('desk')
  }

  override onChannelMessage(channel: Channel, { origin, message }: ChannelMessage): void {
    this.openChannel('news')
    this.log(`${channel.name} ${origin} ${message}`)
    if (message.endsWith('7')) channel.publish('pong')
    this.onInstrumentTrades()
  }
}

const CHANNELS = ['desk', 'news', 'nobody']

/** Messages at some turns, drawn from a seed. */
function drawn(seed: number): (at: number) => readonly InboxMessage[] {
  const random = new RandomNumbers(seed, 'messages', 0)
  return (at) => (random.bits(at, 0) % 3 === 0 ? Array.from({ length: random.bits(at, 1) % 4 }, (_, number) => ({
    channel: CHANNELS[(at + number) % 3] as string, message: Object.freeze({ origin: `o${at % 2}`, message: `${at} ${number}` }),
  })) : [])
}

let folder = ''
beforeAll(() => { folder = newFolder('outside') })

const SWAP = join(datasetsFolder, 'synthetic_coin_swap-ETHUSD-2026-07-01.txt.zst')
const CALL = join(datasetsFolder, 'synthetic_prediction-BTC-ABOVE-65000-2026-07-01.txt.zst')

function options(seed: number): BacktestOptions {
  const of = (instrument: string, own: number): object => ({ instrument, seed: seed * 10 + own, wakeNs: 2_000_000_000, calm: 20 })
  return {
    data: [SWAP, CALL], from: '00:00:20', to: '00:01:20', cache: join(folder, 'cache'), tables: 'none',
    strategies: [
      { name: 'one', strategy: Messenger, parameters: of('ETHUSD', 1) as never }, { name: 'two', strategy: Messenger, parameters: of('BTC-ABOVE-65000', 2) as never },
    ],
    accounts: {
      swap: { exchange: 'synthetic_coin_swap', balances: { ETH: '100' }, fees: { maker: '0.0002', taker: '0.0005' } },
      call: { exchange: 'synthetic_prediction', balances: { USD: '1000' } },
    },
  }
}

const plain = (own: BacktestOptions): Promise<BacktestResult> => runBacktest({ ...own, parameters: {} })

/** The same run with what was received as its signals. */
async function replayed(own: BacktestOptions, timed: readonly TimedMessage[]): Promise<BacktestResult> {
  const file = join(folder, 'received.jsonl')
  writeFileSync(file, receivedLines(timed))
  const signals = CHANNELS.map((channel) => ({ name: `received ${channel}`, file, time: 'ts', delay: '0ms', channel }))
  return plain({ ...own, signals })
}

const steps = (take: (checkpoint: Checkpoint) => unknown, everySteps = 499): Pick<BacktestOptions, 'checkpoints'> => ({ checkpoints: { everySteps, take } })

describe('messages that come while a run goes on', () => {
  test.each(Array.from({ length: caseCount(20, 0) / 20 + 1 }, (_, seed) => seed))('are played again by the file that holds them, seed %i', async (seed) => {
    const own = options(seed)
    const outside = new ScriptedOutside(drawn(seed))
    const { journalDigest } = await playInstance({ ...own, ...steps(() => true) }, outside)
    expect(outside.timed.length).toBeGreaterThan(5)
    expect(outside.world?.progress().fillCount).toBeGreaterThan(2)
    expect((await replayed(own, outside.timed)).journalDigest).toBe(journalDigest)
    expect((await plain(own)).journalDigest).not.toBe(journalDigest)
  })

  test('are known to a run that goes on from a checkpoint', async () => {
    const own = options(1)
    for (const stopAt of [2, 5]) {
      let [count, last] = [0, null as Checkpoint | null]
      const killed = new ScriptedOutside(drawn(3))
      await playInstance({ ...own, ...steps((checkpoint) => {
        last = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint
        return ++count < stopAt
      }) }, killed)
      const outside = new ScriptedOutside(drawn(4), killed.timed)
      const { journalDigest } = await playInstance({ ...own, ...steps(() => true), resume: last as unknown as Checkpoint }, outside)
      const times = outside.timed.map(({ timeNs }) => timeNs)
      expect(times).toEqual([...new Set(times)].sort((a, b) => (a < b ? -1 : 1)))
      expect((await replayed(own, outside.timed)).journalDigest).toBe(journalDigest)
    }
  })

  test('change nothing where none comes, however often a checkpoint is wished', async () => {
    const own = { ...options(2), to: '00:01' }
    let count = 0
    const outside = new ScriptedOutside((at, of) => {
      if (at % 2 === 0) of.wish = 'checkpoint'
      of.world?.progress()
      return []
    })
    const { fingerprint } = await playInstance({ ...own, checkpoints: { take: () => { count++ } } }, outside)
    expect(fingerprint).toBe((await plain(own)).fingerprint)
    expect(outside.begunCount).toBe(outside.endedCount)
    expect(outside.channels).toEqual(['desk', 'desk'])
    expect(count).toBeGreaterThanOrEqual(0)
  })

  test('are counted where they come too late', async () => {
    const own = { ...options(2), to: '00:00:40', ...steps(() => true, 199) }
    let last = 0
    const every = (at: number): readonly InboxMessage[] => {
      last = at
      return [{ channel: 'desk', message: { origin: 'o', message: String(at) } }]
    }
    const outside = new ScriptedOutside(every)
    await playInstance(own, outside)
    const played = outside.said.filter((line) => / desk o \d+$/.test(line)).length / 2
    expect([played + outside.unplayedCount, outside.unplayedCount > 0]).toEqual([last + 1, true])
  })
})

describe('a strategy that is to end', () => {
  const stopped = async (wish: 'stop' | 'cancel'): Promise<{ readonly outside: ScriptedOutside, readonly result: BacktestResult, readonly lines: readonly string[] }> => {
    const outside = new ScriptedOutside((at, of) => {
      if (at >= 3 && of.wish === null && (of.world?.progress().openOrderCount ?? 0) > 0) of.wish = wish
      return []
    })
    const lines: string[] = []
    const result = await playInstance({ ...options(5), ...steps(() => true, 97), journal: () => ({ write: (line) => { lines.push(line) } }) }, outside)
    return { outside, result, lines }
  }

  test('leaves its orders where they are', async () => {
    const { outside, result } = await stopped('stop')
    expect(outside.open?.length).toBeGreaterThan(0)
    expect(result.isPartial).toBe(true)
  })

  test('cancels them and waits for their ends', async () => {
    const { outside, result, lines } = await stopped('cancel')
    expect(outside.open).toEqual([])
    expect(result.isPartial).toBe(true)
    expect(lines.some((line) => line.includes('"kind":"cancelAll"'))).toBe(true)
    expect(result.summary.end < '2026-07-01T00:05').toBe(true)
  })
})
