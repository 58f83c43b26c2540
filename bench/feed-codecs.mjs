// Codecs of the realtime feed: messages a second and bytes a message, SBE and JSON, against JSON.stringify and
// JSON.parse of each message as arrays. One thread, no socket.
// usage: node bench/feed-codecs.mjs [FILE=the bundled swap day] [RUNS=5]
import { join } from 'node:path'
import { copyBatch, openSource, readTickFile } from '../dist/columns.js'
import { createJsonDecoder, createJsonEncoder } from '../dist/protocol/feed-json-codec.js'
import { createSbeDecoder, createSbeEncoder } from '../dist/protocol/feed-sbe-codec.js'
import { tableRow } from '../scripts/big-day.mjs'
import { root } from '../scripts/project.mjs'

/** Messages of one measurement at least: the day is taken again and again. */
const MESSAGES = 1_000_000
const CHUNK_BYTES = 65_536
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

async function batchesOf(path) {
  const reading = await readTickFile(await openSource(path))
  const batches = []
  for await (const batch of reading.batches()) batches.push(copyBatch(batch))
  return { batches, instrument: reading.instrument, count: reading.summary.eventCount }
}

/** Calls `each(batch, index)` for every event. */
function everyEvent(batches, each) {
  for (const batch of batches) for (let i = 0; i < batch.count; i++) each(batch, i)
}

/** The frames of a day, side by side in chunks as a socket delivers them. */
function framesOf(batches, encoder) {
  const frames = []
  let ends = []
  const flush = () => {
    const chunk = encoder.sink.bytes.slice(0, encoder.sink.count)
    let from = 0
    for (const end of ends) {
      frames.push(chunk.subarray(from, end))
      from = end
    }
    encoder.sink.count = 0
    ends = []
  }
  everyEvent(batches, (batch, i) => {
    if (!encoder.line(batch, i)) throw new Error('a line does not fit')
    ends.push(encoder.sink.count)
    if (encoder.sink.count >= CHUNK_BYTES) flush()
  })
  flush()
  return frames
}

function encodeAll(batches, encoder) {
  for (const batch of batches)
    for (let i = 0; i < batch.count; i++) {
      encoder.line(batch, i)
      if (encoder.sink.count >= CHUNK_BYTES) encoder.sink.count = 0
    }
}

function decodeAll(frames, decoder, to) {
  for (const frame of frames) decoder.decode(frame, to)
}

/** Nanoseconds of processor time of a message in one run: other work on the machine is not counted. */
function measure(count, work) {
  const rounds = Math.ceil(MESSAGES / count)
  const started = process.cpuUsage()
  for (let round = 0; round < rounds; round++) work()
  const { user, system } = process.cpuUsage(started)
  return ((user + system) * 1000) / (rounds * count)
}

const path = process.argv[2] ?? join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const runs = Number(process.argv[3] ?? 5)
const { batches, instrument, count } = await batchesOf(path)
const [{ epochDay, priceScale, quantityScale }] = batches
const options = { epochDay, instrumentOf: () => ({ instrument, priceScale, quantityScale }) }
const rows = batches.reduce((sum, batch) => sum + batch.rowStart[batch.count], 0)
const to = { seen: 0, onLine() { this.seen++ }, onState() { this.seen++ }, onLoginResponse() {} }
const sbe = createSbeEncoder()
const json = createJsonEncoder()
const sbeFrames = framesOf(batches, createSbeEncoder())
const jsonFrames = framesOf(batches, createJsonEncoder())
const sbeDecoder = createSbeDecoder(options)
const jsonDecoder = createJsonDecoder(options)
const text = new TextDecoder()
const arrays = jsonFrames.map((frame) => JSON.parse(text.decode(frame)))
let kept = 0
const WORKS = {
  'SBE encode': () => encodeAll(batches, sbe),
  'JSON encode': () => encodeAll(batches, json),
  'JSON.stringify': () => { for (const array of arrays) kept += JSON.stringify(array).length },
  'SBE decode': () => decodeAll(sbeFrames, sbeDecoder, to),
  'JSON decode': () => decodeAll(jsonFrames, jsonDecoder, to),
  'JSON.parse': () => { for (const frame of jsonFrames) kept += JSON.parse(text.decode(frame)).length },
}
const TARGETS = { 'SBE encode': 'above 3 M/s', 'SBE decode': 'above 3 M/s' }
const found = Object.fromEntries(Object.keys(WORKS).map((name) => [name, []]))
for (const name of Object.keys(WORKS)) measure(count, WORKS[name])
for (let run = 0; run < runs; run++)
  for (const name of Object.keys(WORKS)) found[name].push(measure(count, WORKS[name]))
if (to.seen === 0 || kept === 0) throw new Error('nothing was decoded')

const bytesOf = (frames) => frames.reduce((sum, { length }) => sum + length, 0) / count
const [sbeBytes, jsonBytes] = [bytesOf(sbeFrames), bytesOf(jsonFrames)]
console.log(
  `feed codecs, Node ${process.versions.node}: ${count} messages of ${(rows / count).toFixed(1)} rows, ` +
    `medians of ${runs}, processor time`,
)
for (const [name, times] of Object.entries(found)) {
  const against = found[/encode|stringify/.test(name) ? 'JSON.stringify' : 'JSON.parse']
  const ratio = median(times.map((time, i) => against[i] / time))
  const rate = 1000 / median(times)
  console.log(`  ${name.padEnd(14)} ${rate.toFixed(2).padStart(5)} M/s  ${ratio.toFixed(2)} x the naive peer`)
  if (TARGETS[name] !== undefined)
    tableRow(`feed, ${name}`, `${rate.toFixed(2)} M/s (${ratio.toFixed(1)} x the naive peer)`, TARGETS[name])
}
tableRow('feed, bytes a message', `SBE ${sbeBytes.toFixed(0)}, JSON ${jsonBytes.toFixed(0)}`, '-')
