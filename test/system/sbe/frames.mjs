// Frames of days for the codecs of sbe-tool, and beside them the exact values that our reader has: frames.mjs OUT FILE...
// Writes NAME.frames (a big-endian length before each frame) and NAME.expected for each file, and `made` for what no day has: extremes and
// the messages that are no events.
import { closeSync, openSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { idTextAt, openSource, readTickFile, textAt, textFromScaled } from '../../../dist/columns.js'
import { createFrameCompressor } from '../../../dist/files/zstd-compressor.js'
import { createSbeEncoder, createSbeRequests } from '../../../dist/protocol/feed-sbe-codec.js'

const [out, ...files] = process.argv.slice(2)
const hex = (text) => Buffer.from(text).toString('hex')
const NS_PER_DAY = 86_400_000_000_000n

const timeText = (timeNs, epochDay) => Number.isNaN(timeNs) ? '0' : String(BigInt(timeNs) + BigInt(epochDay) * NS_PER_DAY)

function bits(value) {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return view.getBigUint64(0).toString(16)
}

const stated = (text) => text === null ? 'null' : `<${hex(text)}>`

function rowsOf(batch, i, kind) {
  const parts = []
  let timed = batch.tradeRowStart[i]
  for (let row = batch.rowStart[i]; row < batch.rowStart[i + 1]; row++) {
    const part = [batch.side[row], textFromScaled(batch.price[row], batch.priceScale), textFromScaled(batch.quantity[row], batch.quantityScale)]
    if (kind === 2) part.push(stated(textAt(batch.tradeId, timed)))
    if (kind === 2 || kind === 17) part.push(timeText(batch.rowTimeNs[timed++], batch.epochDay))
    parts.push(` [${part.join(' ')}]`)
  }
  return parts.join('')
}

function valuesOf(batch, i, kind) {
  const parts = []
  for (let at = batch.valueStart[i]; at < batch.valueStart[i + 1]; at++) {
    const [value, scale] = [batch.values[at], batch.valueScale[at]]
    if (kind === 9 && at === batch.valueStart[i] + 1) parts.push(timeText(scale === 255 ? NaN : value, batch.epochDay))
    else if (scale === 255) parts.push('null')
    else parts.push(scale === 254 ? bits(value) : textFromScaled(value, scale))
  }
  return parts.map((part) => ` ${part}`).join('')
}

/** An event in words, of the columns alone. */
function wordsOf(batch, i) {
  const kind = batch.kind[i]
  const { epochDay, instrument } = batch
  const adapter = timeText(batch.adapterTimeNs[i], epochDay)
  if (kind === 5) {
    const first = batch.textStart[i]
    return `5 ${instrument.id} ${adapter} ${hex(textAt(batch.text, first))} ${stated(textAt(batch.text, first + 1))}`
  }
  const flags = batch.flags[i]
  const force = kind !== 0 ? '' : ` force ${(flags & 2) === 0 ? '-' : flags & 1}`
  const ids = ` previous ${hex(idTextAt(batch.previousEventId, i))} event ${hex(idTextAt(batch.eventId, i))}`
  return `${kind} ${instrument.id} ${adapter} ${timeText(batch.exchangeTimeNs[i], epochDay)}${force}${rowsOf(batch, i, kind)}${valuesOf(batch, i, kind)}${ids}`
}

/** A pair of files being written. */
class Pair {
  constructor(name) {
    this.frames = openSync(join(out, `${name}.frames`), 'w')
    this.words = openSync(join(out, `${name}.expected`), 'w')
    this.parts = []
    this.lines = []
    this.size = 0
  }

  add(frame, words) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(frame.length)
    this.parts.push(length, Buffer.from(frame))
    this.lines.push(`${words}\n`)
    this.size += frame.length
    if (this.size > 1 << 22) this.flush()
  }

  flush() {
    writeSync(this.frames, Buffer.concat(this.parts))
    writeSync(this.words, this.lines.join(''))
    this.parts = []
    this.lines = []
    this.size = 0
  }

  close() {
    this.flush()
    closeSync(this.frames)
    closeSync(this.words)
  }
}

const encoder = createSbeEncoder()

function taken() {
  const frame = encoder.sink.bytes.slice(0, encoder.sink.count)
  encoder.sink.count = 0
  return frame
}

async function addDay(pair, source) {
  const reading = await readTickFile(source)
  for await (const batch of reading.batches()) {
    for (let i = 0; i < batch.count; i++) {
      if (!encoder.line(batch, i)) throw new Error(`${source.name}: event ${i} of kind ${batch.kind[i]} does not fit`)
      pair.add(taken(), wordsOf(batch, i))
    }
  }
}

const MADE_LINES = [
  '[0,9007199254740991,"0","18446744073709551614",1782345115505070405,0,[[0,"-1.0715","9007199254740.991",1],[1,"0","0",1],[1,"900719925474.0991","1e3",1]],true]',
  '[0,9007199254740991,"18446744073709551615","18446744073709551615",1782345115505070405,1782345115505070406,[],false]',
  '[1,9007199254740991,"","0042",1782345115505070405,1782345115505070405,[[0,"1","2",1]]]',
  '[2,9007199254740991,"préc\\u00e9dent \\ud83d\\ude00","hash/ab+c=",1782345115505070405,1782345115505070405,[[0,"1","2",null,0],[1,"1","2","",1782345115505070401],[1,"1","2","0",1782345115505070402],[1,"1","2","18446744073709551614",1782345115505070403],[1,"1","2","18446744073709551615",1782345115505070404],[0,"1","2","00000000-006d-1000-0000-0033b50c7876",1782345115505070405],[0,"1","2","007",1782345115505070406]]]',
  '[5,9007199254740991,1782345115505070404,"ERROR",null]', '[5,9007199254740991,1782345115505070404,"READY",""]', '[5,9007199254740991,1782345115505070404,"READY","déjà vu"]',
  '[6,9007199254740991,"0","1",1782345115505070404,0,[]]', '[6,9007199254740991,"0","1",1782345115505070404,0,[[1,"1","1",1],[0,"2","1",1]]]',
  '[7,9007199254740991,"0","1",1782345115505070404,0,"1e-30"]', '[7,9007199254740991,"0","1",1782345115505070404,0,"1",null,null]',
  '[7,9007199254740991,"0","1",1782345115505070404,0,"1","0.1","-0","5e-324","1.7976931348623157e308",null,"1e-7","123456789.123456789"]',
  '[8,9007199254740991,"0","1",1782345115505070404,0,"-0.000000000000000000000000000001"]', '[9,9007199254740991,"0","1",1782345115505070404,0,["0.0001",0]]',
  '[9,9007199254740991,"0","1",1782345115505070404,0,["-0.0001",1782345115505070405,null]]', '[9,9007199254740991,"0","1",1782345115505070404,0,["0",1782345115505070405,"9007199254740991"]]',
  '[17,9007199254740991,"0","1",1782345115505070404,0,[[1,"74.09","5.8",1782864902101000000],[0,"1","1",0]]]', '[17,9007199254740991,"0","1",1782345115505070404,0,[]]',
]

async function madeSource() {
  const master = { instrument: { id: 9007199254740991, code: 'MADE', exchange_code: 'test', type: 'perpetual', ticksize: 0.1, lot_size: '0.001', is_inverse: false, is_quanto: false }, underlyings: [] }
  const lines = [JSON.stringify(master), ...MADE_LINES].map((line) => `${line}\n`).join('')
  const bytes = (await createFrameCompressor(1))(new TextEncoder().encode(lines))
  return { name: 'made', fileName: 'made', sizeBytes: bytes.length, repeatable: true, async *open() { yield bytes.slice() } }
}

function addOthers(pair) {
  const { encoder: requests } = createSbeRequests()
  const login = { organization: 'Örg', applicationName: '', applicationVersion: '1.0', processId: 'p-1' }
  pair.add(requests.encode({ kind: 'login', login }), `13 ${Object.values(login).map(hex).join(' ')}`)
  pair.add(requests.encode({ kind: 'unsubscribe', instrumentId: 67824 }), '12 67824')
  const topics = { depth: true, trades: false, liquidations: true }
  pair.add(requests.encode({ kind: 'subscribe', subscribe: { instrumentId: 67824, topics, topOfBookCoalescing: true } }), '11 67824 1 0 - - - - 1 1')
  pair.add(requests.encode({ kind: 'subscribe', subscribe: { instrumentId: 1, topics: {}, topOfBookCoalescing: false } }), '11 1 - - - - - - - 0')
  const capabilities = { depthTopic: { eventIdType: 'sequence' }, liquidationsTopic: null }
  encoder.loginResponse({ processId: 'server', protocolVersion: '6', serverTime: 18446744073709551614n, capabilities })
  pair.add(taken(), `14 18446744073709551614 ${hex('server')} ${hex('6')} ${hex(JSON.stringify(capabilities))}`)
  encoder.state({ instrumentId: 67824, time: 1782345115505070404n, state: 'ERROR', text: 'instrument not permitted for this api key' })
  pair.add(taken(), `5 67824 1782345115505070404 ${hex('ERROR')} ${stated('instrument not permitted for this api key')}`)
}

const made = new Pair('made')
await addDay(made, await madeSource())
addOthers(made)
made.close()
for (const file of files) {
  const pair = new Pair(basename(file))
  await addDay(pair, await openSource(file))
  pair.close()
}
