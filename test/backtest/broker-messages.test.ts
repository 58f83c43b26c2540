import { afterAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { BrokerMessage } from '../../src/strategy/broker-message.js'
import type { Channel } from '../../src/strategy/channel.js'
import { Strategy } from '../../src/strategy/strategy.js'
import type { ChannelMessage } from '../../src/venue/channels.js'
import { refusalOf } from '../support/collected.ts'
import { expectSame } from '../support/expected-same.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import { SIGNAL_FORMATS, SignalFolder, type TextRow } from '../support/signal-files.ts'

const folder = new SignalFolder()
afterAll(() => { folder.remove() })

const TYPES = { ts: 'timestamp', origin: 'text', message: 'text', key: 'text', headers: 'text', partition: 'integer', offset: 'integer', timestamp: 'integer' } as const
const isoAt = (ns: number): string => `2026-07-01T00:00:00.${String(ns).padStart(9, '0')}Z`
const row = (ns: number, message: string | null, more: TextRow = {}): TextRow => ({ ts: isoAt(ns), origin: 'far', message, ...more })

/** Has one channel of each type, and says exactly what comes. */
class Both extends Strategy {
  prices!: Channel<BrokerMessage>
  desk!: Channel

  override onStart(): void {
    this.prices = this.openChannel('prices', BrokerMessage)
    this.desk = this.openChannel('desk')
  }

  override onChannelMessage(channel: Channel<string | BrokerMessage>, { origin, message }: ChannelMessage<string | BrokerMessage>): void {
    const text = message instanceof BrokerMessage ? JSON.stringify(message) : JSON.stringify(message)
    this.log(`${channel.name} ${origin} ${text}`)
    if (message instanceof BrokerMessage && channel === this.prices && origin === 'far') this.prices.publish(message)
  }
}

const optionsOf = (signals: BacktestOptions['signals'], strategies: BacktestOptions['strategies'] = [{ name: 'both', strategy: Both }]): BacktestOptions => ({
  strategies, data: [marketFile([])], day: '2026-07-01', to: MADE_MIDNIGHT_NS + 120n, account: { balances: { CASH: '1000' } }, ...(signals === undefined ? {} : { signals }),
})
const signalOf = (file: string, channel = 'prices'): NonNullable<BacktestOptions['signals']>[number] => ({ name: channel, file, time: 'ts', delay: '0ns', channel })

async function played(options: BacktestOptions): Promise<{ readonly lines: readonly Record<string, unknown>[], readonly journal: readonly string[], readonly result: BacktestResult }> {
  const journal: string[] = []
  const result = await runBacktest({ ...options, parameters: {}, journal: () => ({ write: (line: string): void => { journal.push(line) } }) })
  return { lines: journal.map((line) => JSON.parse(line) as Record<string, unknown>), journal, result }
}
const logsOf = (lines: readonly Record<string, unknown>[]): unknown[] => lines.flatMap(({ kind, text }) => (kind === 'log' ? [text] : []))
const publishesOf = (lines: readonly Record<string, unknown>[]): unknown[] => lines.flatMap(({ kind, channel, message, key, headers }) => (kind === 'publish' ? [{ channel, message, key, headers }] : []))

describe('messages of a broker out of a file', () => {
  test('come whole, equal in every format; a publish is a line with key and headers', async () => {
    const rows = [
      row(5, 'v "1"\n', { key: 'k', headers: '{"a":"1","b":"\\n\\u0000é"}', partition: '2', offset: '9007199254740991', timestamp: '1785000000123' }),
      row(6, null, { key: 'gone', headers: null, partition: '0', offset: '0', timestamp: '0' }), row(7, 'plain', {}),
    ]
    const all = []
    for (const format of SIGNAL_FORMATS) all.push(await played(optionsOf([signalOf(await folder.rows(format, rows, TYPES))])))
    expect(logsOf(all[0]!.lines)).toEqual([
      'prices far {"key":"k","value":"v \\"1\\"\\n","headers":{"a":"1","b":"\\n\\u0000é"},"partition":2,"offset":9007199254740991,"timestamp":1785000000123}',
      'prices far {"key":"gone","value":null,"headers":{},"partition":0,"offset":0,"timestamp":0}',
      'prices far {"key":null,"value":"plain","headers":{},"partition":null,"offset":null,"timestamp":null}',
    ])
    expect(publishesOf(all[0]!.lines)).toEqual([
      { channel: 'prices', message: 'v "1"\n', key: 'k', headers: [{ name: 'a', value: '1' }, { name: 'b', value: '\n\u0000é' }] },
      { channel: 'prices', message: null, key: 'gone', headers: [] },
      { channel: 'prices', message: 'plain', key: null, headers: [] },
    ])
    for (const one of all) expectSame(one.journal, all[0]!.journal)
  })

  test('are texts to a channel of texts', async () => {
    const file = await folder.rows('jsonl', [row(5, 'v', { key: 'k', partition: '1' }), row(6, null, { key: 'k' })], TYPES)
    expect(logsOf((await played(optionsOf([signalOf(file, 'desk')]))).lines)).toEqual(['desk far "v"', 'desk far ""'])
  })

  test.each(['csv', 'jsonl', 'parquet'] as const)('%s is refused with its row or column', async (format) => {
    const refused = async (rows: readonly TextRow[], types: object = TYPES): Promise<string> => {
      const file = await folder.rows(format, rows, types as never)
      return (await refusalOf(async () => played(optionsOf([signalOf(file)])))).message.replaceAll(file, 'FILE')
    }
    const fine = row(1, 'x', { partition: '0', offset: '0', timestamp: '0', headers: '{}' })
    for (const headers of ['[]', '{"a":1}', 'x', '{"a":null}', '"a"'])
      expect(await refused([fine, row(2, 'x', { headers })])).toBe(`Cannot read row 2 of FILE: "headers" must be an object of texts as JSON, found ${headers}`)
    for (const column of ['partition', 'offset', 'timestamp'])
      for (const value of ['-1', '9007199254740992'])
        expect(await refused([fine, row(2, 'x', { [column]: value })])).toBe(`Cannot read row 2 of FILE: "${column}" must be an integer from 0 to 9007199254740991, found ${value}`)
    if (format === 'parquet') expect(await refused([row(1, 'x', { key: '1' })], { ...TYPES, key: 'integer' })).toContain('signals[0].file: expected a column "key" of texts, as a channel is stated, found one of integers')
  })
})

describe('strategies of one run', () => {
  class Sender extends Both {
    override onStart(): void {
      super.onStart()
      this.after(1, () => { this.prices.publish({ key: 'k', value: '1', headers: { h: 'x' } }) })
      this.after(1, () => { this.prices.publish({ value: null }) })
      this.after(1, () => { this.desk.publish('text') })
    }
  }
  /** Reads the channels by the other type. */
  class Other extends Strategy {
    override onStart(): void {
      this.openChannel('prices')
      this.openChannel('desk', BrokerMessage)
    }

    override onChannelMessage(channel: Channel<string | BrokerMessage>, { message }: ChannelMessage<string | BrokerMessage>): void {
      this.log(`${channel.name} ${typeof message === 'string' ? message : JSON.stringify(message)}`)
    }
  }

  test('receive what the others publish by the type of their own, and go on from any step', async () => {
    const file = await folder.rows('jsonl', [row(5, 'v', { key: 'k', headers: '{"a":"1"}', partition: '1', offset: '3', timestamp: '7' }), row(9, 'w')], TYPES)
    const options = { ...optionsOf([signalOf(file)], [{ name: 'sender', strategy: Sender }, { name: 'other', strategy: Other }, { name: 'both', strategy: Both }]), to: MADE_MIDNIGHT_NS + 2_000_000n }
    const whole = await played(options)
    const said = whole.lines.flatMap(({ kind, client, text }) => (kind === 'log' ? [`${String(client)} ${String(text)}`] : []))
    expect(said.slice(-6)).toEqual([
      'other prices 1', 'both prices sender {"key":"k","value":"1","headers":{"h":"x"},"partition":null,"offset":null,"timestamp":null}',
      'other prices ', 'both prices sender {"key":null,"value":null,"headers":{},"partition":null,"offset":null,"timestamp":null}',
      'other desk {"key":null,"value":"text","headers":{},"partition":null,"offset":null,"timestamp":null}', 'both desk sender "text"',
    ].sort((a, b) => said.indexOf(a) - said.indexOf(b)))
    let count = 0
    for (let step = 1; step < 40; step++) {
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
    expect(count).toBeGreaterThan(8)
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
  const opens = (type: unknown) => (strategy: Strategy): void => { strategy.openChannel('c', type as never) }
  const publish = (message: unknown) => (strategy: Strategy): void => { strategy.openChannel('c', BrokerMessage).publish(message as never) }
  const both = (strategy: Strategy): void => {
    strategy.openChannel('c')
    strategy.openChannel('c', BrokerMessage)
  }

  test.each([
    ['another class', opens(Map), 'Cannot open channel "c": its type must be BrokerMessage, or left out for texts, found function Map'],
    ['null', opens(null), 'its type must be BrokerMessage, or left out for texts, found null'],
    ['a message as type', opens(new BrokerMessage({ value: 'x' })), 'its type must be BrokerMessage'],
    ['two types', both, 'Cannot open channel "c": its type must be String, as it is open already, found BrokerMessage'],
    ['a text', publish('x'), 'Cannot publish on channel "c": the message must be an object { key, value, headers }, found "x"'],
    ['no value', publish({ key: 'k' }), 'value must be a text of whole characters or null, found nothing'],
    ['a number', publish({ value: 1 }), 'value must be a text of whole characters or null, found 1'],
    ['half a character', publish({ value: 'a\ud800' }), 'value must be a text of whole characters or null'],
    ['a key that is none', publish({ key: 1, value: '' }), 'key must be a text of whole characters or null, found 1'],
    ['headers that are none', publish({ value: '', headers: [] }), 'headers must be an object of texts, found []'],
    ['a header that is none', publish({ value: '', headers: { a: null } }), 'headers.a must be a text of whole characters, found null'],
    ['a header without a name', publish({ value: '', headers: { '': 'x' } }), 'headers must be names other than CS_ORIGIN, CS_PROCESS_ID and none, found ""'],
    ['the header of the server', publish({ value: '', headers: { CS_ORIGIN: 'x' } }), 'found "CS_ORIGIN"'],
    ['more than a MiB', publish({ key: 'k'.repeat(500_000), value: 'v'.repeat(500_000), headers: { h: 'h'.repeat(100_000) } }), 'the message must be of at most 1048576 bytes, found 1100001 bytes'],
  ] as const)('%s', async (_, act, words) => {
    expect(await trying(act)).toContain(words)
  })
})
