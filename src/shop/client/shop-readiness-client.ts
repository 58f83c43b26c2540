import { BacktapeError } from '../../model/error.js'
import type { StopSignal } from '../../model/stop-signal.js'
import type { RandomNumbers } from '../../model/random.js'
import type { Taken } from '../../protocol/shop/shop-schemas.js'
import type { ShopAsker } from './shop-asker-client.js'
import type { ExpectedMember } from './byte-checks.js'
import type { ShopCall } from './shop-call.js'
import { waited, type ShopClock } from './shop-clock-client.js'
import { shopError, ShopRefusedError } from './shop-failure.js'
import { listItems } from './shop-list-client.js'

/** The readiness of a file: its bytes can be had, or there will be none, or it has to come another way. */
export type Readiness = 'ready' | 'empty' | 'too large'

/** The way to wait for a file. */
export interface ShopWaiting {
  readonly asker: ShopAsker
  readonly clock: ShopClock
  readonly random: RandomNumbers
  /** False: SHOP_NOT_READY in place of waiting. */
  readonly waits: boolean
  readonly signal: StopSignal | undefined
  /** Called with the state whenever the wait goes on. */
  readonly onWait: (state: string) => void
}

const PAUSE_FIRST_MS = 5_000
const PAUSE_MOST_MS = 300_000
/** A restore takes half a day; nothing is waited for much longer. */
const WAIT_MAX_MS = 48 * 3_600_000
/** A day that stays cold is asked for again after so many looks. */
const RESTORE_AGAIN = 12

/** One wait for a file, with longer and longer pauses. */
class Wait {
  #count = 0
  readonly #startMs: number

  constructor(private readonly waiting: ShopWaiting, private readonly place: string) {
    this.#startMs = waiting.clock.nowMs()
  }

  /** Pauses. Throws SHOP_NOT_READY where nothing is waited for, or the wait is too long; STOPPED. */
  async pause(state: string, retryAfterMs: number | null = null): Promise<void> {
    const { clock, random, waits, signal, onWait } = this.waiting
    if (!waits || clock.nowMs() - this.#startMs > WAIT_MAX_MS)
      throw shopError('SHOP_NOT_READY', this.place, 'a file that is ready', state, 'ask again later')
    onWait(state)
    const growing = PAUSE_FIRST_MS * Math.pow(1.5, Math.min(this.#count, 20))
    const ms = Math.min(PAUSE_MOST_MS, growing) * (0.75 + random.uniform(this.#count++) / 2)
    await waited(clock, Math.round(Math.max(ms, retryAfterMs ?? 0)), this.place, signal)
  }
}

function withQuery(call: ShopCall, query: Readonly<Record<string, string | number>>): ShopCall {
  return { ...call, query: { ...call.query, ...query } }
}

/** Waits until a day can be had: a cold one is restored. */
export async function dayReadiness(waiting: ShopWaiting, day: ShopCall): Promise<Readiness> {
  const { asker } = waiting
  const wait = new Wait(waiting, asker.placeOf(day))
  for (let looks = 0; ; looks++) {
    const { answer, retryAfterMs } = await asker.ask(withQuery(day, { status: 1 }), 'DayState')
    let { state } = answer
    if (state === 'cold' && looks % RESTORE_AGAIN === 0)
      ({ answer: { state } } = await asker.ask(withQuery(day, { restore: 1 }), 'DayState'))
    if (state === 'ready') return 'ready'
    await wait.pause(state, retryAfterMs)
  }
}

/**
 * Waits until an export can be had; `empty`: there is none, as the day has no such events. Throws SHOP_EXPORT_FAILED
 * where the shop fails to make it, twice.
 */
export async function exportReadiness(waiting: ShopWaiting, day: ShopCall, format: string): Promise<Readiness> {
  const { asker } = waiting
  const file = withQuery(day, { format })
  const place = asker.placeOf(day)
  const wait = new Wait(waiting, place)
  for (let requests = 0; ;) {
    const { answer: { state }, retryAfterMs } = await asker.ask(withQuery(file, { probe: 1 }), 'ExportState')
    if (state === 'ready' || state === 'empty') return state
    if (state === 'failed' && requests > 0)
      throw shopError('SHOP_EXPORT_FAILED', place, `the export ${format}`, 'the shop cannot make it')
    if (state === 'cold') await dayReadiness(waiting, day)
    // A probe need not start it, and does not try anew.
    else if (requests++ === 0) {
      const asked = await bytesState(waiting, file)
      if (asked.isReady) return 'ready'
      await wait.pause(state, asked.retryAfterMs)
      continue
    }
    await wait.pause(state, retryAfterMs)
  }
}

/** Waits until a free export can be had: it has no probe. */
export async function sampleReadiness(waiting: ShopWaiting, file: ShopCall): Promise<Readiness> {
  const wait = new Wait(waiting, waiting.asker.placeOf(file))
  for (;;) {
    const { isReady, retryAfterMs } = await bytesState(waiting, file)
    if (isReady) return 'ready'
    await wait.pause('pending', retryAfterMs)
  }
}

/** Asks for the bytes of a file, and takes none: this starts what the shop has to do for it. */
async function bytesState(
  { asker, signal }: ShopWaiting, call: ShopCall,
): Promise<{ readonly isReady: boolean, readonly retryAfterMs: number | null }> {
  const patience = { place: asker.placeOf(call), isRepeatable: true, signal }
  return asker.patiently(patience, async () => {
    try {
      const { close } = await asker.open(call, { 'accept-encoding': 'identity' }, [200])
      close()
      return { isReady: true, retryAfterMs: null }
    } catch (error) {
      if (!(error instanceof ShopRefusedError) || error.refusal.status !== 202) throw error
      return { isReady: false, retryAfterMs: error.refusal.retryAfterMs }
    }
  })
}

/** Waits until the zip of a bundle day can be had. */
export async function zipReadiness(waiting: ShopWaiting, day: ShopCall): Promise<Readiness> {
  const { asker } = waiting
  const wait = new Wait(waiting, asker.placeOf(day))
  for (;;) {
    const { answer: { state }, retryAfterMs } = await asker.ask(withQuery(day, { zip: 1, probe: 1 }), 'ArchiveState')
    if (state === 'ready') return 'ready'
    if (state === 'too_large') return 'too large'
    await wait.pause(state, retryAfterMs)
  }
}

/** Waits until every day of a range can be had. */
export async function rangeReadiness(waiting: ShopWaiting, range: ShopCall): Promise<Readiness> {
  const { asker } = waiting
  const place = asker.placeOf(range)
  const wait = new Wait(waiting, place)
  for (let looks = 0; ; looks++) {
    const { answer, retryAfterMs } = await asker.ask(withQuery(range, { status: 1 }), 'ArchiveCounts')
    let counts = answer
    if (counts.cold > 0 && looks % RESTORE_AGAIN === 0)
      counts = (await asker.ask(withQuery(range, { restore: 1 }), 'ArchiveCounts')).answer
    if (counts.cold + counts.pending === 0) {
      if (counts.ready > 0) return 'ready'
      throw shopError('SHOP_ANSWER_INVALID', place, 'files', 'none')
    }
    await wait.pause(countWords(counts), retryAfterMs)
  }
}

function countWords({ ready, pending, cold }: Taken<'ArchiveCounts'>): string {
  return `${ready} ready, ${pending} pending, ${cold} cold`
}

/** The files of an archive, as its manifest has them; null where the shop has none in a form that is known. */
export async function membersOf(asker: ShopAsker, archive: ShopCall): Promise<readonly ExpectedMember[] | null> {
  const call = withQuery(archive, { manifest: 1 })
  const members: ExpectedMember[] = []
  try {
    for await (const member of listItems(asker, { call, list: 'members', item: 'Member' }))
      members.push({
        name: member.name, instrumentId: member.instrument_id, date: member.date, sizeBytes: member.bytes,
      })
  } catch (error) {
    // The form of a manifest is our own choice: another shop may have another one.
    if (error instanceof BacktapeError && error.code === 'SHOP_ANSWER_INVALID') return null
    throw error
  }
  return members
}
