import { createHash } from 'node:crypto'
import { readFileSync, statSync, type Stats } from 'node:fs'
import { LATENCY_LIMIT_NS } from '../exchange/adapter/order-latency.js'
import { BacktapeError } from '../model/error.js'

/** One recorded order: when it was sent, when the exchange had it, when the answer was back; epoch nanoseconds. */
interface RecordedOrder {
  readonly request: bigint
  readonly exchange: bigint
  readonly response: bigint
}

/** A recording of order latencies: its rows, ascending, and the SHA-256 of its bytes. */
export interface LatencyRecording {
  readonly rows: readonly RecordedOrder[]
  readonly digest: string
}

const HEADER = 'request_ts,exchange_ts,response_ts'

/** A recording is read whole: a million orders are some 60 MB. */
const RECORDING_LIMIT_BYTES = 67_108_864

function textOf(path: string): string {
  try {
    const stat = statSync(path)
    if (!stat.isFile())
      throw new BacktapeError(
        'FILE_UNREADABLE', `Cannot read the latency recording ${path}: it must be a plain file, found ${kindOf(stat)}`,
        { file: path },
      )
    if (stat.size > RECORDING_LIMIT_BYTES) {
      throw new BacktapeError(
        'LIMIT_EXCEEDED',
        `Cannot read the latency recording ${path}: it must have at most ${RECORDING_LIMIT_BYTES} bytes, found ` +
          `${stat.size}`,
        { file: path },
      )
    }
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof BacktapeError) throw error
    const isGone = (error as { code?: string }).code === 'ENOENT'
    const reason = isGone ? 'it does not exist' : error instanceof Error ? error.message : String(error)
    throw new BacktapeError(
      isGone ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE', `Cannot read the latency recording ${path}: ${reason}`,
      { file: path }, error,
    )
  }
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder'
  return stat.isFIFO() ? 'a pipe' : stat.isSocket() ? 'a socket' : 'a device'
}

/** Reads a CSV of three columns of epoch nanoseconds: `request_ts,exchange_ts,response_ts`. */
export function readLatencyRecording(path: string): LatencyRecording {
  const text = textOf(path)
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  if (lines[0] !== HEADER) throw refused(path, 1, `the header ${HEADER}`, lines[0] ?? 'nothing')
  const rows = lines.slice(1).map((line, at) => rowOf(path, line, at + 2))
  if (rows.length === 0) throw refused(path, 2, 'at least one row', 'none')
  for (let at = 1; at < rows.length; at++) {
    const [before, row] = [rows[at - 1] as RecordedOrder, rows[at] as RecordedOrder]
    if (row.request < before.request || row.exchange < before.exchange)
      throw refused(path, at + 2, 'rows in ascending order of request_ts and of exchange_ts', lines[at + 1] ?? '')
  }
  return { rows, digest: createHash('sha256').update(text).digest('hex') }
}

function rowOf(path: string, line: string, number: number): RecordedOrder {
  const match = /^(\d{1,19}),(\d{1,19}),(\d{1,19})$/.exec(line)
  if (match === null) throw refused(path, number, 'three whole numbers, epoch nanoseconds', line)
  const [request, exchange, response] = match.slice(1).map(BigInt) as [bigint, bigint, bigint]
  if (request > exchange || exchange > response)
    throw refused(path, number, 'request_ts <= exchange_ts <= response_ts', line)
  const limit = BigInt(LATENCY_LIMIT_NS)
  if (exchange - request > limit || response - exchange > limit)
    throw refused(path, number, 'an order of at most 1h each way', line)
  return { request, exchange, response }
}

function refused(path: string, line: number, expected: string, found: string): BacktapeError {
  const shown = found.slice(0, 80)
  return new BacktapeError(
    'OPTION_INVALID',
    `Cannot read the latency recording ${path}: line ${line} must be ${expected}, found ${JSON.stringify(shown)}`,
    {
      file: path, line, expected, found: shown,
    },
  )
}
