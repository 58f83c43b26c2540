// Writes surfaces of an option bundle as one JSON object: surface.mjs BUNDLE
import { openTickFile } from '../../../dist/index.js'
import { isSkippedMember, openSources } from '../../../dist/columns.js'
import { GREEKS, greeksSurface } from '../../../dist/measures.js'

const options = []
let atNs = 0n
for await (const source of openSources(process.argv[2])) {
  if (isSkippedMember(source)) continue
  const day = await openTickFile(source)
  const { code, type, strikePrice, expiry } = day.instrument
  const mark = await day.table('mark')
  const times = mark.timesNs('ts')
  const middle = times[times.length >> 1] ?? 0n
  if (middle > atNs) atNs = middle
  options.push({ instrument: { code, type, strikePrice, expiry, id: day.instrument.id }, mark })
}
const types = [...new Set(options.map(({ instrument }) => instrument.type))]
const surfaces = types.flatMap((type) => GREEKS.map((value) => {
  const surface = greeksSurface(options, type, value, atNs)
  return { type, value, rows: surface.rows }
}))
const instruments = options.map(({ instrument }) => instrument)
console.log(JSON.stringify({ atNs, instruments, surfaces }, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
