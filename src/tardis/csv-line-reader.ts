import { createReadStream } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import { rowError } from './tardis-layout.js'

/** Lines of a file that lie one behind the other. */
export interface CsvLines {
  readonly lines: readonly string[]
  /** Number of the first of them; 1 is the header. */
  readonly firstLine: number
}

/** The options for reading lines. */
export interface CsvLineOptions {
  readonly isPacked: boolean
  readonly signal?: StopSignal
  /** Called with the bytes of the file that were read since the last call. */
  readonly onBytes?: (count: number) => void
}

/** Table programs put it in front. */
const BYTE_ORDER_MARK = '\ufeff'

const CHUNK_BYTES = 1 << 18
const LINE_LIMIT = 1 << 20

function unreadable(path: string, cause: unknown): BacktapeError {
  if (cause instanceof BacktapeError) return cause
  const { code, message } = cause as { readonly code?: string; readonly message?: string }
  const isCut = code === 'Z_BUF_ERROR'
  const isDamaged = code?.startsWith('Z_') === true
  const words = isCut
    ? 'the gzip file is cut off: it ends before its text does; download it again'
    : isDamaged
      ? `the gzip file is damaged: ${String(message)}; download it again`
      : `the system says ${String(message)}`
  return new BacktapeError(
    'FILE_UNREADABLE', `Cannot read ${path}: ${words}`, { file: path, found: String(message).slice(0, 80) }, cause,
  )
}

/** The text of a file, piece by piece; packed text is checked by the checksum of gzip. */
async function* pieces(
  path: string, { isPacked, signal, onBytes }: CsvLineOptions,
): AsyncGenerator<string, void, undefined> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  file.on('data', (chunk) => { onBytes?.(chunk.length) })
  const stream = isPacked ? file.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : file
  // A failed source does not end what it is piped into.
  if (isPacked) file.on('error', (error) => stream.destroy(error))
  const decoder = new StringDecoder('utf8')
  try {
    for await (const chunk of stream) {
      refuseStopped(signal, path)
      yield decoder.write(chunk as Buffer)
    }
    yield decoder.end()
  } catch (error) {
    throw unreadable(path, error)
  } finally {
    stream.destroy()
    file.destroy()
  }
}

/**
 * The lines of a CSV file in order, some thousands at a time, without their ends (LF or CRLF) and without a byte order
 * mark: memory holds one piece of the file.
 * Throws FILE_UNREADABLE where the file cannot be read or a gzip file is cut or damaged, LINE_TOO_LONG beyond 1 MiB,
 * ROW_INVALID where the last line of a file that is not packed has no end (it may have been cut), and STOPPED.
 */
export async function* csvLines(path: string, options: CsvLineOptions): AsyncGenerator<CsvLines, void, undefined> {
  let rest = ''
  let firstLine = 1
  for await (const piece of pieces(path, options)) {
    const text = rest + piece
    const end = text.lastIndexOf('\n')
    rest = text.slice(end + 1)
    if (rest.length > LINE_LIMIT)
      throw new BacktapeError(
        'LINE_TOO_LONG', `Cannot read ${path}: a line behind line ${String(firstLine)} is longer than 1 MiB`,
        { file: path, line: firstLine },
      )
    if (end < 0) continue
    const whole = text.slice(firstLine === 1 && text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, end)
    const lines = whole.includes('\r') ? `${whole}\n`.split(/\r?\n/).slice(0, -1) : whole.split('\n')
    yield { lines, firstLine }
    firstLine += lines.length
  }
  if (rest === '') return
  if (!options.isPacked)
    throw rowError(path, firstLine, 'line', 'ended by a line end', `${JSON.stringify(rest.slice(-40))}, a cut file`)
  yield { lines: [rest.replace(/\r$/, '')], firstLine }
}
