import { closeSync, openSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import { outputError } from '../files/output-fault.js'
import type { OutputPlan, OutputReply, OutputRequest, WrittenOutput } from './output-plan.js'
import { ByteWriter } from '../model/byte-writer.js'
import { TableBuilder } from './table-builder.js'
import { shapeMetadata, tableColumns } from './export-kind.js'
import type { TableEncoder } from '../tables/column.js'
import { createTableEncoder } from '../tables/table-encoders.js'

const WRITE_BYTES = 1_048_576
/** Pieces from this size on are written as they are: gathering them would only copy. */
const DIRECT_BYTES = 131_072

/** A file being written in this thread; small pieces are gathered. */
class OutputFile {
  sizeBytes = 0
  private crc = 0
  private readonly path: string
  private readonly descriptor: number
  private readonly pending = new ByteWriter()

  constructor({ path, temporaryPath }: OutputPlan) {
    this.path = path
    this.descriptor = openSync(temporaryPath, 'r+')
  }

  get checksum(): string {
    return `crc32:${this.crc.toString(16).padStart(8, '0')}`
  }

  write(bytes: Uint8Array): void {
    if (bytes.length < DIRECT_BYTES && this.pending.count + bytes.length <= WRITE_BYTES)
      return this.pending.piece(bytes)
    this.drain()
    if (bytes.length < DIRECT_BYTES) this.pending.piece(bytes)
    else this.writeFully(bytes)
  }

  close(): void {
    this.drain()
    closeSync(this.descriptor)
  }

  private drain(): void {
    this.writeFully(this.pending.slice())
    this.pending.count = 0
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

/** A file together with what makes its bytes. */
class Output {
  readonly builder: TableBuilder

  constructor(plan: OutputPlan, private readonly file: OutputFile, private readonly encoder: TableEncoder) {
    this.builder = new TableBuilder(plan.kind, plan.shape, (chunk) => { this.encoder.encode(chunk) })
  }

  finish(late: ReadonlyMap<string, string>): WrittenOutput {
    this.builder.flush()
    this.encoder.finish(late)
    this.file.close()
    const { fits, neededShape, rowCount } = this.builder
    return { rowCount, sizeBytes: this.file.sizeBytes, checksum: this.file.checksum, fits, neededShape }
  }
}

async function openOutput(plan: OutputPlan): Promise<Output> {
  const file = new OutputFile(plan)
  const metadata = new Map([...plan.metadata, ...shapeMetadata(plan.shape)])
  const encoder = await createTableEncoder(tableColumns(plan.kind, plan.shape), metadata, plan.form, (bytes) => {
    file.write(bytes)
  })
  return new Output(plan, file, encoder)
}

function failure(error: unknown): OutputReply {
  const known = error instanceof BacktapeError ? error : outputError('an export', error)
  return { type: 'failed', code: known.code, message: known.message, place: known.place }
}

const port = parentPort
/** The files of the source at hand; a client that has seen a failure ends this thread. */
let open: Promise<readonly Output[]> = Promise.resolve([])

async function serve(request: Exclude<OutputRequest, { readonly type: 'begin' }>): Promise<OutputReply> {
  try {
    const outputs = await open
    if (request.type === 'finish')
      return { type: 'finished', outputs: outputs.map((output) => output.finish(new Map(request.late))) }
    for (const output of outputs) output.builder.append(request.batch)
    return { type: 'free', slot: request.slot }
  } catch (error) {
    return failure(error)
  }
}

port?.on('message', (request: OutputRequest) => {
  if (request.type === 'begin') {
    open = Promise.all(request.plans.map(openOutput))
    // Every request that follows is answered with the failure.
    open.catch(() => undefined)
  } else void serve(request).then((reply) => { port.postMessage(reply) })
})
