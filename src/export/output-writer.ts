import { closeSync, openSync, writeSync } from 'node:fs'
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
  private isOpen = true
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

  /** Writes what was gathered. */
  close(): void {
    this.drain()
    this.abandon()
  }

  /** Leaves what was gathered unwritten. */
  abandon(): void {
    if (this.isOpen) closeSync(this.descriptor)
    this.isOpen = false
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

async function openOutput(plan: OutputPlan, file: OutputFile): Promise<Output> {
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

/** The files of one source after the other, written in the thread at hand as its requests say. */
export class OutputWriter {
  #files: readonly OutputFile[] = []
  #isAbandoned = false
  /** A client that has seen a failure ends this. */
  #open: Promise<readonly Output[]> = Promise.resolve([])

  /** Does what a request says; null where it wants no answer, or none any more. */
  async answer(request: OutputRequest): Promise<OutputReply | null> {
    if (request.type === 'begin') return this.#begin(request.plans)
    try {
      const outputs = await this.#open
      if (this.#isAbandoned) return null
      if (request.type === 'finish')
        return { type: 'finished', outputs: outputs.map((output) => output.finish(new Map(request.late))) }
      for (const output of outputs) output.builder.append(request.batch)
      return { type: 'free', slot: request.slot }
    } catch (error) {
      return failure(error)
    }
  }

  /** Closes the files in the middle of a source, which stay as they are; it writes nothing any more. */
  abandon(): void {
    this.#isAbandoned = true
    for (const file of this.#files) file.abandon()
  }

  #begin(plans: readonly OutputPlan[]): null {
    const opened: OutputFile[] = []
    this.#files = opened
    this.#open = Promise.all(plans.map(async (plan) => {
      const file = new OutputFile(plan)
      opened.push(file)
      return openOutput(plan, file)
    }))
    // Every request that follows is answered with the failure.
    this.#open.catch(() => undefined)
    return null
  }
}
