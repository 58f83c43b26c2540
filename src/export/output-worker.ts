import { closeSync, openSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { crc32, gzipSync } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import { outputError } from '../files/output-fault.js'
import { CsvEncoder } from './csv-encoder.js'
import type { ExportFormat } from './export-kind.js'
import type { OutputPlan, OutputReply, OutputRequest, WrittenOutput } from './output-plan.js'
import { ParquetEncoder } from './parquet-encoder.js'
import { ByteBuffer } from './parquet-values.js'
import { TableBuilder } from './table-builder.js'
import { shapeMetadata, tableColumns } from './table-columns.js'
import type { ByteSink, MakeEncoder, TableEncoder } from './table-encoder.js'
import { createCompressor } from './zstd-compressor.js'

const WRITE_BYTES = 1_048_576
/** Pieces from this size on are written as they are: gathering them would only copy. */
const DIRECT_BYTES = 131_072
const GZIP_LEVEL = 6

/** A file being written in this thread; small pieces are gathered. */
class OutputFile {
  sizeBytes = 0
  private crc = 0
  private readonly path: string
  private readonly descriptor: number
  private readonly pending = new ByteBuffer()

  constructor({ path, temporaryPath }: OutputPlan) {
    this.path = path
    this.descriptor = openSync(temporaryPath, 'r+')
  }

  get checksum(): string {
    return `crc32:${this.crc.toString(16).padStart(8, '0')}`
  }

  write(bytes: Uint8Array): void {
    if (bytes.length < DIRECT_BYTES && this.pending.length + bytes.length <= WRITE_BYTES) return this.pending.append(bytes)
    this.drain()
    if (bytes.length < DIRECT_BYTES) this.pending.append(bytes)
    else this.writeFully(bytes)
  }

  close(): void {
    this.drain()
    closeSync(this.descriptor)
  }

  private drain(): void {
    this.writeFully(this.pending.result())
    this.pending.length = 0
  }

  private writeFully(bytes: Uint8Array): void {
    this.crc = crc32(bytes, this.crc)
    this.sizeBytes += bytes.length
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.descriptor, bytes, written)
    } catch (error) {
      throw outputError(this.path, error)
    }
  }
}

/** Gzip members back to back, which is one gzip file: each of a fixed amount of text, so that the bytes are a function of the text alone. */
function gzipSink(file: OutputFile): { sink: ByteSink; end: () => void } {
  const pending = new ByteBuffer()
  const put = (): void => {
    file.write(gzipSync(pending.result(), { level: GZIP_LEVEL }))
    pending.length = 0
  }
  const sink = (bytes: Uint8Array): void => {
    pending.append(bytes)
    if (pending.length >= WRITE_BYTES) put()
  }
  return { sink, end: () => { if (pending.length > 0) put() } }
}

/** Loads what a format needs and nothing more: the Arrow library alone takes a worker a tenth of a second. */
async function encoderOf(format: ExportFormat): Promise<MakeEncoder> {
  if (format === 'parquet') {
    const compress = await createCompressor()
    return (columns, metadata, sink) => new ParquetEncoder(columns, metadata, compress, sink)
  }
  if (format !== 'arrow' && format !== 'arrows') return (columns, metadata, sink) => new CsvEncoder(columns, metadata, sink)
  const { ArrowEncoder } = await import('./arrow-encoder.js')
  return (columns, metadata, sink) => new ArrowEncoder(columns, metadata, format, sink)
}

/** A file together with what makes its bytes. */
class Output {
  readonly builder: TableBuilder
  private readonly file: OutputFile
  private readonly encoder: TableEncoder
  private readonly end: () => void

  constructor(plan: OutputPlan, makeEncoder: MakeEncoder) {
    const columns = tableColumns(plan.kind, plan.shape)
    const metadata = new Map([...plan.metadata, ...shapeMetadata(plan.shape)])
    this.file = new OutputFile(plan)
    const gzip = plan.format === 'csv.gz' ? gzipSink(this.file) : null
    const sink = gzip?.sink ?? ((bytes: Uint8Array): void => { this.file.write(bytes) })
    this.end = gzip?.end ?? ((): void => undefined)
    this.encoder = makeEncoder(columns, metadata, sink)
    this.builder = new TableBuilder(plan.kind, plan.shape, (chunk) => { this.encoder.encode(chunk) })
  }

  finish(late: ReadonlyMap<string, string>): WrittenOutput {
    this.builder.flush()
    this.encoder.finish(late)
    this.end()
    this.file.close()
    const { fits, neededShape, rowCount } = this.builder
    return { rowCount, sizeBytes: this.file.sizeBytes, checksum: this.file.checksum, fits, neededShape }
  }
}

function failure(error: unknown): OutputReply {
  const known = error instanceof BacktapeError ? error : outputError('an export', error)
  return { type: 'failed', code: known.code, message: known.message, place: known.place }
}

const port = parentPort
const plans = workerData as readonly OutputPlan[]
const ready = Promise.all(plans.map(async (plan) => new Output(plan, await encoderOf(plan.format))))
// A worker that ends before it is asked for anything has nobody to tell; every request is answered with the failure.
ready.catch(() => undefined)

async function serve(request: OutputRequest): Promise<OutputReply> {
  try {
    const outputs = await ready
    if (request.type === 'finish') return { type: 'finished', outputs: outputs.map((output) => output.finish(new Map(request.late))) }
    for (const output of outputs) output.builder.append(request.batch)
    return { type: 'free', slot: request.slot }
  } catch (error) {
    return failure(error)
  }
}

port?.on('message', (request: OutputRequest) => {
  void serve(request).then((reply) => { port.postMessage(reply) })
})
