import { describe, expect, test } from 'vitest'
import { BacktapeError } from '../../src/model/error.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { createFrameCompressor } from '../../src/files/zstd-compressor.js'
import { plainFromLine } from '../support/naive-tick-line.js'
import { isNight, repeated } from '../support/repetitions.ts'
import { MASTER, readBack, storedZstd, textSource } from '../support/tick-text.js'
import type { TickSource } from '../../src/tickfile/archive/tick-source.js'

const T = '1782345115843612834'
const line = (id: number): string => `[1,1210,"0","${String(id)}",${T},0,[[0,"1.0698","100",1]]]`
const codeOf = (error: unknown): unknown => (error as BacktapeError | null)?.code ?? null
const lineOf = (error: unknown): unknown => (error as BacktapeError | null)?.place.line

/** Neither blank nor of an unknown type. */
const isEvent = (text: string): boolean => text.trim() !== '' && /^\[(?:[0125-9]|17),/.test(text.replaceAll(' ', ''))

describe('hostile text', () => {
  test.each([
    ['nothing', '', 'MASTER_DATA_MALFORMED'],
    ['blank lines alone', '\n \n\r\n', 'MASTER_DATA_MALFORMED'],
    ['no header', line(1), 'MASTER_DATA_MALFORMED'],
    ['a header cut off', MASTER.slice(0, 50), 'MASTER_DATA_MALFORMED'],
    ['header only', MASTER, null],
    ['header and line end', `${MASTER}\n`, null],
    ['two headers', `${MASTER}\n${MASTER}\n${line(1)}`, 'LINE_MALFORMED'],
    ['NUL bytes', `${MASTER}\n${'\0'.repeat(1000)}`, 'LINE_MALFORMED'],
    ['deep nesting', `${MASTER}\n[99,${'['.repeat(1_000_000)}`, 'LINE_MALFORMED'],
    ['a line of 17 MB', `${MASTER}\n${line(1)}\n${'1'.repeat(17_000_000)}\n${line(2)}`, 'LINE_TOO_LONG'],
    ['a header of 17 MB', `{"a":"${'x'.repeat(17_000_000)}"}\n`, 'LINE_TOO_LONG'],
  ])('%s', async (_, text, code) => {
    for (const lines of ['wasm', 'javascript'] as const) {
      const { error, events } = await readBack(textSource(text), { lines })
      expect(codeOf(error)).toBe(code)
      expect(events).toHaveLength(code === 'LINE_TOO_LONG' && text.startsWith(MASTER) ? 1 : 0)
    }
  })

  test('a line of 100 MB costs no more memory than the limit', async () => {
    async function* open(): AsyncGenerator<Uint8Array> {
      const head = new TextEncoder().encode(`${MASTER}\n${line(1)}\n`)
      yield storedZstd(head)
      const part = storedZstd(new Uint8Array(1 << 20).fill(49))
      for (let i = 0; i < 100; i++) yield part.slice()
      yield storedZstd(new TextEncoder().encode(`\n${line(2)}\n`))
      await Promise.resolve()
    }
    const source: TickSource = { name: 'long', fileName: 'long', sizeBytes: null, repeatable: true, open }
    const stopped = await readBack(source)
    expect([codeOf(stopped.error), lineOf(stopped.error), stopped.events.length]).toEqual(['LINE_TOO_LONG', 3, 1])
    const before = process.resourceUsage().maxRSS
    const counted = await readBack(source, { onDamage: 'count' })
    expect([counted.error, counted.events.length, counted.reading?.summary.damages[0]?.place.line]).toEqual([null, 2, 3])
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(120_000)
  })

  test('a line that lies across many slots is whole', async () => {
    const rows = Array.from({ length: 150_000 }, (_, i) => `[${String(i % 2)},"${String(i / 10)}","100",1]`).join(',')
    const long = `[0,1210,"0","5",${T},0,[${rows}],true]`
    const { events, error } = await readBack(textSource(`${MASTER}\n${line(1)}\n${long}\n${line(2)}`))
    expect(error).toBeNull()
    // As text: an equality of 600,000 values asks of each of them.
    expect(JSON.stringify(events) === JSON.stringify([line(1), long, line(2)].map(plainFromLine))).toBe(true)
  })
})

test('every prefix of the compressed form: the events so far, exact, then ZSTD_TRUNCATED', { timeout: 180_000 }, async () => {
  const compress = await createFrameCompressor(3)
  const texts = Array.from({ length: 12 }, (_, i) => line(i * 7919))
  const frames = [`${MASTER}\n`, ...texts.map((text) => `${text}\n`)].map((text) => compress(new TextEncoder().encode(text)))
  const whole = Buffer.concat(frames)
  const ends = frames.map((_, i) => frames.slice(0, i + 1).reduce((sum, bytes) => sum + bytes.length, 0))
  // By day every third, and all near the ends of frames.
  for (const cut of repeated(Array.from(whole.keys()), (one) => one % 3 === 0 || one < 8 || ends.some((end) => Math.abs(end - one) < 4))) {
    const framesBefore = ends.filter((end) => end <= cut).length
    const isBetweenFrames = ends.includes(cut)
    const source: TickSource = { ...textSource(''), open: async function* () { yield await Promise.resolve(new Uint8Array(whole.subarray(0, cut))) } }
    const { error, events } = await readBack(source)
    const code = cut === 0 ? 'NOT_ZSTD' : isBetweenFrames ? null : 'ZSTD_TRUNCATED'
    expect([cut, codeOf(error)]).toEqual([cut, cut > 0 && cut < 4 ? codeOf(error) : code])
    expect(error === null).toBe(isBetweenFrames)
    // The text of a whole block is read before its frame has ended.
    expect(events.length - Math.max(0, framesBefore - 1)).toBeOneOf([0, 1])
    expect(events).toEqual(texts.slice(0, events.length).map(plainFromLine))
  }
})

const withoutTimes = (events: readonly unknown[][]): unknown[] => events.map((event) => [
  ...event.slice(0, 3), ...event.slice(5, 6).map((rows) => (rows as unknown[][]).map((row) => row.slice(0, 4))), ...event.slice(6),
])

test('one-byte changes: read as the text then says, or an error with the right line', { timeout: 180_000 }, async () => {
  const text = [MASTER, line(1), `[2,1210,"6","7",${T},0,[[0,"1","100","id-1",${T}]]]`, `[6,1210,"6","7",${T},${T},[[0,"1.07","100",1],[1,"1.0719","200",1]]]`].join('\n')
  const start = MASTER.length + 1
  for (let at = start; at < text.length; at++) {
    for (const k of [0, 3, 7]) {
      const byte = '07",[].e -\n'.charAt((at + k) % 11)
      if (text[at] === byte) continue
      const changed = text.slice(0, at) + byte + text.slice(at + 1)
      const { events, error, reading } = await readBack(textSource(changed), { lines: at % 2 === 0 ? 'wasm' : 'javascript' })
      const lines = changed.split('\n').slice(1)
      const plain = (some: string[]): unknown[][] => some.filter(isEvent).map(plainFromLine)
      // Times of another year are missing, and lines of a clock jump have the time of the line before.
      const { jumpedLineCount = 0, farTimeCount = 0 } = reading?.summary ?? {}
      if (jumpedLineCount + farTimeCount > 0) expect(withoutTimes(events)).toEqual(withoutTimes(plain(lines)))
      else if (error === null) expect(events).toEqual(plain(lines))
      else {
        const number = (lineOf(error) as number) - 2
        const hit = text.slice(0, at).split('\n').length - 2
        expect(number).toBeGreaterThanOrEqual(hit)
        expect(number).toBeLessThanOrEqual(hit + 1)
        expect(events).toEqual(plain(lines.slice(0, number)))
      }
    }
  }
})

describe('a reading', () => {
  test('tells master data, day and sums', async () => {
    const { reading } = await readBack(textSource(`${MASTER}\r\n${line(1)}\n`))
    expect([reading?.instrument.code, reading?.day, reading?.masterDataText]).toEqual(['XRPUSDT', 20_629, MASTER])
    const { eventCount, lineCount, textBytes, compressedBytes } = reading?.summary ?? {}
    const size = MASTER.length + line(1).length + 3
    expect([eventCount, lineCount, textBytes, compressedBytes]).toEqual([1, 2, size, size + 16])
  })

  test('takes the day from the option, refuses what is none', async () => {
    expect((await readBack(textSource(`${MASTER}\n`), { day: '2026-06-24' })).reading?.day).toBe(20_628)
    const { error } = await readBack(textSource(`${MASTER}\n`), { day: '2026-02-30' })
    expect(codeOf(error)).toBe('OPTION_INVALID')
  })

  test('gives its batches once', async () => {
    const reading = await readTickFile(textSource(`${MASTER}\n`))
    reading.batches()
    expect(() => reading.batches()).toThrow(BacktapeError)
    expect(() => reading.batches()).toThrow('once')
    await reading.close()
  })

  test.each([
    [{ zstd: 'nativ' as 'native' }, 'zstd must be one of auto, native, wasm, fzstd, found "nativ"'],
    [{ lines: 'js' as 'javascript' }, 'lines must be one of'],
    [{ onDamage: 'ignore' as 'count' }, 'onDamage must be one of stop, count'],
    [{ onDamage: null as unknown as 'count' }, 'found null'],
    [{ lineLimitBytes: 0 }, 'lineLimitBytes must be a whole number'],
    [{ lineLimitBytes: NaN }, 'found NaN'],
    [{ windowLimitBytes: 1.5 }, 'windowLimitBytes must be a whole number'],
    [{ windowLimitBytes: '8' as unknown as number }, 'found "8"'],
  ])('refuses the option %j', async (options, words) => {
    const problem: unknown = await readTickFile(textSource(`${MASTER}\n`), options).catch((error: unknown) => error)
    expect(problem).toMatchObject({ code: 'OPTION_INVALID' })
    expect(String(problem)).toContain(words)
  })

  test('is stopped by its signal', async () => {
    const controller = new AbortController()
    const reading = await readTickFile(textSource(`${MASTER}\n${`${line(1)}\n`.repeat(200_000)}`), { signal: controller.signal })
    let count = 0
    const reads = async (): Promise<void> => {
      for await (const batch of reading.batches()) {
        count += batch.count
        controller.abort()
      }
    }
    await expect(reads()).rejects.toMatchObject({ code: 'STOPPED' })
    expect(count).toBeLessThan(200_000)
    await expect(readTickFile(textSource(MASTER), { signal: controller.signal })).rejects.toMatchObject({ code: 'STOPPED' })
  })

  test('closes its source when left early, failed, closed or never begun', async () => {
    const text = `${MASTER}\n${`${line(1)}\n`.repeat(50_000)}`
    let open = 0
    const base = textSource(text)
    const counted = (content: string): TickSource => ({
      ...base,
      async *open() {
        open++
        try {
          const packed = storedZstd(new TextEncoder().encode(content))
          for (let at = 0; at < packed.length; at += 10_000) yield packed.slice(at, at + 10_000)
          await Promise.resolve()
        } finally {
          open--
        }
      },
    })
    const left = await readTickFile(counted(text))
    for await (const batch of left.batches()) if (batch.count > 0) break
    expect(open).toBe(0)
    expect(codeOf((await readBack(counted(`${text}x`))).error)).toBe('LINE_MALFORMED')
    expect(open).toBe(0)
    expect(codeOf((await readBack(counted(line(1).repeat(10_000)))).error)).not.toBeNull()
    expect(open).toBe(0)
    const unread = await readTickFile(counted(text))
    await unread.close()
    await unread.close()
    expect(open).toBe(0)
  })

  test('delivers what was whole before a damaged frame', async () => {
    const good = storedZstd(new TextEncoder().encode(`${MASTER}\n${line(1)}\n${line(2)}\n[1,12`))
    const source: TickSource = { ...textSource(''), async *open() {
      yield good
      yield Uint8Array.of(1, 2, 3, 4)
      await Promise.resolve()
    } }
    const { events, error } = await readBack(source)
    expect(events).toHaveLength(2)
    expect(String(codeOf(error))).toMatch(/^(NOT_)?ZSTD/)
  })

  test('of many small files is cheap', { timeout: 180_000 }, async () => {
    const source = textSource(`${MASTER}\n${line(1)}\n`)
    for (let i = 0; i < (isNight ? 1000 : 300); i++) expect((await readBack(source)).events).toHaveLength(1)
  })
})
