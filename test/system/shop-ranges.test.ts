import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RandomNumbers } from '../../src/model/random.js'
import { type Segment, type Segments, segmentsOf } from '../../src/shop/server/segments.js'
import { checksumOf, fileSegments } from '../../src/shop/server/segments-reader.js'
import { sendSegments } from '../../src/shop/server/segments-writer.js'
import { tarSegments } from '../../src/shop/server/tar-segments.js'
import { zipSegments } from '../../src/shop/server/zip-segments.js'
import { listenHttp, type ListeningHttp } from '../../src/web/http-server.js'
import { naiveRange } from '../support/naive-range.ts'
import { newFolder } from '../support/new-folder.ts'
import { isNight } from '../support/repetitions.ts'

// Real curl, tar and unzip against a server of segments: a file of 5 GB (sparse, with bytes at seeded places), and a tar that holds it; a zip does by night.
const LARGE_BYTES = isNight ? 9_000_000_001 : 5_000_000_001
const RANGES = isNight ? 3000 : 600
const numbers = new RandomNumbers(37, 'ranges', 1)
const folder = newFolder()
const LONG = 'a long name/'.repeat(20)
const things = new Map<string, Segments>()
let http: ListeningHttp
let drawn = 0
const below = (limit: number): number => Math.floor(numbers.uniform(drawn++) * limit)

function file(name: string, sizeBytes: number, marks: number): string {
  const path = join(folder, name)
  writeFileSync(path, '')
  truncateSync(path, sizeBytes)
  const handle = openSync(path, 'r+')
  for (let mark = 0; mark < marks; mark++) writeSync(handle, `mark ${mark} ${below(1e9)}`, below(sizeBytes - 30))
  writeSync(handle, 'end', sizeBytes - 3)
  closeSync(handle)
  return path
}

beforeAll(async () => {
  const members = await Promise.all([['small', 777], ['odd', 1_048_577], ['large', LARGE_BYTES]].map(async ([name, size]) => {
    const content = await fileSegments(file(String(name), Number(size), 200))
    return { name: `${name === 'odd' ? LONG : 'days/'}${String(name)}`, content }
  }))
  const zipped = await Promise.all((isNight ? members : members.slice(0, 2)).map(async (member) => ({ ...member, crc32: await checksumOf(member.content) })))
  const behind = { name: 'behind \u00e4', content: segmentsOf([new TextEncoder().encode('behind it')]), crc32: crc32('behind it') }
  things.set('/file', members[2]!.content).set('/export', members[0]!.content)
  things.set('/tar', tarSegments([...members, behind])).set('/zip', zipSegments([...zipped, behind]))
  http = await listenHttp({
    request(request, response) {
      void sendSegments(request, response, things.get(request.url!)!).catch(() => undefined)
    },
  }, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => { await http.close() })

const url = (path: string): string => `http://127.0.0.1:${http.port}${path}`

/** Bytes of a thing, read part by part without the server. */
function plain({ parts }: { readonly parts: readonly Segment[] }, from: number, end: number): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  for (const part of parts) {
    const size = part instanceof Uint8Array ? part.length : part.sizeBytes
    const [begin, stop] = [Math.max(from, at), Math.min(end, at + size)]
    if (begin < stop && part instanceof Uint8Array) pieces.push(Buffer.from(part.subarray(begin - at, stop - at)))
    else if (begin < stop && !(part instanceof Uint8Array)) {
      const piece = Buffer.alloc(stop - begin)
      const handle = openSync(part.path, 'r')
      readSync(handle, piece, 0, piece.length, part.fromByte + begin - at)
      closeSync(handle)
      pieces.push(piece)
    }
    at += size
  }
  return Buffer.concat(pieces)
}

/** One range: near an edge of a part, or anywhere; short, as the bytes are compared; its last position may lie beyond the end. */
function drawnRange({ parts, sizeBytes }: Segments): readonly [header: string, from: number, end: number] {
  const edges = [0, sizeBytes]
  for (let at = 0, index = 0; index < parts.length; index++) {
    const part = parts[index]!
    at += part instanceof Uint8Array ? part.length : part.sizeBytes
    edges.push(at)
  }
  const near = below(2) === 0 ? below(sizeBytes) : edges[below(edges.length)]! - 300 + below(600)
  const from = Math.min(sizeBytes - 1, Math.max(0, near))
  const length = 1 + below(below(4) === 0 ? 100_000 : 700)
  if (sizeBytes - from < 1000 && below(2) === 0) return [`-${sizeBytes - from}`, from, sizeBytes]
  if (sizeBytes - from < 1000 && below(2) === 0) return [`${from}-`, from, sizeBytes]
  return [`${from}-${from + length - 1}`, from, Math.min(sizeBytes, from + length)]
}

async function run(command: string, words: readonly string[], input = ''): Promise<{ readonly code: number | null, readonly output: string }> {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => { output += piece.toString() })
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

/** A pipe of a shell: this process goes on serving meanwhile. */
const shell = (line: string): ReturnType<typeof run> => run('bash', ['-o', 'pipefail', '-c', line])

test.each(['/file', '/export', '/tar', '/zip'])('curl gets the bytes of every range of %s', async (path) => {
  const thing = things.get(path)!
  const ranges = Array.from({ length: RANGES }, () => drawnRange(thing))
  const out = newFolder()
  const blocks = ranges.map(([range], index) => `url = "${url(path)}"\nrange = "${range}"\noutput = "${join(out, String(index))}"\nsilent\nwrite-out = "%{http_code} %header{content-range}\\n"\n`)
  const { code, output } = await run('curl', ['-K', '-'], blocks.join('next\n'))
  expect(code).toBe(0)
  expect(output.trim().split('\n')).toEqual(ranges.map(([, from, end]) => `206 bytes ${from}-${end - 1}/${thing.sizeBytes}`))
  const wrong = ranges.filter(([, from, end], index) => !readFileSync(join(out, String(index))).equals(plain(thing, from, end)))
  expect(wrong).toEqual([])
})

describe('curl, of 777 bytes', () => {
  test.each([
    'bytes=777-', 'bytes=-0', 'bytes=5000000000-', 'bytes=99999999999999999999-', 'bytes=5-3', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=0-1,5-6', 'bytes=776-,0-0', 'lines=0-1', 'bytes=0-0', 'bytes=776-', 'bytes=-777', 'bytes=-778', 'bytes=-1', 'bytes=700-5000000000',
  ])('%s', async (range) => {
    const out = join(folder, 'answer')
    rmSync(out, { force: true })
    const { output } = await run('curl', ['-s', '-H', `Range: ${range}`, '-o', out, '-w', '%{http_code}', url('/export')])
    const want = naiveRange(range, 777)
    const all = plain(things.get('/export')!, 0, 777)
    expect(Number(output)).toBe(want.status)
    if (want.status !== 416) expect(readFileSync(out).equals(Buffer.from(want.positions.map((at) => all[at]!)))).toBe(true)
  })

  test.each([
    ['W/ETAG', 200], ['"other"', 200], ['Thu, 08 Aug 2024 00:00:00 GMT', 200], ['Wed, 01 Jan 2031 00:00:00 GMT', 200], ['rubbish', 200], ['ETAG', 206],
  ])('If-Range %s is %i', async (ifRange, status) => {
    const { output } = await run('curl', ['-s', '-r', '5-', '-H', `If-Range: ${ifRange.replace('ETAG', things.get('/export')!.etag)}`, '-o', join(folder, 'answer'), '-w', '%{http_code} %{size_download}', url('/export')])
    expect(output).toBe(`${status} ${status === 200 ? 777 : 772}`)
  })

  test('HEAD, and a download that goes on', async () => {
    expect((await run('curl', ['-sI', '-r', '0-1', url('/export')])).output).toMatch(/^HTTP\/1\.1 200 [^]*content-length: 777\r\n/i)
    const out = join(folder, 'resumed')
    writeFileSync(out, plain(things.get('/export')!, 0, 300))
    expect((await run('curl', ['-s', '-C', '-', '-o', out, url('/export')])).code).toBe(0)
    expect(readFileSync(out).equals(plain(things.get('/export')!, 0, 777))).toBe(true)
  })
})

test('tar lists the members of a tar over 4 GiB, from a stream', async () => {
  const { code, output } = await shell(`curl -s ${url('/tar')} | tar --quoting-style=literal -tv`)
  expect(code).toBe(0)
  expect(output.trim().split('\n').map((line) => line.split(/\s+/).slice(2, 3).concat(line.replace(/^.*:\d\d /, '')))).toEqual([
    ['777', 'days/small'], ['1048577', `${LONG}odd`], [String(LARGE_BYTES), 'days/large'], ['9', 'behind \u00e4'],
  ])
})

test('unzip tests a zip whole, by night one over 4 GiB', async () => {
  const { code, output } = await shell(`curl -s ${url('/zip')} | dd of=${join(folder, 'it.zip')} bs=1M conv=sparse iflag=fullblock status=none && unzip -tq ${join(folder, 'it.zip')}`)
  expect([code, output]).toEqual([0, `No errors detected in compressed data of ${join(folder, 'it.zip')}.\n`])
  const handle = openSync(join(folder, 'it.zip'), 'r')
  expect(fstatSync(handle).size).toBe(things.get('/zip')!.sizeBytes)
  closeSync(handle)
})

test('curl knows that a download was cut where its file shrinks', async () => {
  const path = file('shrinking', 400_000_000, 3)
  things.set('/shrinking', await fileSegments(path))
  const loading = run('curl', ['-s', '--limit-rate', '50M', '-o', join(folder, 'cut'), url('/shrinking')])
  await new Promise((resolve) => setTimeout(resolve, 500))
  truncateSync(path, 399_999_999)
  expect((await loading).code).toBe(18)
})
