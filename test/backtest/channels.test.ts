import { afterAll, describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import type { Channel } from '../../src/strategy/channel.js'
import { Strategy } from '../../src/strategy/strategy.js'
import type { ChannelMessage } from '../../src/venue/channels.js'
import { expectSame } from '../support/expected-same.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import { refusalOf } from '../support/collected.ts'
import { SIGNAL_FORMATS, SignalFolder, type TextRow } from '../support/signal-files.ts'

const folder = new SignalFolder()
afterAll(() => { folder.remove() })

const TYPES = { ts: 'timestamp', origin: 'text', message: 'text' } as const
const isoAt = (ns: number): string => `2026-07-01T00:00:00.${String(ns).padStart(9, '0')}Z`
const rowsAt = (...rows: readonly (readonly [ns: number, origin: string, message: string])[]): TextRow[] => rows.map(([ns, origin, message]) => ({ ts: isoAt(ns), origin, message }))

/** Logs what it receives, answers a ping, and counts. */
class Talker extends Strategy {
  desk!: Channel
  heard = 0

  override onStart(): void {
    this.desk = this.openChannel('desk')
    if (!this.resuming) this.desk.publish('hello')
  }

  override onChannelMessage(channel: Channel, { origin, message }: ChannelMessage): void {
    this.heard++
    this.log(`${this.heard} ${channel.name} ${origin}: ${message} at ${this.nowNs()}`)
    if (message === 'ping') channel.publish(`pong ${this.heard} to ${origin}`)
  }

  override saveState(): unknown {
    return this.heard
  }

  override restoreState(state: unknown): void {
    this.heard = state as number
  }
}

/** Says its last word, and tries to say more behind it. */
class Leaving extends Talker {
  override onChannelMessage(): void {
    this.stop('enough')
  }

  override onStop(): void {
    this.desk.publish('flat')
    left.push(this.desk)
  }
}
const left: Channel[] = []

/** Opens another channel with its first message, outside of onStart. */
class Late extends Talker {
  override onChannelMessage(channel: Channel, message: ChannelMessage): void {
    super.onChannelMessage(channel, message)
    if (this.heard === 1) this.openChannel('news')
  }
}

class Deaf extends Strategy {
  rows = 0
  override onSignal(): void {
    this.rows++
    this.log('a row')
  }
}

const optionsOf = (signals: BacktestOptions['signals'], strategies: BacktestOptions['strategies']): BacktestOptions => ({
  strategies: strategies ?? [{ name: 'talker', strategy: Talker }], data: [marketFile([])], day: '2026-07-01', to: MADE_MIDNIGHT_NS + 120n,
  account: { balances: { CASH: '1000' } }, ...(signals === undefined ? {} : { signals }),
})

interface Line {
  readonly kind: string
  readonly client?: string
  readonly channel?: string
  readonly message?: string
  readonly text?: string
  readonly time: string
}

async function played(options: BacktestOptions): Promise<{ readonly lines: readonly Line[], readonly journal: readonly string[], readonly result: BacktestResult }> {
  const journal: string[] = []
  const write = (line: string): void => { journal.push(line) }
  const result = await runBacktest({ ...options, parameters: {}, journal: () => ({ write }) })
  return { lines: journal.map((line) => JSON.parse(line) as Line), journal, result }
}

const signalOf = (file: string, more: object = {}): NonNullable<BacktestOptions['signals']>[number] => ({ name: 'plan', file, time: 'ts', delay: '0ns', channel: 'desk', ...more })
const wordsOf = (lines: readonly Line[]): string[] => lines.flatMap(({ kind, client, text, channel, message, time }) => (
  kind === 'log' ? [`${client} ${text}`] : kind === 'publish' ? [`${client} publishes ${message} on ${channel} at ${BigInt(time) - MADE_MIDNIGHT_NS}`] : []))

test.each([['its data', []], ['the strategy', rowsAt([5, 'desk', 'ping'])]])('what onStop publishes is a line of the journal, where %s ended it; nothing behind it', async (_who, rows) => {
  const signals = rows.length === 0 ? undefined : [signalOf(await folder.rows('csv', rows, TYPES))]
  const { lines } = await played(optionsOf(signals, [{ name: 'leaving', strategy: Leaving }]))
  left.pop()!.publish('too late')
  expect(wordsOf(lines).map((words) => words.replace(/ at .*/, ''))).toEqual(['leaving publishes hello on desk', 'leaving publishes flat on desk'])
})

describe('messages of a channel out of a file', () => {
  test('come at their time and delay, equal in every format, and a publish is a line of the journal', async () => {
    const rows = rowsAt([5, 'desk', 'ping'], [5, 'other', '2'], [40, 'desk', 'ping'])
    const all = []
    for (const format of SIGNAL_FORMATS) all.push(await played(optionsOf([signalOf(await folder.rows(format, rows, TYPES), { delay: '3ns' })], undefined)))
    expect(wordsOf(all[0]!.lines)).toEqual([
      'talker publishes hello on desk at 0', 'talker 1 desk desk: ping at 8', 'talker publishes pong 1 to desk on desk at 8', 'talker 2 desk other: 2 at 8', 'talker 3 desk desk: ping at 43',
      'talker publishes pong 3 to desk on desk at 43',
    ])
    for (const one of all) {
      expectSame(one.journal, all[0]!.journal)
      expect(one.result.summary.signals).toMatchObject([{ name: 'plan', playedCount: 3 }])
    }
    expect(new Set(all.map(({ result }) => result.fingerprint)).size).toBe(SIGNAL_FORMATS.length)
  })

  test('come at the place of a signal: by the order of the list, by onChannelMessage alone or by onSignal alone', async () => {
    const file = await folder.rows('jsonl', rowsAt([7, 'desk', 'ping']), TYPES)
    class Both extends Talker {
      override onSignal(name: string): void {
        this.log(`row of ${name}`)
      }
    }
    const run = async (...channels: readonly (string | undefined)[]): Promise<string[]> => {
      const signals = channels.map((channel, at) => ({ ...signalOf(file), name: `s${at}`, ...(channel === undefined ? {} : { channel }) })).map(({ channel, ...one }, at) => (channels[at] === undefined ? one : { ...one, channel }))
      return wordsOf((await played(optionsOf(signals as never, [{ name: 'both', strategy: Both }]))).lines).filter((text) => !text.includes('publishes'))
    }
    expect(await run(undefined, 'desk')).toEqual(['both row of s0', 'both 1 desk desk: ping at 7'])
    expect(await run('desk', undefined)).toEqual(['both 1 desk desk: ping at 7', 'both row of s1'])
    // Nobody has that one open.
    expect(await run('news', 'desk')).toEqual(['both 1 desk desk: ping at 7'])
  })

  test.each(SIGNAL_FORMATS)('of several channels lie in one file of %s, and a run that goes on from any step ends the same', async (format) => {
    const all = rowsAt([3, 'desk', 'ping'], [3, 'desk', 'n0'], [9, 'desk', 'ping'], [9, 'wire', 'n1'], [60, 'wire', 'n2'], [70, 'desk', 'ping'])
    const rows = all.map((row) => ({ ...row, channel: row['message']?.startsWith('n') === true ? 'news' : 'desk' }))
    const file = await folder.rows(format, rows, { ...TYPES, channel: 'text' })
    const options = optionsOf(['news', 'desk', 'none'].map((channel) => signalOf(file, { name: channel, channel })), [{ name: 'late', strategy: Late }])
    const whole = await played(options)
    expect(wordsOf(whole.lines).filter((text) => !text.includes('publishes'))).toEqual([
      'late 1 desk desk: ping at 3', 'late 2 news wire: n1 at 9', 'late 3 desk desk: ping at 9', 'late 4 news wire: n2 at 60', 'late 5 desk desk: ping at 70',
    ])
    expect(whole.result.summary.signals?.map(({ playedCount }) => playedCount)).toEqual([3, 3, 0])
    for (let step = 1; step < 6; step++) {
      let taken = ''
      await runBacktest({ ...options, checkpoints: { everySteps: step, take: (checkpoint: Checkpoint) => {
        taken = JSON.stringify(checkpoint)
        return false
      } } } as never)
      expect((await played({ ...options, resume: JSON.parse(taken) as Checkpoint })).result.fingerprint).toBe(whole.result.fingerprint)
    }
  })

  test('a strategy without onChannelMessage is warned, and receives no row', async () => {
    const { result, lines } = await played(optionsOf([signalOf(await folder.rows('csv', rowsAt([7, 'desk', 'ping']), TYPES))], [{ name: 'deaf', strategy: Deaf }]))
    expect(result.summary.warnings).toContain('deaf: Deaf has no onChannelMessage, so it receives no message of channel desk')
    expect(lines.filter(({ kind, text }) => kind === 'log' && text === 'a row')).toEqual([])
  })

  test.each(['csv', 'jsonl', 'parquet'] as const)('%s is refused with its row or column', async (format) => {
    const refused = async (rows: readonly TextRow[], types: object = TYPES): Promise<string> => {
      const file = await folder.rows(format, rows, types as never)
      return (await refusalOf(async () => played(optionsOf([signalOf(file)], undefined)))).message.replaceAll(file, 'FILE')
    }
    const long = rowsAt([1, 'a', 'x'], [2, 'b'.repeat(250), 'x'])
    expect(await refused(long)).toBe('Cannot read row 2 of FILE: "origin" must be a text of 1 to 249 characters, found 250 characters')
    expect(await refused([{ ts: isoAt(1), origin: 'a', message: null }])).toBe('Cannot read row 1 of FILE: "message" must be a text of at most 1048576 bytes, found null')
    expect(await refused([{ ts: isoAt(1), origin: 'a' }], { ts: 'timestamp', origin: 'text' })).toContain('signals[0].file: expected a column "message" of texts, as a channel is stated, found none')
    if (format === 'parquet') expect(await refused([{ ts: isoAt(1), origin: '1', message: 'x' }], { ...TYPES, origin: 'integer' })).toContain('signals[0].file: expected a column "origin" of texts, as a channel is stated, found one of integers')
    if (format === 'parquet') expect(await refused([{ ts: isoAt(1), origin: 'a', message: 'x', channel: '1' }], { ...TYPES, channel: 'integer' })).toContain('signals[0].file: expected a column "channel" of texts, as a channel is stated, found one of integers')
  })

  test('a run file refuses a channel without a name', async () => {
    const file = await folder.rows('csv', rowsAt([1, 'a', 'x']), TYPES)
    for (const channel of ['', 'c'.repeat(250), 7]) expect((await refusalOf(async () => played(optionsOf([signalOf(file, { channel })], undefined)))).message).toContain('signals[0].channel: expected a name of 1 to 249 characters')
  })
})

describe('strategies of one run', () => {
  const pair = [{ name: 'a', strategy: Talker }, { name: 'b', strategy: Late }]

  test('hear each other within the instant, after the call at hand, and never themselves', async () => {
    const { lines } = await played(optionsOf([signalOf(await folder.rows('jsonl', rowsAt([9, 'desk', 'ping']), TYPES))], pair))
    expect(wordsOf(lines)).toEqual([
      // When a said hello, b had not opened the channel.
      'a publishes hello on desk at 0', 'b publishes hello on desk at 0', 'a 1 desk b: hello at 0',
      'a 2 desk desk: ping at 9', 'a publishes pong 2 to desk on desk at 9', 'b 1 desk desk: ping at 9', 'b publishes pong 1 to desk on desk at 9',
      'b 2 desk a: pong 2 to desk at 9', 'a 3 desk b: pong 1 to desk at 9',
    ])
  })

  test('that answer each other without end are found out', async () => {
    class Endless extends Talker {
      override onChannelMessage(channel: Channel): void {
        channel.publish('again')
      }
    }
    const refusal = await refusalOf(async () => played(optionsOf(undefined, [{ name: 'a', strategy: Endless }, { name: 'b', strategy: Endless }])))
    expect(refusal.message).toMatch(/more than \d+ things happened at this one instant/)
  })

  test('in several sets are apart, and a run that goes on from any step ends the same', async () => {
    const signals = [signalOf(await folder.rows('jsonl', rowsAt([3, 'desk', 'ping'], [3, 'desk', 'x'], [9, 'desk', 'ping'], [50, 'desk', 'ping']), TYPES)), { ...signalOf(await folder.rows('csv', rowsAt([9, 'wire', 'n1'], [60, 'wire', 'n2']), TYPES)), name: 'news', channel: 'news' }]
    const options = optionsOf(signals, pair)
    const whole = await played(options)
    expect(wordsOf(whole.lines).filter((text) => text.includes(' news ')).map((text) => text.replace(/^b \d+/, 'b'))).toEqual(['b news wire: n1 at 9', 'b news wire: n2 at 60'])
    const both = await runBacktest({ ...options, parameters: [{}, {}] } as never) as unknown as readonly BacktestResult[]
    expect(both.map(({ fingerprint }) => fingerprint)).toEqual([whole.result.fingerprint, whole.result.fingerprint])
    let count = 0
    for (let step = 1; step < 24; step++) {
      let taken = ''
      await runBacktest({ ...options, checkpoints: { everySteps: step, take: (checkpoint: Checkpoint) => {
        taken = JSON.stringify(checkpoint)
        return false
      } } } as never)
      if (taken === '') break
      count++
      const rest = await played({ ...options, resume: JSON.parse(taken) as Checkpoint })
      expect([step, rest.result.fingerprint]).toEqual([step, whole.result.fingerprint])
    }
    expect(count).toBeGreaterThan(10)
  })
})

describe('openChannel and publish refuse', () => {
  const trying = async (act: (strategy: Strategy) => void): Promise<string> => {
    class Trying extends Strategy {
      override onStart(): void {
        act(this)
      }
    }
    return (await refusalOf(async () => played(optionsOf(undefined, [{ name: 't', strategy: Trying }])))).message
  }
  const publish = (message: unknown) => (strategy: Strategy): void => { strategy.openChannel('c').publish(message as string) }

  const opens = (name: unknown) => (strategy: Strategy): void => { strategy.openChannel(name as string) }
  const opensMany = (strategy: Strategy): void => { for (let at = 0; at <= 1_000; at++) strategy.openChannel(`c${at}`) }

  test.each([
    ['no name', opens(''), 'Cannot open a channel: its name must be a text of 1 to 249 characters, found 0 characters'],
    ['a long name', opens('x'.repeat(250)), 'found 250 characters'],
    ['a name that is no text', opens(null), 'found null'],
    ['a number', publish(7), 'Cannot publish on channel "c": the message must be a text, as String(value) makes one, found 7'],
    ['an object', publish({ a: 1 }), 'must be a text, as String(value) makes one'],
    ['more than a MiB', publish('é'.repeat(524_289)), 'the message must be of at most 1048576 bytes, found 1048578 bytes'],
    ['too many channels', opensMany, 'Cannot open channel "c1000": a strategy has at most 1000 channels'],
  ] as const)('%s', async (_, act, words) => {
    expect(await trying(act)).toContain(words)
  })

  test('and nothing of the longest', async () => {
    class Longest extends Strategy {
      override onStart(): void {
        this.openChannel('x'.repeat(249)).publish('é'.repeat(524_288))
      }
    }
    const { lines } = await played(optionsOf(undefined, [{ name: 'l', strategy: Longest }]))
    expect(lines.filter(({ kind }) => kind === 'publish').map(({ message }) => message!.length)).toEqual([524_288])
  })
})
