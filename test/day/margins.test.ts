import { describe, expect, test } from 'vitest'
import type { EventNote, EventOptions } from '../../src/day/event-stream.js'
import { openTickFile, readEvents } from '../../src/day/tick-day.js'
import type { TickEvent } from '../../src/model/events.js'
import type { TickInput, TickSource } from '../../src/tickfile/archive/tick-source.js'
import { dayBytes, dayOf, masterData, time, type Line } from '../support/hand-made-day.js'
import { dayFiles, hasSharedData, sharedData } from '../support/shared-data.js'

const before = (clock: string): bigint => time(clock) - 86_400_000_000_000n
const after = (clock: string): bigint => time(clock) + 86_400_000_000_000n

/** The file of 2026-07-01: two minutes of the day before, one of the day after. */
const LINES: readonly Line[] = [
  [0, '0', 'a', before('23:58:00'), before('23:57:59'), [[0, '100', '2', 1], [1, '101', '4', 1]], false],
  [2, '0', 't1', before('23:59:00'), 0, [[0, '101', '1', 'x1', before('23:59:00')]]],
  [1, 'a', 'b', before('23:59:59'), before('23:59:58'), [[1, '101', '3', 1]]],
  [2, '0', 't2', time('00:00:00'), 0, [[0, '101', '1', 'x2', before('23:59:59')]]],
  [1, 'b', 'c', time('00:00:01'), 0, [[0, '99', '7', 1]]],
  [2, '0', 't3', time('23:59:59.999999999'), 0, [[1, '100', '1', 'x3', 0]]],
  [2, '0', 't4', after('00:00:00'), 0, [[1, '100', '1', 'x4', 0]]],
  [1, 'c', 'd', after('00:00:01'), 0, [[0, '99', '0', 1]]],
]

interface Found {
  readonly events: TickEvent[]
  readonly notes: EventNote[]
}

async function found(input: Parameters<typeof readEvents>[0], options: EventOptions = {}): Promise<Found> {
  const notes: EventNote[] = []
  const events: TickEvent[] = []
  for await (const event of readEvents(input, { ...options, onNote: (note) => notes.push(note) })) events.push(event)
  return { events, notes }
}

const ids = ({ events }: Found): string[] => events.map((event) => ('eventId' in event ? `${event.kind === 'snapshot' && event.made ? 'made ' : ''}${event.eventId}` : event.kind))
const codes = ({ notes }: Found): string[] => notes.map(({ code }) => code)

/** A file as an input with a name, which says its day. */
function source(fileName: string, lines: readonly Line[]): TickSource {
  const bytes = dayBytes(masterData({}), lines)
  return { name: fileName, fileName, sizeBytes: bytes.length, repeatable: true, async *open() { yield await Promise.resolve(bytes.slice()) } }
}

const opened = (...sources: TickSource[]): Promise<Awaited<ReturnType<typeof openTickFile>>[]> => Promise.all(sources.map((one) => openTickFile(one)))

describe('the margins of one file', () => {
  test('are left out: [00:00, 24:00) by adapter time, opened by the made snapshot', async () => {
    const day = await found(await dayOf(masterData({}), LINES))
    expect(ids(day)).toEqual(['made b', 't2', 'c', 't3'])
    expect(JSON.parse(JSON.stringify(day.events[0]))).toMatchObject({
      kind: 'snapshot', made: true, eventIndex: 3, chainGap: false, adapterTimestampNs: String(time('00:00')), exchangeTimestampNs: String(before('23:59:58')),
      levels: [{ side: 'BID', price: '100', quantity: '2' }, { side: 'ASK', price: '101', quantity: '3' }],
    })
    expect(day.events.map(({ eventIndex }) => eventIndex)).toEqual([3, 3, 4, 5])
    expect(day.notes).toEqual([{ code: 'leftOut', sentence: 'bytes: 5 events of the neighbouring days left out; --margins keep shows them' }])
  })

  test('are kept as the file stands, where that is asked for', async () => {
    const kept = await found(await dayOf(masterData({}), LINES), { margins: 'keep' })
    expect(ids(kept)).toEqual(['a', 't1', 'b', 't2', 'c', 't3', 't4', 'd'])
    expect(kept.events[0]?.kind === 'snapshot' && kept.events[0].made).toBe(false)
    expect(kept.notes).toEqual([])
  })

  test('are kept where nothing says the day, and one sentence says so', async () => {
    const unknown = await found(dayBytes(masterData({}), LINES))
    expect(ids(unknown)).toHaveLength(8)
    expect(unknown.notes).toEqual([{ code: 'marginsKept', sentence: 'bytes: its name does not end in -YYYY-MM-DD.txt.zst, so its day is unknown and its margins are kept; name the day with --day' }])
    expect(ids(await found(dayBytes(masterData({}), LINES), { day: '2026-07-01' }))).toEqual(['made b', 't2', 'c', 't3'])
  })

  test('warm the book with late events: by the clock that never steps back', async () => {
    const late: Line[] = [...LINES.slice(0, 3), [1, 'b', 'c', before('23:59:58'), 0, [[0, '98', '5', 1]]], [2, '0', 't2', time('00:00:00'), 0, [[0, '101', '1', 'x2', 0]]],
      [1, 'c', 'd', before('23:59:59'), 0, [[0, '97', '6', 1]]]]
    const day = await found(await dayOf(masterData({}), late))
    // The step back behind 00:00 is of the day: nothing is sorted.
    expect(ids(day)).toEqual(['made c', 't2', 'd'])
    expect(day.events[0]?.kind === 'snapshot' && day.events[0].levels.map(({ price }) => price.toString())).toEqual(['100', '98', '101'])
  })

  test.each<[string, readonly Line[], string[]]>([
    ['a day without an event', LINES.slice(0, 3), ['made b']],
    ['a first snapshot behind 00:00', [[2, '0', 't1', before('23:59:00'), 0, []], [1, '0', 'u', time('00:00:01'), 0, []], [0, '0', 's', time('00:00:02'), 0, [[0, '1', '1', 1]]]], ['u', 's']],
    ['nothing at all', [], []],
  ])('%s', async (_, lines, wanted) => {
    expect(ids(await found(await dayOf(masterData({}), lines)))).toEqual(wanted)
  })

  test('a gap in the chain across midnight is marked where it is; one before it makes the opening book suspect', async () => {
    const across = await found(await dayOf(masterData({}), [...LINES.slice(0, 3), [1, 'zz', 'c', time('00:00:01'), 0, [[0, '99', '7', 1]]]]))
    expect(across.events.map((event) => 'chainGap' in event && event.chainGap)).toEqual([false, true])
    const earlier = await found(await dayOf(masterData({}), [LINES[0]!, [1, 'zz', 'b', before('23:59:59'), 0, [[1, '101', '3', 1]]], [1, 'b', 'c', time('00:00:01'), 0, [[0, '99', '7', 1]]]]))
    expect(earlier.events.map((event) => 'chainGap' in event && event.chainGap)).toEqual([true, false])
  })

  test.each<[string, EventOptions, string[], string[]]>([
    ['from in the margin', { from: '2026-06-30T23:59' }, ['made b', 't2', 'c', 't3'], ['inMargin', 'leftOut']],
    ['to in the margin behind', { to: '2026-07-02T00:00:30Z' }, ['made b', 't2', 'c', 't3'], ['inMargin', 'leftOut']],
    ['both before', { from: '2026-06-30T23:59', to: '00:00' }, [], ['inMargin', 'leftOut', 'empty']],
    ['both behind', { from: '24:00', to: '2026-07-02T00:01Z' }, [], ['inMargin', 'leftOut', 'empty']],
    ['further away than margins reach', { from: '2027-07-02T00:00Z' }, [], ['leftOut', 'empty']],
    ['inside the day', { from: '00:00:01', to: '00:00:02' }, ['c'], []],
    ['all kinds of one', { kinds: ['trades'] }, ['t2', 't3'], ['leftOut']],
    ['the opening alone', { from: '00:00', to: '00:00:00.000000001', kinds: ['snapshot'] }, ['made b'], ['empty']],
    ['nothing there', { from: '12:00', to: '12:05' }, [], ['empty']],
    ['no such kind', { kinds: ['mark'], from: '00:00', to: '24:00' }, [], ['empty']],
  ])('%s: %j', async (_, options, wanted, notes) => {
    const part = await found(await dayOf(masterData({}), LINES), options)
    expect(ids(part)).toEqual(wanted)
    expect(codes(part)).toEqual(notes)
  })

  test('sentences name the time, the file and what to do', async () => {
    const early = await found(await dayOf(masterData({}), LINES), { from: '2026-06-30T23:59', to: '00:00' })
    expect(early.notes.map(({ sentence }) => sentence)).toEqual([
      '2026-06-30 23:59:00 lies in the margin of bytes, which is left out: --margins keep shows it',
      'bytes: 3 events of the neighbouring days left out; --margins keep shows them',
      'bytes: no event between 2026-06-30 23:59:00 and 00:00:00: the data begin 00:00:00',
    ])
    const hole = await found(await dayOf(masterData({}), LINES), { from: '12:00', to: '12:05:00.5' })
    expect(hole.notes.map(({ sentence }) => sentence)).toEqual(['bytes: no event between 12:00:00 and 12:05:00.5: the data begin 00:00:00 and go on at 23:59:59'])
    const kinds = await found(await dayOf(masterData({}), LINES), { kinds: ['mark', 'index'], from: '00:00', to: '24:00' })
    expect(kinds.notes.map(({ sentence }) => sentence)).toEqual(['bytes: no mark or index between 00:00:00 and 2026-07-02 00:00:00: the data begin 00:00:00 and end 23:59:59'])
    const none = await found(await dayOf(masterData({}), []))
    expect(none.notes.map(({ sentence }) => sentence)).toEqual(['bytes: no event: the data hold no event'])
  })

  test.each<[string, EventOptions, string]>([
    ['another word', { margins: 'none' as never }, 'margins must be trim or keep, found "none"'],
    ['a wrong day', { day: '2026-07-09' }, 'and its name or an option says 2026-07-09'],
  ])('%s is refused', async (_, options, sentence) => {
    await expect(found(dayBytes(masterData({}), LINES), options)).rejects.toThrow(sentence)
  })
})

describe('several files', () => {
  const next: readonly Line[] = [
    [0, '0', 'c', time('23:59:00'), 0, [[0, '100', '2', 1], [1, '101', '3', 1], [0, '99', '7', 1]], false],
    [2, '0', 't3', time('23:59:59.999999999'), 0, [[1, '100', '1', 'x3', 0]]],
    [2, '0', 't4', after('00:00:00'), 0, [[1, '100', '1', 'x4', 0]]],
    [1, 'c', 'd', after('00:00:01'), 0, [[0, '99', '0', 1]]],
    [2, '0', 't5', after('00:00:02'), 0, [[1, '100', '1', 'x5', 0]]],
  ]
  const first = source('made-HAND-2026-07-01.txt.zst', LINES)
  const second = source('made-HAND-2026-07-02.txt.zst', next)

  test('of one instrument are one stream, in the order of their days: nothing twice', async () => {
    const wanted = ['made b', 't2', 'c', 't3', 't4', 'd', 't5']
    expect(ids(await found(await opened(first, second)))).toEqual(wanted)
    const turned = await found(await opened(second, first))
    expect(ids(turned)).toEqual(wanted)
    expect(turned.notes.map(({ sentence }) => sentence)).toEqual(['made:HAND: 3 events of the neighbouring days left out; --margins keep shows them'])
  })

  test('clock times are those of the first day, whatever the order', async () => {
    expect(ids(await found(await opened(second, first), { from: '00:00:01', to: '2026-07-02T00:00:01.5Z' }))).toEqual(['c', 't3', 't4', 'd'])
  })

  test('a span that ends behind the first day still reads the next', async () => {
    expect(ids(await found(await opened(first, second), { from: '2026-07-02T00:00:01' }))).toEqual(['d', 't5'])
  })

  test('kept margins give each file as it stands, in the order given', async () => {
    expect(ids(await found(await opened(second, first), { margins: 'keep' }))).toHaveLength(13)
  })

  test('with a day missing between them count the margins around it as left out', async () => {
    const far = source('made-HAND-2026-07-03.txt.zst', next.map(([kind, previous, id, at, ...rest]): Line => [kind, previous, id, (at as bigint) + 86_400_000_000_000n, ...rest]))
    const apart = await found(await opened(first, far))
    expect(ids(apart)).toEqual(['made b', 't2', 'c', 't3', 'made c', 't4', 'd', 't5'])
    expect(apart.notes.map(({ sentence }) => sentence)).toEqual(['made:HAND: 7 events of the neighbouring days left out; --margins keep shows them'])
  })

  test('of one day are refused', async () => {
    const twin = source('other-HAND-2026-07-01.txt.zst', LINES)
    await expect(opened(first, twin).then((days) => found(days))).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })
})

describe.skipIf(!hasSharedData)('recorded days', () => {
  const pair = ['2023-04-04', '2023-04-05'].map((day) => sharedData(`days/binance_swap-BTCUSDT-${day}.txt.zst`))
  const tar = sharedData('bundles/binance_swap-BTCUSDT-2023-04-04..2023-04-05.tar')

  async function trades(input: TickInput | readonly TickInput[], options: EventOptions<'trades'> = {}): Promise<{ count: number; distinct: number }> {
    const seen = new Set<string>()
    let count = 0
    for await (const event of readEvents(input, { ...options, kinds: ['trades'] })) {
      for (const { tradeId } of event.trades) {
        count++
        seen.add(String(tradeId))
      }
    }
    return { count, distinct: seen.size }
  }

  test('two consecutive days give each trade once: 12,934, not 17,327', async () => {
    expect(await trades(pair)).toEqual({ count: 12_934, distinct: 12_934 })
    expect(await trades([...pair].reverse())).toEqual({ count: 12_934, distinct: 12_934 })
    expect(await trades(tar)).toEqual({ count: 12_934, distinct: 12_934 })
    expect(await trades(pair, { margins: 'keep' })).toEqual({ count: 17_327, distinct: 12_934 })
  })

  test('each day alone gives its own part, and the parts add up', async () => {
    const parts = await Promise.all(pair.map((path) => trades(path)))
    expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(12_934)
  })

  test('all days: what the files hold less what is said to be left out', async () => {
    for (const path of dayFiles) {
      const day = await openTickFile(path)
      const part = await found(day)
      const left = Number(/: (\d+) events? of the neighbouring/.exec(part.notes.map(({ sentence }) => sentence).join())?.[1] ?? 0)
      const made = part.events.filter((event) => event.kind === 'snapshot' && event.made).length
      expect(part.events.length - made + left).toBe(day.summary.eventCount)
    }
  })

  test('every contract of a bundle, one after the other in its order', async () => {
    const order: number[] = []
    for await (const { instrumentId } of readEvents(sharedData('bundles/deribit-options-2021-07-22.tar'))) if (order.at(-1) !== instrumentId) order.push(instrumentId)
    expect(order).toHaveLength(10)
    expect(new Set(order).size).toBe(10)
  })
})
