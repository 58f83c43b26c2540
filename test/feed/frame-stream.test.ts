import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FEED_ENCODINGS } from '../../src/feed/feed-encodings.js'
import { FrameStream } from '../../src/feed/frame-stream.js'
import { MessageBytes, LineMessageDecoder } from '../../src/tickfile/lines/line-messages.js'
import { FEED_DAY, FEED_INSTRUMENTS, FEED_LINES } from '../support/made-feed.ts'

const [instrument] = FEED_INSTRUMENTS
const state = { instrumentId: 1210, time: 5n, state: 'ERROR', text: 'why' } as const

function update(rows: number): string {
  const levels = Array.from({ length: rows }, (_, row) => `[${row % 2},"1.${String(1000 + (row % 9000))}","${row + 1}",1]`)
  return `[1,1210,"7","${rows}",1782345115505070406,0,[${levels.join(',')}]]`
}

/** A frame as RFC 6455 has it. */
function frame(first: number, payload: Uint8Array): Buffer {
  const { length } = payload
  const head = length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : [127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((shift) => (length >> shift) & 255)]
  return Buffer.concat([Buffer.from([first, ...head]), payload])
}

test.each(FEED_ENCODINGS)('$encoding: a stream has the frames of single messages, and leaves lent blocks alone', ({ createEncoder, isBinary }) => {
  const line = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 12 }).map(update) }, { weight: 2, arbitrary: fc.integer({ min: 0, max: 3000 }).map(update) },
    { weight: 1, arbitrary: fc.constant(update(16_000)) }, { weight: 5, arbitrary: fc.constantFrom(...Object.values(FEED_LINES)) }, { weight: 2, arbitrary: fc.constant('') },
  )
  fc.assert(fc.property(fc.array(line, { maxLength: 150 }), fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (lines, lends) => {
    const decoder = new LineMessageDecoder({ instrument: instrument!, priceScale: 4, quantityScale: 3 }, FEED_DAY)
    const bytes = new MessageBytes()
    const single = createEncoder()
    const wanted: Buffer[] = []
    const blocks: { readonly lent: Uint8Array; readonly copy: Buffer }[] = []
    let from = 0
    let turns = 0
    const turn = (): void => {
      const lent = stream.bytes.subarray(from, stream.to)
      blocks.push({ lent: lends[turns++ % lends.length] === true ? lent : lent.slice(), copy: Buffer.from(lent) })
      if (blocks.at(-1)!.lent === lent) stream.lend()
      from = -1
    }
    const stream: FrameStream = new FrameStream(createEncoder(), isBinary, turn)
    for (const [number, text] of lines.entries()) {
      single.sink.count = 0
      if (text === '') {
        stream.state(state)
        single.state(state)
      } else {
        const end = bytes.put(new TextEncoder().encode(text))
        const index = decoder.decode(bytes.bytes, 0, end, number)
        expect(stream.line(decoder.events.batch, index)).toBe(single.line(decoder.events.batch, index))
      }
      wanted.push(frame(isBinary ? 0x82 : 0x81, single.sink.bytes.subarray(0, single.sink.count)))
      // The first frame of a block begins behind the room for its header.
      if (from < 0 || number === 0) from = stream.from
    }
    if (lines.length > 0) turn()
    for (const { lent, copy } of blocks) expect(copy.equals(lent)).toBe(true)
    expect(Buffer.concat(blocks.map(({ copy }) => copy)).equals(Buffer.concat(wanted))).toBe(true)
  }), { numRuns: 60 })
})
