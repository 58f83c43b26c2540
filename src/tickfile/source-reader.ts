import { stat } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { BacktapeError } from '../model/error.js'
import { type ByteRanges, fileError, fileRanges, memoryRanges, rangeChunks } from './byte-range-reader.js'
import { baseNameOf } from './file-day.js'
import { ownedChunks } from './stream-source.js'
import type { SkippedMember, TickInput, TickSource } from './tick-source.js'

/** The name that stands for standard input on a command line. */
const STANDARD_INPUT = '-'

/** What a path, bytes or a stream turned out to be: random access where possible. */
type Opened = { readonly ranges: ByteRanges } | { readonly stream: AsyncIterable<Uint8Array>; readonly name: string }

async function openPath(path: string): Promise<Opened> {
  if (path === STANDARD_INPUT) return { name: 'standard input', stream: process.stdin as AsyncIterable<Uint8Array> }
  const found = await stat(path).catch((error: unknown) => {
    throw fileError(path, error)
  })
  if (found.isDirectory()) throw fileError(path, Object.assign(new Error('it is a folder'), { code: 'EISDIR' }))
  if (found.isFile()) return { ranges: fileRanges(path, found.size) }
  return { name: path, stream: createReadStream(path) as AsyncIterable<Uint8Array> }
}

function isStream(input: unknown): input is AsyncIterable<Uint8Array> {
  return typeof input === 'object' && input !== null && Symbol.asyncIterator in input
}

function openInput(input: TickInput): Promise<Opened> {
  if (typeof input === 'string') return openPath(input)
  if (input instanceof Uint8Array) return Promise.resolve({ ranges: memoryRanges('bytes', input) })
  if (isStream(input)) return Promise.resolve({ name: 'stream', stream: input })
  const found = input === null ? 'null' : typeof input
  const expected = 'a path, a Uint8Array or an async iterable of Uint8Array'
  throw new BacktapeError('OPTION_INVALID', `Cannot open a tick file: the input must be ${expected}, found ${found}`, { field: 'input', expected, found })
}

function wholeSource(ranges: ByteRanges): TickSource {
  return {
    name: ranges.name,
    fileName: baseNameOf(ranges.name),
    sizeBytes: ranges.sizeBytes,
    repeatable: true,
    open: () => rangeChunks(ranges, 0, ranges.sizeBytes),
  }
}

function streamSource(stream: AsyncIterable<Uint8Array>, name: string): TickSource {
  let opened = false
  return {
    name,
    fileName: baseNameOf(name),
    sizeBytes: null,
    repeatable: false,
    open() {
      if (opened) throw new BacktapeError('OPTION_INVALID', `Cannot read ${name} twice: a stream gives its bytes once; save it to a file first`, { file: name })
      opened = true
      return ownedChunks(stream, name)
    },
  }
}

/** The tick files of an input, in archive order. */
export async function* openSources(input: TickInput): AsyncGenerator<TickSource | SkippedMember, void, undefined> {
  const opened = await openInput(input)
  yield 'ranges' in opened ? wholeSource(opened.ranges) : streamSource(opened.stream, opened.name)
}

/** The one tick file of an input. */
export async function openSource(input: TickInput): Promise<TickSource> {
  const opened = await openInput(input)
  return 'ranges' in opened ? wholeSource(opened.ranges) : streamSource(opened.stream, opened.name)
}
