import { Decompress } from 'fzstd'
import { decimalScale, plainDecimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { eventKindFromCode } from '../model/event-kind.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { epochDayFromText } from '../model/time.js'
import { epochDayFromFileName } from './file-day.js'
import { InterimBatch, parseEvent, scalesOf } from './interim-decoder.js'
import type { Reading, ReadOptions, ReadingSummary } from './reading.js'
import type { TickSource } from './tick-source.js'

type Fields = Record<string, unknown>

async function* linesOf(source: TickSource, sizes: { compressed: number; text: number }): AsyncGenerator<string> {
  let pending: Uint8Array[] = []
  const zstd = new Decompress((chunk) => void pending.push(chunk.slice()))
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of source.open()) {
    sizes.compressed += chunk.length
    zstd.push(chunk)
    for (const text of pending) {
      sizes.text += text.length
      const lines = (rest + decoder.decode(text, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    pending = []
  }
  if (rest !== '') yield rest
}

const text = (v: unknown): string | null => (v === null || v === undefined ? null : String(v as string))
const decimal = (v: unknown): string | null => plainDecimal(text(v) ?? '')
const integer = (v: unknown): number | null => (v === null || v === undefined ? null : Number(v))

function instrumentOf(f: Fields): Instrument {
  const table = (f['tick_table'] as { e?: Fields[] } | null)?.e ?? []
  return {
    id: Number(f['id']), code: text(f['code']) ?? '', codeAlias: text(f['code_alias']), nativeCode: text((f['native_code'] as Fields | null)?.['default']),
    exchangeId: integer(f['exchange_id']), exchangeCode: text(f['exchange_code']) ?? '', type: text(f['type']) ?? '', state: text(f['state']),
    active: (f['active'] ?? null) as boolean | null, isInverse: f['is_inverse'] === true, isQuanto: f['is_quanto'] === true,
    contractValue: decimal(f['contract_value']), multiplier: decimal(f['multiplier']), strikePrice: decimal(f['strike_price']),
    start: text(f['start']), expiry: text(f['expiry']), tickSize: decimal(f['ticksize']),
    tickBands: table.map((e) => ({ floor: decimal(e['p']) ?? '0', tickSize: decimal(e['t']) ?? '0' })),
    significantDigits: integer(f['significant_digits']), maxDecimals: integer(f['max_decimals']), lotSize: decimal(f['lot_size']),
    minOrder: decimal(f['min_order']), maxOrder: decimal(f['max_order']), minValue: decimal(f['min_value']), fundingIntervalSeconds: integer(f['funding_interval']),
    baseUnderlyingId: integer(f['base_underlying_id']), counterUnderlyingId: integer(f['counter_underlying_id']),
    valuationUnderlyingId: integer(f['valuation_underlying_id']), feeUnderlyingId: integer(f['fee_underlying_id']),
  }
}

function underlyingOf(f: Fields): Underlying {
  return { id: Number(f['id']), code: text(f['code']) ?? '', name: text(f['name']), type: text(f['type']), fxRate: decimal(f['fx_rate']), fxTime: text(f['ts_fx']) }
}

const STREAMS = [0, 0, 1, -1, -1, -1, 2, 3, 4, 5, -1, -1, -1, -1, -1, -1, -1, 6]

function markGaps(batch: EventBatch, last: Map<number, string>, clock: { max: number }): void {
  for (let i = 0; i < batch.count; i++) {
    const kind = batch.kind[i] ?? 0
    const time = batch.adapterTimeNs[i] ?? 0
    if (time < clock.max) batch.flags[i] = (batch.flags[i] ?? 0) | EVENT_FLAGS.CLOCK_STEPPED_BACK
    else clock.max = time
    const stream = STREAMS[kind] ?? -1
    if (stream < 0) continue
    const key = (c: EventBatch['eventId']): string => `${String(c.form[i])}:${c.form[i] === 2 ? c.texts[c.low[i] ?? 0] ?? '' : `${String(c.high[i])}:${String(c.low[i])}`}`
    const previous = key(batch.previousEventId)
    const known = last.get(stream)
    if (kind !== 0 && previous !== '1:0:0' && known !== undefined && previous !== known) batch.flags[i] = (batch.flags[i] ?? 0) | EVENT_FLAGS.CHAIN_GAP
    last.set(stream, key(batch.eventId))
  }
}

/**
 * Opens a tick file: master data at once, events as batches of columns.
 */
export async function readTickFile(source: TickSource, options: ReadOptions = {}): Promise<Reading> {
  const sizes = { compressed: 0, text: 0 }
  const lines = linesOf(source, sizes)
  const first = await lines.next()
  if (first.done === true) throw new BacktapeError('MASTER_DATA_MALFORMED', `Cannot read ${source.name}: it holds no line`, { file: source.name, line: 1 })
  const master = JSON.parse(first.value.replace(/([[,:]\s*)(-?\d[\d.eE+-]*)(?=\s*[,\]}])/g, '$1"$2"')) as { instrument: Fields; underlyings?: Fields[] }
  const instrument = instrumentOf(master.instrument)
  const day = options.day === undefined ? epochDayFromFileName(source.fileName) : epochDayFromText(options.day)
  const state = { eventCount: 0, lineCount: 1, unknownTypes: new Map<number, number>() }
  const summary: ReadingSummary = {
    get eventCount() { return state.eventCount }, get lineCount() { return state.lineCount },
    get compressedBytes() { return sizes.compressed }, get textBytes() { return sizes.text },
    unknownTypes: state.unknownTypes, damagedLineCount: 0, damages: [],
  }
  async function* batches(): AsyncGenerator<EventBatch> {
    const last = new Map<number, string>()
    const clock = { max: -Infinity }
    let scales: [number, number] = [decimalScale(instrument.tickSize ?? '1') ?? 0, decimalScale(instrument.lotSize ?? '1') ?? 0]
    let batch: InterimBatch | null = null
    const finish = (full: InterimBatch): EventBatch => {
      const made = full.batch()
      markGaps(made, last, clock)
      state.eventCount += made.count
      return made
    }
    for await (const line of lines) {
      if (line.trim() === '') continue
      state.lineCount++
      const event = parseEvent(line)
      const type = event[0] as number
      if (eventKindFromCode(type) === undefined) {
        state.unknownTypes.set(type, (state.unknownTypes.get(type) ?? 0) + 1)
        continue
      }
      const needed = scalesOf(event)
      if (batch !== null && (batch.count === 16_384 || needed[0] > scales[0] || needed[1] > scales[1])) {
        yield finish(batch)
        batch = null
      }
      scales = [Math.max(scales[0], needed[0]), Math.max(scales[1], needed[1])]
      batch ??= new InterimBatch(instrument, day ?? Number(BigInt(event[type === 5 ? 2 : 4] as string) / 86_400_000_000_000n), state.eventCount, ...scales)
      batch.add(event)
    }
    if (batch !== null) yield finish(batch)
  }
  return {
    name: source.name, fileName: source.fileName, instrument, underlyings: (master.underlyings ?? []).map(underlyingOf),
    masterDataText: first.value, day, summary, batches,
    close: async () => { await lines.return(undefined) },
  }
}
