import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SYNTHETIC_KINDS, type SyntheticKind } from '../../src/synthetic/instrument-profile.js'
import { makeDays, type SyntheticOptions } from '../../src/synthetic/made-days.js'
import { madeEvents, madeFiles, type MadeEvent, type MadeRow } from '../support/made-files.js'

const NO_ID = '9223372036854775807'
const MINUTES = 2
const KINDS_OF: Readonly<Record<SyntheticKind, readonly number[]>> = {
  perpetual: [0, 1, 2, 5, 6, 7, 8, 9, 17],
  inverse: [0, 1, 2, 5, 6, 7, 8, 9, 17],
  spot: [0, 1, 2, 5, 6],
  'paired-spot': [0, 1, 2, 5, 6],
  option: [0, 1, 2, 5, 6, 7, 8],
  prediction: [0, 1, 2, 5],
}

const made = new Map<string, Map<string, string>>()
function filesOf(kind: SyntheticKind): Map<string, string> {
  const known = made.get(kind) ?? madeFiles({ seed: 11, kind, minutes: MINUTES, days: 2, truth: true })
  made.set(kind, known)
  return known
}
const parsed = new Map<string, MadeEvent[][]>()
function days(kind: SyntheticKind): MadeEvent[][] {
  const known = parsed.get(kind) ?? [...filesOf(kind)].filter(([name]) => name.endsWith('.txt.zst')).map(([, text]) => madeEvents(text))
  parsed.set(kind, known)
  return known
}
const rows = (event: MadeEvent): readonly MadeRow[] => event.data as readonly MadeRow[]

/** Places where a stream's chain breaks. */
function chainBreaks(events: readonly MadeEvent[], kinds: readonly number[]): number[] {
  const breaks: number[] = []
  let last = ''
  events.forEach(({ kind, previousId, id }, index) => {
    if (!kinds.includes(kind)) return
    if (previousId !== '0' && previousId !== last) breaks.push(index)
    last = id
  })
  return breaks
}

describe.each(SYNTHETIC_KINDS)('%s', (kind) => {
  test('every event kind that the instrument has, in both files', () => {
    for (const events of days(kind)) expect([...new Set(events.map((event) => event.kind))].sort((a, b) => a - b)).toEqual(KINDS_OF[kind])
  })

  test('one chain gap in the depth with lines really lost, none elsewhere; ERROR and READY around the outage', () => {
    const [first = [], second = []] = days(kind)
    for (const events of [first, second]) {
      expect(chainBreaks(events, [0, 1])).toHaveLength(1)
      for (const chained of [2, 17]) expect(chainBreaks(events, [chained])).toEqual([])
      expect(events.filter((event) => event.kind === 5).map((event) => [event.data, event.tail[0]])).toEqual([
        ['READY', 'ready after connect'],
        ['ERROR', 'connection lost'],
        ['READY', 'ready after reconnect'],
      ])
      const error = events.findIndex((event) => event.data === 'ERROR')
      const quiet = (events[error + 1]?.adapterNs ?? 0n) - (events[error]?.adapterNs ?? 0n)
      expect(quiet).toBeGreaterThan(6_900_000_000n)
    }
  })

  test('snapshots: after connect, resynchronizing, regular, after reconnect; each reset says whether it is forced', () => {
    for (const events of days(kind)) {
      expect(events.filter((event) => event.kind === 0).map((event) => [event.previousId, event.tail])).toEqual([
        ['0', [false]], ['0', [true]], ['0', [false]], ['0', [false]],
      ])
    }
  })

  test('the adapter clock increases but for one step back; every venue time lies before its receipt otherwise', () => {
    for (const events of days(kind)) {
      let greatest = 0n
      let back = 0
      for (const { adapterNs, exchangeNs } of events) {
        if (adapterNs < greatest) back += 1
        else expect(exchangeNs < adapterNs).toBe(true)
        if (adapterNs > greatest) greatest = adapterNs
      }
      expect(back).toBe(1)
    }
  })

  test('books from the file equal the orders of the truth after each line, and are never crossed', () => {
    const files = [...filesOf(kind)]
    for (let day = 0; day < 2; day++) {
      const events = days(kind)[day] ?? []
      expect(comparedBooks(events, files[day * 2 + 1]?.[1] ?? '')).toBeGreaterThan(events.filter((event) => event.kind === 1).length * 0.9)
    }
  })

  test('where the two files overlap they tell the same market', () => {
    const [first = [], second = []] = days(kind)
    const key = ({ kind: of, id, exchangeNs, data, tail }: MadeEvent): string => JSON.stringify([of, id, String(exchangeNs), data, tail])
    const inFirst = new Set(first.filter((event) => event.kind !== 5 && event.kind !== 0).map(key))
    const from = first.find((event) => event.id === second.find((other) => other.kind === 1)?.id)
    const lastNs = first.reduce((greatest, { exchangeNs }) => (exchangeNs > greatest ? exchangeNs : greatest), 0n)
    expect(from).toBeDefined()
    let common = 0
    for (const event of second) {
      if (event.kind === 5 || event.kind === 0) continue
      if (event.exchangeNs >= lastNs - 10_000_000n || event.exchangeNs === 0n) continue
      if (!inFirst.has(key(event))) throw new Error(`not in the file of the day before: ${event.line}`)
      common += 1
    }
    expect(common).toBeGreaterThan(100)
  })

  test('trades of the file are executions of the truth, in order', () => {
    const files = [...filesOf(kind)]
    const events = days(kind)[0] ?? []
    const executions = (files[1]?.[1] ?? '').split('\n').filter((line) => line.startsWith('["X"')).map((line) => (JSON.parse(line) as unknown[]).slice(4, 7).join())
    const fills = events.filter((event) => event.kind === 2).flatMap((event) => rows(event).map(([, price, quantity, id]) => [price, quantity, id].join()))
    let at = 0
    for (const fill of fills) {
      while (at < executions.length && executions[at] !== fill) at += 1
      expect(at).toBeLessThan(executions.length)
      at += 1
    }
    expect(fills.length).toBeGreaterThan(10)
  })
})

/** Applies truth and file side by side; returns how many book lines were compared. */
function comparedBooks(events: readonly MadeEvent[], truth: string): number {
  const orders = new Map<number, { key: string; quantity: number }>()
  const totals = new Map<string, number>()
  const lines = truth.trimEnd().split('\n').slice(1)
  let next = 0
  const add = (key: string, by: number): void => {
    const total = Math.round(((totals.get(key) ?? 0) + by) * 1000) / 1000
    if (total === 0) totals.delete(key)
    else totals.set(key, total)
  }
  const applyUntil = (id: string): void => {
    for (; next < lines.length; next++) {
      const [what, , order, ...rest] = JSON.parse(lines[next] ?? '') as [string, number, number, ...string[]]
      if (what === 'P' && String(order) === id) return
      if (what === 'A' || what === 'R') {
        const key = `${rest[0] === 'BID' ? '0' : '1'} ${rest[1] ?? ''}`
        orders.set(order, { key, quantity: Number(rest[2]) })
        add(key, Number(rest[2]))
      } else if (what === 'C' || what === 'X') {
        const known = orders.get(order)
        add(known?.key ?? '', -Number(what === 'C' ? rest[0] : rest[2]))
      }
    }
    throw new Error(`the truth does not know ${id}`)
  }
  let book = new Map<string, number>()
  let suspect = true
  let compared = 0
  let last = ''
  for (const event of events) {
    if (event.kind === 5) suspect ||= event.data === 'ERROR'
    if (event.kind !== 0 && event.kind !== 1) continue
    if (event.kind === 0) {
      book = new Map()
      suspect = false
    } else if (event.previousId !== last) {
      suspect = true
    }
    for (const [side, price, quantity] of rows(event)) {
      if (quantity === '0') book.delete(`${String(side)} ${price}`)
      else book.set(`${String(side)} ${price}`, Number(quantity))
    }
    if (event.id !== last) applyUntil(event.id)
    last = event.id
    if (suspect) continue
    compared += 1
    if (book.size !== totals.size) throw new Error(`${String(book.size)} levels, the truth has ${String(totals.size)} at ${event.line.slice(0, 80)}`)
    for (const [key, quantity] of book) if (totals.get(key) !== quantity) throw new Error(`${key}: ${String(quantity)}, the truth has ${String(totals.get(key))}`)
    let bid = -Infinity
    let ask = Infinity
    for (const key of book.keys()) {
      if (key.startsWith('0')) bid = Math.max(bid, Number(key.slice(2)))
      else ask = Math.min(ask, Number(key.slice(2)))
    }
    if (bid >= ask) throw new Error(`crossed at ${event.line.slice(0, 80)}`)
  }
  return compared
}

describe('eras and instruments', () => {
  test('a file of 2025 has no forceReset, no tails, no predicted rate, no liquidations', () => {
    const events = [...madeFiles({ seed: 11, era: '2025', minutes: MINUTES }).values()].flatMap(madeEvents)
    expect(events.filter((event) => event.kind === 0).map((event) => event.tail)).toEqual([[], [], [], []])
    expect(events.some((event) => event.kind === 17 || (event.kind === 7 && event.tail.length > 0))).toBe(false)
    expect(events.filter((event) => event.kind === 9).every((event) => (event.data as unknown[]).length === 2)).toBe(true)
  })
  test('ids: sequences here, hashes there, none for tickers of the inverse; trade ids empty and null for predictions', () => {
    const inverse = days('inverse')[0] ?? []
    expect(inverse.filter((event) => event.kind === 7).every((event) => event.id === NO_ID)).toBe(true)
    const ids = inverse.filter((event) => event.kind === 1).map((event) => BigInt(event.id))
    expect(ids.some((id, i) => id < (ids[i - 1] ?? 0n))).toBe(true)
    const tradeIds = (days('prediction')[0] ?? []).filter((event) => event.kind === 2).flatMap((event) => rows(event).map((row) => row[3]))
    expect(new Set(tradeIds)).toEqual(new Set(['', null]))
    expect((days('perpetual')[0] ?? []).some((event) => event.kind === 2 && rows(event).length > 1)).toBe(true)
  })
  test('the top of book of a spot market has no venue time', () => {
    expect((days('spot')[0] ?? []).every((event) => (event.exchangeNs === 0n) === (event.kind === 6 || event.kind === 5))).toBe(true)
  })
  test('option prices keep to their band of the tick table', () => {
    for (const event of (days('option')[0] ?? []).filter(({ kind }) => kind < 2)) {
      for (const [, price] of rows(event)) if (Number(price) > 0.005 && Math.round(Number(price) * 10_000) % 5 !== 0) throw new Error(event.line)
    }
  })
  test('prices of predictions are probabilities', () => {
    for (const event of (days('prediction')[0] ?? []).filter(({ kind }) => kind < 3)) for (const [, price] of rows(event)) expect(Number(price) > 0 && Number(price) < 1).toBe(true)
  })
  test('a day between two others is open at both ends and closed in between', () => {
    const files = [...madeFiles({ seed: 3, minutes: 4, days: 3, kind: 'option' }).values()].map(madeEvents)
    expect(files[1]?.filter((event) => event.kind === 5).map((event) => event.tail[0])).toEqual([
      'ready after connect', 'connection lost', 'ready after reconnect', 'venue closed', 'ready after reconnect',
    ])
    for (const events of files) expect(chainBreaks(events, [0, 1])).toHaveLength(1)
  })
})

describe('the same seed gives the same bytes', () => {
  const hash = (options: SyntheticOptions): string => {
    const sum = createHash('sha256')
    for (const { fileName, text } of makeDays(options)) sum.update(fileName).update(text)
    return sum.digest('hex')
  }
  test.each(SYNTHETIC_KINDS)('%s: golden, on every Node', (kind) => {
    expect({ kind, hash: hash({ seed: 1, kind, minutes: 1, days: 2, truth: true }) }).toEqual({ kind, hash: GOLDEN[kind] })
  })
  test('in another process with another time zone and locale', () => {
    const module = new URL('../../dist/synthetic/made-days.js', import.meta.url).href
    const program = `import { makeDays } from '${module}'
      import { createHash } from 'node:crypto'
      const sum = createHash('sha256')
      for (const { fileName, text } of makeDays({ seed: 1, kind: 'perpetual', minutes: 1, days: 2, truth: true })) sum.update(fileName).update(text)
      process.stdout.write(sum.digest('hex'))`
    const env = { ...process.env, TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' })).toBe(GOLDEN.perpetual)
  })
  test('the truth changes nothing in the day, and another seed changes all', () => {
    const [plain] = madeFiles({ seed: 1, minutes: 1 }).values()
    const [withTruth] = madeFiles({ seed: 1, minutes: 1, truth: true }).values()
    const [other] = madeFiles({ seed: 2, minutes: 1 }).values()
    expect(withTruth).toBe(plain)
    expect(other?.split('\n')[5]).not.toBe(plain?.split('\n')[5])
  })
  test('files are named as the shop names days; pieces are whole lines, the last one says so', () => {
    const seen = new Map<string, boolean>()
    for (const { fileName, text, last } of makeDays({ seed: 1, minutes: 1, days: 2, day: '2024-02-29', truth: true })) {
      expect(seen.get(fileName)).not.toBe(true)
      expect(text === '' || text.endsWith('\n')).toBe(true)
      seen.set(fileName, last)
    }
    expect([...seen]).toEqual(['29.txt', '29.truth.jsonl', '01.txt', '01.truth.jsonl'].map((end) => [
      `synthetic_swap-XRPUSDT-2024-${end.startsWith('29') ? '02' : '03'}-${end}.zst`, true,
    ]))
  })
})

test.each([
  [{ seed: -1 }, 'seed'], [{ seed: 1.5 }, 'seed'], [{ seed: 2 ** 53 }, 'seed'], [{ seed: NaN }, 'seed'],
  [{ kind: 'future' }, 'kind'], [{ minutes: 0 }, 'minutes'], [{ minutes: 1441 }, 'minutes'], [{ minutes: NaN }, 'minutes'],
  [{ days: 0 }, 'days'], [{ days: 1.5 }, 'days'], [{ days: 61 }, 'days'], [{ era: '2024' }, 'era'],
  [{ day: '2026-02-29' }, 'day'], [{ day: 'today' }, 'day'], [{ day: '1970-01-01' }, 'day'],
])('%j is refused', (options, field) => {
  const call = (): unknown => makeDays({ seed: 1, ...options } as SyntheticOptions).next()
  expect(call).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place: expect.objectContaining({ field }) }))
})

const GOLDEN: Readonly<Record<SyntheticKind, string>> = {
  perpetual: 'ba6482d92a322ad794fee2cfcc8ea9dcbe8fe47754502ab1841303bbb6551433',
  inverse: '29230b6060a18b567addf6498b79bb29ef231355d423c9785ba3e24dec000ee7',
  spot: '0feb9c15a393db544af2e330c99d0fb7b0861e7650ef32aa91b0541431e92dfe',
  'paired-spot': '066fcb2eb534e1816f27b43649ff409006283576e97731cf248f371978cdb37a',
  option: '68c197400d6a4b45388dd0157ecb41a16918e13baed319cf0bdd67dfa3ba9623',
  prediction: 'cc2afb9abe38f697ae1743b69eabfad3a11ff93bd8a6d214d3d4401f4663b414',
}
