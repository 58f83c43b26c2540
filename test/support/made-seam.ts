import { masterLine } from './tick-lines.js'

/** A deterministic sequence of numbers in [0, 1): a 32-bit linear congruence, for tests only. */
function seededNumbers(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

const DAY_NS = 86_400_000_000_000n

/** What happened at a venue, in its order, whoever recorded it. */
interface Happening {
  readonly kind: 1 | 2 | 6 | 7
  readonly id: string
  readonly timeNs: bigint
  readonly data: string
  readonly price: string
  readonly quantity: string
  readonly side: 0 | 1
}

function happenings(random: () => number, count: number, midnight: bigint): Happening[] {
  return Array.from({ length: count }, (_, i) => {
    const kind = ([1, 1, 1, 2, 6, 7] as const)[Math.floor(random() * 6)] ?? 1
    const side = random() < 0.5 ? 0 : 1
    const price = side === 0 ? (100 - Math.floor(random() * 20) / 10).toFixed(1).replace(/\.0$/, '') : (100.1 + Math.floor(random() * 20) / 10).toFixed(1).replace(/\.0$/, '')
    const quantity = random() < 0.3 ? '0' : String(1 + Math.floor(random() * 9))
    const timeNs = midnight + BigInt(Math.floor(((i - count / 2) * 40_000 * 1_000_000) / count)) + BigInt(Math.floor(random() * 1000))
    return { kind, side, price, quantity, timeNs, id: String(1000 + i), data: '' }
  })
}

/** How a recorder differs from the truth. */
export interface Recorder {
  /** Added to every time it notes. */
  readonly clockMs: number
  /** Share of the events that it misses. */
  readonly lossRate: number
  /** Begin and end of its recording from midnight, in seconds. */
  readonly fromSeconds: number
  readonly toSeconds: number
  /** Whether it notes ids. */
  readonly hasIds: boolean
}

/** The book of a recorder as text, for its snapshots. */
function snapshotRows(levels: readonly ReadonlyMap<string, string>[]): string {
  return levels.flatMap((side, code) => [...side].map(([price, quantity]) => `[${String(code)},"${price}","${quantity}",1]`)).join(',')
}

function lineOf(event: Happening, timeNs: bigint, previous: string, id: string): string {
  const head = `[${String(event.kind)},7,"${previous}","${id}",${String(timeNs)},${String(event.timeNs)},`
  if (event.kind === 2) return `${head}[[${String(event.side)},"${event.price}","1","t${event.id}",${String(event.timeNs)}]]]`
  if (event.kind === 7) return `${head}"${event.price}"]`
  const quantity = event.kind === 6 && event.quantity === '0' ? '1' : event.quantity
  return `${head}[[${String(event.side)},"${event.price}","${quantity}",1]]]`
}

function recorded(events: readonly Happening[], recorder: Recorder, midnight: bigint, random: () => number): string[] {
  const lines: string[] = []
  const levels = [new Map<string, string>(), new Map<string, string>()]
  const previous = new Map<number, string>()
  const noted = (event: Happening): boolean => event.timeNs >= midnight + BigInt(recorder.fromSeconds) * 1_000_000_000n && event.timeNs < midnight + BigInt(recorder.toSeconds) * 1_000_000_000n
  for (const event of events) {
    if (event.kind === 1 && !noted(event)) {
      const side = levels[event.side]
      if (event.quantity === '0') side?.delete(event.price)
      else side?.set(event.price, event.quantity)
      previous.set(1, event.id)
    }
    if (!noted(event)) continue
    const timeNs = event.timeNs + BigInt(recorder.clockMs) * 1_000_000n + 5_000_000n
    const id = recorder.hasIds ? event.id : '9223372036854775807'
    if (lines.length === 0) lines.push(`[0,7,"0","${previous.get(1) ?? '1'}",${String(timeNs)},${String(event.timeNs)},[${snapshotRows(levels)}]]`)
    if (random() < recorder.lossRate) continue
    lines.push(lineOf(event, timeNs, event.kind === 1 && recorder.hasIds ? (previous.get(1) ?? '1') : '0', id))
    if (event.kind === 1) previous.set(1, event.id)
  }
  return lines
}

/** Two recordings of one made-up midnight, master data first. */
export function madeSeam(seed: number, earlier: Recorder, later: Recorder, laterDay: number): { earlier: string[]; later: string[] } {
  const random = seededNumbers(seed)
  const midnight = BigInt(laterDay) * DAY_NS
  const events = happenings(random, 400, midnight)
  return { earlier: [masterLine(), ...recorded(events, earlier, midnight, random)], later: [masterLine(), ...recorded(events, later, midnight, random)] }
}
