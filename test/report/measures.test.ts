import { afterAll, describe, expect, test } from 'vitest'
import { allRows, feedDurations, rowsOfInstrument, rowsOfUnderlying, type Rows } from '../support/measure-rows.ts'
import { NAIVE_MEASURES } from '../support/naive-measures.ts'
import { playedScene, scenes, type JournalLine, type PlayedScene } from '../support/measures-scenes.ts'
import { repeated } from '../support/repetitions.ts'
import { RunFolder } from '../support/run-folder.ts'
import { timeLimitMs } from '../support/time-limit.ts'

interface DescribedField {
  readonly name: string
  readonly type: string
  readonly formula: string | null
}

/** The interfaces of the summary as the generated pages read them. */
const { summaryInterfaces } = await import(new URL('../../scripts/message-pages.mjs', import.meta.url).href) as {
  readonly summaryInterfaces: () => readonly { readonly name: string; readonly fields: readonly DescribedField[] }[]
}

/** Fields that are no figures: names, words, sentences, options and times of the set-up, or objects with figures of their own. */
const NO_FIGURES: Readonly<Record<string, readonly string[]>> = {
  RunSummary: ['warnings', 'start', 'end', 'trim', 'selection', 'warmUp', 'signals', 'isPartial', 'halt', 'stop', 'strategies', 'money', 'total', 'wallets', 'sampling', 'instruments', 'orders', 'rejections', 'requestLatency', 'responseLatency', 'markets', 'termChanges', 'moneyEvents', 'usdRates', 'moneyNotes', 'planNotes', 'assumptions'],
  Sampling: ['intervalNs'],
  MarkOutSummary: ['horizonNs'],
  InstrumentSummary: ['instrumentId', 'instrument', 'accountId', 'underlying', 'markedBy', 'orders', 'markOuts'],
  MarketSummary: ['instrumentId', 'instrument', 'shownTrades', 'feedLatency'],
  MoneyEventSummary: ['kind', 'accountId', 'instrument', 'underlying'],
  WalletSummary: ['accountId', 'underlying'],
  TermChangeSummary: ['instrument', 'day', 'field', 'kind', 'earlier', 'later'],
  SignalSummary: ['name', 'file', 'sha256', 'isCut'],
  HaltSummary: ['instrument', 'time', 'reason'],
  StopSummary: ['time', 'reason'],
  StrategySummary: ['name', 'strategy', 'stop'],
  WarmUpSummary: ['instrument', 'since', 'firstEvent', 'days', 'holes'],
  MoneySummary: ['underlyingId', 'underlying', 'maxDrawdown', 'returns', 'roundTrips', 'slippage'],
  ReturnsSummary: ['notComputed'],
  TotalSummary: ['currency', 'rates', 'notValued'],
  TotalRate: ['underlying', 'markets', 'declared'],
  RejectionCount: ['request', 'source', 'type'],
}

/** One object of a summary with the rows of its figures. */
type Part = readonly [name: string, figures: object, rows: Rows]

interface Result {
  readonly clientOrderId?: string
  readonly ownOrderId?: string
  readonly exchangeTimestampNs?: string
  readonly error?: { readonly source: string; readonly type: string }
}

/** Every request of the journal with its answer. */
function answers(journal: readonly JournalLine[]): { readonly kind: string; readonly sent: bigint; readonly received: bigint; readonly result: Result }[] {
  const waiting = new Map<string, bigint[]>()
  return journal.flatMap((line) => {
    const keyOf = (kind: string, { ownOrderId, newOwnOrderId }: { ownOrderId?: string; newOwnOrderId?: string }): string => `${kind} ${newOwnOrderId ?? ownOrderId ?? ''}`
    for (const entry of (line['entries'] as [] | undefined) ?? []) {
      const key = keyOf(line.kind, entry)
      waiting.set(key, [...(waiting.get(key) ?? []), BigInt(line.time)])
    }
    if (!line.kind.endsWith('Response')) return []
    const kind = line.kind.replace('Response', '')
    return (line['results'] as readonly Result[]).map((result) => ({ kind, sent: waiting.get(keyOf(kind, result))!.shift()!, received: BigInt(line.time), result }))
  })
}

function partsOf(played: PlayedScene): Part[] {
  const { result: { summary } } = played
  const whole = allRows(played)
  const answered = answers(played.journal)
  const stamped = answered.filter(({ result }) => result.exchangeTimestampNs !== undefined)
  const stampOf = ({ result }: (typeof answered)[number]): bigint => BigInt(result.exchangeTimestampNs!)
  return [
    ['RunSummary', summary, whole], ['Sampling', summary.sampling, whole], ['OrderCounts', summary.orders, whole], ['TotalSummary', summary.total, whole],
    ['LatencyQuantiles', summary.requestLatency, { ...whole, durations: stamped.map((one) => stampOf(one) - one.sent) }],
    ['LatencyQuantiles', summary.responseLatency, { ...whole, durations: stamped.map((one) => one.received - stampOf(one)) }],
    ...summary.money.flatMap((money): Part[] => {
      const rows = rowsOfUnderlying(whole, money.underlying)
      return [['MoneySummary', money, rows], ['DrawdownSummary', money.maxDrawdown, rows], ['ReturnsSummary', money.returns, rows], ['RoundTripSummary', money.roundTrips, rows], ['SlippageSummary', money.slippage, rows]]
    }),
    ...summary.total.rates.map((rate): Part => ['TotalRate', rate, { ...whole, code: rate.underlying }]),
    ...summary.instruments.flatMap((one): Part[] => {
      const rows = rowsOfInstrument(whole, one.instrumentId)
      return [['InstrumentSummary', one, rows], ['OrderCounts', one.orders, rows], ...one.markOuts.map((out): Part => ['MarkOutSummary', out, { ...rows, horizonNs: out.horizonNs }])]
    }),
    ...summary.markets.flatMap((market): Part[] => {
      const rows = rowsOfInstrument(whole, market.instrumentId)
      return [['MarketSummary', market, rows], ['ShownTradeCounts', market.shownTrades!, rows], ['LatencyQuantiles', market.feedLatency, { ...rows, durations: feedDurations(rows, market.instrumentId) }]]
    }),
    ...summary.moneyEvents.map((event): Part => ['MoneyEventSummary', event, { ...whole, journal: whole.journal.filter(({ kind, side, underlyingId }) => side === 'exchange' && kind === event.kind && idOf(event.underlying) === underlyingId) }]),
    ...(summary.wallets ?? []).map((wallet): Part => ['WalletSummary', wallet, { ...whole, code: wallet.underlying }]),
    ...(summary.signals ?? []).map((signal): Part => ['SignalSummary', signal, whole]),
    ...summary.rejections.map((one): Part => {
      const isOwn = ({ source, type }: { readonly source: string; readonly type: string }): boolean => source === one.source && type === one.type
      const refused = answered.filter(({ kind, result: { error } }) => kind === one.request && error !== undefined && isOwn(error))
      const discarded = whole.orders.filter(({ state, error_type: type }) => state === 'DISCARDED' && one.source === 'STRATEGY' && type === one.type)
      return ['RejectionCount', one, { ...whole, journal: refused.map(() => played.journal[0]!), orders: discarded }]
    }),
  ]
}

/** Figures that are quotients, or made of doubles, are equal to a part in 10^9; quantiles to a part in 256. */
function expectEqual(name: string, figure: string, found: unknown, naive: unknown): void {
  const place = `${name}.${figure}`
  const isQuantile = name === 'LatencyQuantiles' && /^(?:median|p9)/.test(figure)
  if (typeof found === 'number' && typeof naive === 'number' && (isQuantile || !Number.isInteger(found)))
    expect(Math.abs(found - naive) <= Math.abs(naive) * (isQuantile ? 1 / 256 : 1e-9), `${place}: ${found} for ${naive}`).toBe(true)
  else if (figure === 'averageEntryPrice' && found !== null) expect(Number(found) / Number(naive), place).toBeCloseTo(1, 12)
  else expect({ [place]: found }).toEqual({ [place]: naive })
}

const idOf = (code: string): number => (code === 'BASE' ? 1 : 2)

const isSomething = (value: unknown): boolean => value !== null && value !== undefined && value !== 0 && value !== '0'

describe('each figure of a summary is what its formula says', () => {
  const folder = new RunFolder()
  afterAll(() => folder.remove())
  const interfaces = summaryInterfaces()
  const all = repeated(scenes(folder.path), ({ name }) => name !== 'a day with holes' && name !== 'three markets, total in BASE')
  const seen = new Set<string>()

  test('each field has a formula and a naive function, or is no figure', () => {
    for (const { name, fields } of interfaces) {
      const figures = fields.filter(({ formula }) => formula !== null).map((field) => field.name)
      expect({ [name]: fields.map((field) => field.name).filter((field) => !(NO_FIGURES[name] ?? []).includes(field)) }).toEqual({ [name]: figures })
      expect({ [name]: Object.keys(NAIVE_MEASURES[name] ?? {}).sort() }).toEqual({ [name]: figures.toSorted() })
    }
    expect(Object.keys(NAIVE_MEASURES).filter((name) => !interfaces.some((one) => one.name === name))).toEqual([])
  })

  test.each(all.map((scene) => [scene.name, scene] as const))('%s', async (_name, scene) => {
    const played = await playedScene(scene, folder.path)
    expect(played.result.fills.rowCount).toBeGreaterThan(50)
    for (const [name, figures, rows] of partsOf(played)) for (const [figure, naiveOf] of Object.entries(NAIVE_MEASURES[name]!)) {
      const found = (figures as Readonly<Record<string, unknown>>)[figure]
      expectEqual(name, figure, found, naiveOf(rows))
      if (isSomething(found)) seen.add(`${name}.${figure}`)
    }
  }, timeLimitMs(60_000))

  test('each figure was something in one of them', () => {
    const figures = Object.entries(NAIVE_MEASURES).flatMap(([name, naive]) => Object.keys(naive).map((figure) => `${name}.${figure}`))
    expect(figures.filter((figure) => !seen.has(figure))).toEqual([])
  })
})
