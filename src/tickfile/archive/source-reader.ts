import { createReadStream, fstatSync, type Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { BacktapeError } from '../../model/error.js'
import { unlessStopped, type StopSignal } from '../../model/stop-signal.js'
import { contentKind, type ContentKind, isZeroHead, KIND_BYTES } from './archive-kind.js'
import { blobRanges, type ByteRanges, fileError, fileRanges, memoryRanges, rangeChunks } from './byte-range-reader.js'
import { baseNameOf } from './file-day.js'
import { ownedChunks } from './stream-source.js'
import { openTarMembers, streamTarMembers } from './tar-reader.js'
import { streamCursor } from './tar-cursor.js'
import { archiveDamage } from './tar-header.js'
import { nearestNames } from '../../model/word-distance.js'
import type { BlobInput, SkippedMember, TickInput, TickSource } from './tick-source.js'
import type { ReadOptions } from './read-options.js'

type Members = AsyncGenerator<TickSource | SkippedMember, void, undefined>

/** The kind of input that was found: bytes with random access, perhaps of one member only, or a stream. */
type Opened =
  | { readonly ranges: ByteRanges; readonly member?: string }
  | { readonly stream: AsyncIterable<Uint8Array>; readonly name: string }

function statPath(path: string): Promise<Stats | null> {
  return stat(path).catch((error: unknown) => {
    const refusal = fileError(path, error)
    if (refusal.code === 'FILE_NOT_FOUND') return null
    throw refusal
  })
}

/** The archive in front of a `#`. A file whose own name holds a `#` has been found before. */
async function openBundle(path: string): Promise<Opened> {
  for (let at = path.indexOf('#'); at > 0; at = path.indexOf('#', at + 1)) {
    const bundle = path.slice(0, at)
    const found = await statPath(bundle)
    if (found?.isFile() === true) return { ranges: fileRanges(bundle, found.size), member: path.slice(at + 1) }
  }
  throw fileError(path, Object.assign(new Error('no such file'), { code: 'ENOENT' }))
}

/** A folder on standard input would read as no bytes at all. */
function openStandardInput(): Opened {
  const name = 'standard input'
  if (fstatSync(0).isDirectory()) throw fileError(name, Object.assign(new Error('it is a folder'), { code: 'EISDIR' }))
  return { name, stream: process.stdin as AsyncIterable<Uint8Array> }
}

async function openPath(path: string): Promise<Opened> {
  if (path === '-') return openStandardInput()
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):\/\//.exec(path)?.[1]
  if (scheme !== undefined) {
    const sentence = `Cannot read ${path}: it is an address (${scheme}), and only files are read; download it first`
    throw new BacktapeError('FILE_UNREADABLE', sentence, { file: path, expected: 'a file', found: 'an address' })
  }
  const found = await statPath(path)
  if (found === null) return openBundle(path)
  if (found.isDirectory()) throw fileError(path, Object.assign(new Error('it is a folder'), { code: 'EISDIR' }))
  if (found.isFile()) return { ranges: fileRanges(path, found.size) }
  // A pipe or a device: `<(...)` of a shell.
  return { name: path, stream: createReadStream(path) as AsyncIterable<Uint8Array> }
}

function isBlob(given: unknown): given is BlobInput {
  if (typeof given !== 'object' || given === null || !('arrayBuffer' in given)) return false
  return 'size' in given && typeof given.size === 'number' && 'slice' in given && typeof given.slice === 'function'
}

async function openInput(input: TickInput): Promise<Opened> {
  const given: unknown = input
  if (typeof given === 'string' && given !== '' && !given.includes('\0')) return openPath(given)
  if (given instanceof Uint8Array) return { ranges: memoryRanges('bytes', given) }
  if (isBlob(given)) return { ranges: blobRanges(given) }
  if (typeof given === 'object' && given !== null && Symbol.asyncIterator in given)
    return { name: 'stream', stream: given as AsyncIterable<Uint8Array> }
  const found = typeof given === 'string' ? JSON.stringify(given) : given === null ? 'null' : typeof given
  const expected = 'a path, a Uint8Array, a Blob or an async iterable of Uint8Array'
  throw new BacktapeError('OPTION_INVALID', `Cannot open a tick file: the input must be ${expected}, found ${found}`, {
    field: 'input', expected, found,
  })
}

function kindOf(head: Uint8Array, name: string): ContentKind {
  const kind = contentKind(head)
  if (kind !== 'other') return kind
  const extension = /\.(tar|zip)$/i.exec(name)?.[1]?.toLowerCase()
  if (extension === undefined) return kind
  if (extension === 'tar' && isZeroHead(head)) return 'tar'
  if (head.length < KIND_BYTES) throw archiveDamage(name, head.length, 'the archive is cut off: it ends')
  throw archiveDamage(name, 0, `it does not begin as a ${extension}`)
}

async function headOf(ranges: ByteRanges): Promise<Uint8Array> {
  const handle = await ranges.open()
  try {
    return await handle.read(0, Math.min(KIND_BYTES, ranges.sizeBytes))
  } finally {
    await handle.close()
  }
}

async function* wholeSource(ranges: ByteRanges): Members {
  const { name, sizeBytes, diskPath } = ranges
  yield {
    name, fileName: baseNameOf(name), sizeBytes, repeatable: true,
    ...(diskPath === undefined ? {} : { diskPath, fromByte: 0 }),
    open: (options) => rangeChunks(ranges, 0, sizeBytes, options),
  }
}

async function* rangeMembers(ranges: ByteRanges, member: string | undefined): Members {
  const kind = kindOf(await headOf(ranges), ranges.name)
  if (kind === 'tar') yield* openTarMembers(ranges)
  // The package that reads them is loaded for them alone.
  else if (kind === 'zip') yield* (await import('./zip-reader.js')).openZipMembers(ranges)
  else if (member === undefined) yield* wholeSource(ranges)
  else {
    const sentence = `Cannot open ${member} in ${ranges.name}: it is neither a tar nor a zip, so it has no members`
    throw new BacktapeError('OPTION_INVALID', sentence, { file: ranges.name, field: 'input', found: member })
  }
}

/** So many members are named; of more, the three that are nearest. */
const MEMBER_WORDS = 5

function membersWords(names: readonly string[], wanted: string): string {
  if (names.length === 0) return 'it is empty'
  if (names.length <= MEMBER_WORDS) return `its members are ${names.join(', ')}`
  return `the nearest of its ${names.length} are ${nearestNames(wanted, names, 3).join(', ')}`
}

/** The member whose name is `member`; failing that, the one with that base name. */
async function* namedMember(ranges: ByteRanges, member: string): Members {
  const exact: (TickSource | SkippedMember)[] = []
  const byBase: (TickSource | SkippedMember)[] = []
  const names: string[] = []
  for await (const found of rangeMembers(ranges, member)) {
    const name = found.name.slice(ranges.name.length + 1)
    names.push(name)
    if (name === member) exact.push(found)
    else if (baseNameOf(name) === member) byBase.push(found)
  }
  const matches = exact.length > 0 ? exact : byBase
  const [match] = matches
  const place = { file: `${ranges.name}#${member}` }
  if (match === undefined) {
    const sentence = `Cannot find ${member} in ${ranges.name}: it has no such member; ${membersWords(names, member)}`
    throw new BacktapeError('FILE_NOT_FOUND', sentence, place)
  }
  if (matches.length > 1) {
    const advice = exact.length > 1 ? 'read the whole archive to get all of them' : 'name it with its folder'
    throw new BacktapeError(
      'OPTION_INVALID',
      `Cannot tell which ${member} of ${ranges.name} is meant: ${String(matches.length)} members have that name; ` +
        advice,
      place,
    )
  }
  if (isSkippedMember(match))
    throw new BacktapeError(
      'FILE_UNREADABLE', `Cannot read ${match.name}: it is ${match.skippedBecause}, not a tick file`, place,
    )
  yield match
}

async function* rest(
  cursor: ReturnType<typeof streamCursor>, chunks: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let chunk = await cursor.take(1 << 20); chunk.length > 0; chunk = await cursor.take(1 << 20)) yield chunk
  } finally {
    await chunks.return()
  }
}

function streamSource(chunks: AsyncGenerator<Uint8Array, void, undefined>, name: string): TickSource {
  let opened = false
  return {
    name,
    fileName: baseNameOf(name),
    sizeBytes: null,
    repeatable: false,
    open() {
      if (opened)
        throw new BacktapeError(
          'OPTION_INVALID', `Cannot read ${name} twice: a stream gives its bytes once; save it to a file first`,
          { file: name },
        )
      opened = true
      return chunks
    },
  }
}

async function* streamMembers(stream: AsyncIterable<Uint8Array>, name: string): Members {
  const owned = ownedChunks(stream, name)
  const cursor = streamCursor(owned)
  const kind = kindOf(await cursor.peek(KIND_BYTES), name)
  const chunks = rest(cursor, owned)
  if (kind === 'zip') {
    await owned.return()
    throw new BacktapeError(
      'ARCHIVE_UNSUPPORTED',
      `Cannot read a zip from ${name}: its list of members stands at its end; save it to a file first`, { file: name },
    )
  }
  if (kind === 'tar') yield* streamTarMembers(chunks, name)
  else yield streamSource(chunks, name)
}

/** Where the bytes of an input lie; standard input is one place, other streams and bytes in memory are none. */
async function placeOf(input: TickInput, opened: Opened): Promise<string | null> {
  if (input === '-') return '-'
  const path = 'ranges' in opened ? opened.ranges.diskPath : undefined
  return path === undefined ? null : realpath(path).catch(() => null)
}

/** The members; STOPPED as soon as the signal fires. A stream that waits for its first bytes is left where it is. */
async function* stoppable(members: Members, name: string, signal: StopSignal | undefined): Members {
  let isWaiting = false
  try {
    for (;;) {
      isWaiting = true
      const step = await unlessStopped(members.next(), signal, name)
      isWaiting = false
      if (step.done === true) return
      yield step.value
    }
  } finally {
    const closed = members.return()
    // What waits for bytes cannot be closed before they come.
    if (isWaiting) closed.catch(() => undefined)
    else await closed
  }
}

/** True for a member that is not read as a tick file. */
export function isSkippedMember(found: TickSource | SkippedMember): found is SkippedMember {
  return 'skippedBecause' in found
}

/**
 * The tick files of an input in archive order: one for a plain file, one for each member of a tar or zip, which is
 * streamed and never unpacked to disk. Members that are not tick files come as {@link SkippedMember}s, so that they can
 * be named. Of a stream, open each source before asking for the next. Throws FILE_NOT_FOUND, FILE_UNREADABLE,
 * ARCHIVE_DAMAGED, ARCHIVE_UNSUPPORTED, LIMIT_EXCEEDED, OPTION_INVALID, STOPPED of a stream once `signal` has fired,
 * and FILE_NOT_FOUND at the end of an archive that holds no tick file.
 *
 * @example
 * ```ts
 * import { isSkippedMember, openSources } from 'backtape/columns'
 * for await (const found of openSources(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd))) {
 *   if (isSkippedMember(found) || !found.repeatable) throw new Error('bytes can be read again')
 * }
 * ```
 */
export async function* openSources(
  input: TickInput,
  { signal }: Pick<ReadOptions, 'signal'> = {},
): AsyncGenerator<TickSource | SkippedMember, void, undefined> {
  const opened = await openInput(input)
  const name = 'ranges' in opened ? opened.ranges.name : opened.name
  let members: Members
  if ('stream' in opened) members = streamMembers(opened.stream, opened.name)
  else
    members =
      opened.member === undefined ? rangeMembers(opened.ranges, undefined) : namedMember(opened.ranges, opened.member)
  const place = await placeOf(input, opened)
  let isFound = false
  // Reads of a file end by themselves.
  for await (const found of 'stream' in opened ? stoppable(members, name, signal) : members) {
    isFound ||= !isSkippedMember(found)
    yield place === null || isSkippedMember(found) ? found : { ...found, place: place + found.name.slice(name.length) }
  }
  if (!isFound)
    throw new BacktapeError('FILE_NOT_FOUND', `Cannot find a tick file in ${name}: none of its members is one`, {
      file: name,
    })
}

/**
 * The one tick file of an input. Throws as {@link openSources} does, and OPTION_INVALID where an archive holds several:
 * name one of them (`bundle.tar#member`).
 *
 * @example
 * ```ts
 * import { openSource, readTickFile } from 'backtape/columns'
 * const source = await openSource('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const reading = await readTickFile(source)
 * console.log(reading.instrument.code)
 * await reading.close()
 * ```
 */
export async function openSource(input: TickInput, options: Pick<ReadOptions, 'signal'> = {}): Promise<TickSource> {
  let only: TickSource | null = null
  for await (const found of openSources(input, options)) {
    if (isSkippedMember(found)) continue
    if (only === null && !found.repeatable && !found.name.includes('#')) return found
    if (!found.repeatable) {
      const archive = found.name.slice(0, found.name.indexOf('#'))
      throw new BacktapeError(
        'ARCHIVE_UNSUPPORTED',
        `Cannot take one tick file from a tar on ${archive}: save it to a file and name the member, as in ` +
          'bundle.tar#member',
        { file: archive },
      )
    }
    if (only !== null) {
      const sentence = `Cannot open one tick file: ${found.name.slice(0, found.name.indexOf('#'))} holds several; ` +
        `name one, as in ${only.name}`
      throw new BacktapeError('OPTION_INVALID', sentence, { file: only.name, field: 'input' })
    }
    only = found
  }
  if (only === null)
    throw new BacktapeError('FILE_NOT_FOUND', 'Cannot find a tick file in the input: none of its members is one')
  return only
}
