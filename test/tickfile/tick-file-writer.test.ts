import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decompress } from 'fzstd'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { sliceBatch } from '../../src/model/event-batch-columns.js'
import { TickLineBytes } from '../../src/tickfile/lines/tick-line-bytes.js'
import { plainDouble } from '../../src/tickfile/lines/line-encoder.js'
import { isSkippedMember, openSources } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { createTickFile, type TickFileWriterOptions } from '../../src/tickfile/tick-file-writer.js'
import type { TickSource } from '../../src/tickfile/archive/tick-source.js'
import { refusalOf } from '../support/collected.js'
import { repeated } from '../support/repetitions.ts'
import { bundleFiles, dayFiles, hasSharedData, sharedData } from '../support/shared-data.js'
import { linesOfBatch, masterLine, textOf, tickReading } from '../support/tick-lines.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-writer-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})
const out = join(folder, '7_2025-01-03.txt.zst')

async function rewritten(source: TickSource, options: TickFileWriterOptions = {}, step = Infinity): Promise<Uint8Array> {
  const reading = await readTickFile(source)
  const writer = await createTickFile(out, reading.masterDataText, { force: true, ...options })
  for await (const batch of reading.batches()) {
    for (let from = 0; from < batch.count; from += step) await writer.write(sliceBatch(batch, from, Math.min(batch.count, from + step)))
  }
  await writer.close()
  return readFileSync(out)
}

describe.skipIf(!hasSharedData)('write of read is the identity', () => {
  // By day a small one of each market: these have every kind of line.
  test.each([...repeated(dayFiles, (path) => /spot.*08-08|2023-04-04/.test(path)), ...repeated(bundleFiles, (path) => path.includes('deribit'))])('%s', async (path) => {
    for await (const source of openSources(path)) {
      if (isSkippedMember(source)) throw new Error(source.name)
      expect(new TextDecoder().decode(decompress(await rewritten(source))) === (await textOf(source))).toBe(true)
    }
  })

  test('the bytes depend on the text alone, not on the batches it came in', async () => {
    for await (const source of openSources(sharedData('days/binance_spot-ETHUSDT-2024-08-08.txt.zst'))) {
      if (isSkippedMember(source)) throw new Error(source.name)
      const one = await rewritten(source, { frameBytes: 100_000 })
      expect(Buffer.compare(one, await rewritten(source, { frameBytes: 100_000 }, 777))).toBe(0)
      expect(one.length).toBeGreaterThan((await rewritten(source)).length)
    }
  })
})

describe('a line comes back as it was', () => {
  const lines = [
    '[0,7,"0","8328425028614922983",1782345115505070405,1782345115504140603,[[0,"1.0715","730000",1],[1,"1.0719","205100",1]],false]',
    '[0,7,"0","9223372036854775807",1782345115505070405,0,[],true]',
    '[0,7,"0","18446744073709551615",1782345115505070405,0,[]]',
    '[1,7,"8328425028614922983","0e3a-hash",1782345115843612834,1782345115843000000,[[0,"1.0698","1039100",1],[1,"1.0719","0",1]]]',
    '[1,7,"0e3a-hash","007",1782345115843612834,1782345115843000000,[[1,"0.0000000001","9007199254740.991",1]]]',
    '[2,7,"1","2",1782345122476611101,1782345122476000000,[[0,"1.0719","19200","00000000-006d-1000-0000-0033b50c7876",1782345122476000000],[1,"1","2","",0],[1,"1","2",null,1782345122476000001]]]',
    '[2,7,"1","2",1782345122476611101,1782345122476000000,[[0,"1.0719","19200","quote \\" backslash \\\\ line \\n tab \\t bell \\u0007 é 漢",1782345122476000000]]]',
    '[5,7,1782345115505070404,"READY","ready after failover"]',
    '[5,7,1782345115505070404,"ERROR","\\"lost\\""]',
    '[6,7,"0","7441981275789",1782345115505070404,1782345115505070000,[[1,"96806.6","14.799",1],[0,"96806.5","4.703",1]]]',
    '[6,7,"0","7441981275789",1782345115505070404,0,[]]',
    '[7,7,"0","7349456101763923293",1782345115505070407,1782345115500000003,"1.07258",null,null,null,null,null,null,null]',
    '[7,7,"1161823613938688246","4380261518099630876",1782431454751616000,1782431454735000000,"0.0070174072573915","0.3288191987","0.0070104172","0.3430565826","-7.0212090894","0.5437670545","0.5444425048","0.5664151171"]',
    '[7,7,"0","1",1782345115505070407,0,"-1.5"]',
    '[8,7,"0","8050104725181629121",1782345115505070406,1782345115493190275,"1.07252"]',
    '[9,7,"0","3613991425845795139",1782345115505070408,1782345115500253321,["0.0001",1782360000000000000,"0.000011"]]',
    '[9,7,"0","681352840083568157",1782345115505070408,1782345115500253321,["-0.00000757",1782360000000000000]]',
    '[9,7,"0","1",1782345115505070408,1782345115500253321,["0",0]]',
    '[17,7,"0","4369112899956650000",1782864902273483642,1782864902271000000,[[1,"74.09","5.8",1782864902101000000],[0,"74","5",0]]]',
  ]

  test.each(lines)('%s', async (line) => {
    const reading = await tickReading('x.txt.zst', [masterLine(), line])
    const found: string[] = []
    for await (const batch of reading.batches()) found.push(...linesOfBatch(batch))
    expect(found).toEqual([line])
  })

  test('all together, in order, whatever is cut where', async () => {
    // A line among earlier ones would be one of a clock jump.
    const recorded = lines.toSorted((a, b) => Number(/17\d{17}/.exec(a)?.[0]) - Number(/17\d{17}/.exec(b)?.[0]))
    const reading = await tickReading('x.txt.zst', [masterLine(), ...recorded])
    const found: string[] = []
    for await (const batch of reading.batches()) for (let i = 0; i < batch.count; i++) found.push(...linesOfBatch(sliceBatch(batch, i, i + 1)))
    expect(found).toEqual(recorded)
  })

  test.each([
    ['1.0E-4', '0.0001'],
    ['0.00010', '0.0001'],
    ['12E3', '12000'],
    ['1.50', '1.5'],
    ['0.0', '0'],
  ])('the decimal %s comes out as %s', async (from, to) => {
    const line = (price: string): string => `[8,7,"0","1",1782345115505070406,0,"${price}"]`
    const reading = await tickReading('x.txt.zst', [masterLine(), line(from)])
    for await (const batch of reading.batches()) expect(linesOfBatch(batch)).toEqual([line(to)])
  })
})

describe('numbers as bytes', () => {
  const written = (put: (sink: TickLineBytes) => void): string => {
    const sink = new TickLineBytes()
    put(sink)
    return new TextDecoder().decode(sink.slice())
  }

  test('64-bit integers equal BigInt', () => {
    const check = (value: bigint): void => {
      expect(written((sink) => {
        sink.integer64(Number(value >> 32n), Number(value & 0xffffffffn))
      })).toBe(String(value))
    }
    for (const value of [0n, 1n, 9_999n, 10_000n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 10n ** 19n, 2n ** 64n - 1n]) check(value)
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), check))
  })

  test('times equal BigInt, before 1970 too', () => {
    fc.assert(
      fc.property(fc.integer({ min: -800_000, max: 800_000 }), fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }), (day, timeNs) => {
        const text = written((sink) => {
          sink.setDay(day)
          sink.time(timeNs)
        })
        expect(text).toBe(String(BigInt(day) * 86_400_000_000_000n + BigInt(timeNs)))
      }),
    )
  })

  test('decimals are plain, shortest and equal in value', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }), fc.integer({ min: 0, max: 30 }), (integer, scale) => {
        const text = written((sink) => {
          sink.scaled(integer, scale)
        })
        expect(text).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/)
        const [whole = '', fraction = ''] = text.split('.')
        expect(BigInt(whole + fraction.padEnd(scale, '0'))).toBe(BigInt(integer))
      }),
    )
  })

  test('doubles are plain and read back the same', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = plainDouble(value)
        expect(text).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(text)).toBe(value === 0 ? 0 : value)
      }),
    )
  })
})

describe('a tick file', () => {
  test('has a content checksum that a decoder verifies, in every frame', async () => {
    const writer = await createTickFile(out, masterLine(), { force: true, frameBytes: 64 })
    await writer.writeText(new TextEncoder().encode('[8,7,"0","1",1782345115505070406,0,"1.5"]\n'.repeat(5)))
    await writer.close()
    const bytes = readFileSync(out)
    const frames = bytes.toString('hex').split('28b52ffd').slice(1)
    expect(frames.length).toBeGreaterThan(2)
    for (const frame of frames) expect(Number.parseInt(frame.slice(0, 2), 16) & 4).toBe(4)
    const reading = await readTickFile({ name: 'x', fileName: 'x', sizeBytes: null, repeatable: false, open: async function* () { yield await Promise.resolve(new Uint8Array(bytes)) } })
    let count = 0
    for await (const batch of reading.batches()) count += batch.count
    expect(count).toBe(5)
  })

  test('is refused where it exists, and leaves nothing when aborted', async () => {
    const before = readdirSync(folder)
    expect((await refusalOf(() => createTickFile(out, masterLine()))).code).toBe('OUTPUT_EXISTS')
    const writer = await createTickFile(join(folder, 'other.txt.zst'), masterLine())
    await writer.abort()
    expect(readdirSync(folder)).toEqual(before)
  })

  test.each([
    { level: 0 },
    { level: 20 },
    { level: 1.5 },
    { frameBytes: 0 },
    { frameBytes: 2 ** 30 },
  ])('is refused with %j', async (options) => {
    expect(await refusalOf(() => createTickFile(join(folder, 'x.txt.zst'), masterLine(), options))).toMatchObject({ code: 'OPTION_INVALID' })
  })
})
