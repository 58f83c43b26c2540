import { openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { BacktapeError } from '../../model/error.js'
import type { Instrument } from '../../model/instrument.js'
import { BatchOrders, type OrderMemory } from '../../replay/batch-order-making.js'
import { batchFromFrame } from './day-cache-frame.js'
import { damagedDay, FrameReader } from './day-frame-reader.js'
import type { FrameJob, FrameReply, FrameRequest } from './day-frame-client.js'

const sharedMemory = (sizeBytes: number): SharedArrayBuffer => new SharedArrayBuffer(sizeBytes)

/** Reads and checks the frames of a large cached day beside the thread that plays them. */
function work({ path, byteOffset, sameStamp }: FrameJob): void {
  const reader = new FrameReader(openSync(path, 'r'), path, byteOffset)
  const orders = sameStamp === null ? null : new BatchOrders(sameStamp)
  parentPort?.on('message', ({ blocks }: FrameRequest) => {
    try {
      for (const block of blocks) send(withOrder(reader.read(block, sharedMemory), orders))
    } catch (error) {
      fail(error)
    }
  })
}

/** A frame as a reply, with the exchange order of its items behind it in the same block, or in a larger one. */
function withOrder(
  { content, buffer, columnsAt, endAt }: ReturnType<FrameReader['read']>, orders: BatchOrders | null,
): FrameReply {
  let block = buffer as SharedArrayBuffer
  const orderAt = Math.ceil(endAt / 8) * 8
  const memoryOf = (sizeBytes: number): OrderMemory => {
    const neededBytes = orderAt + sizeBytes
    if (block.byteLength < neededBytes) {
      block = sharedMemory(neededBytes + (neededBytes >> 2))
      new Uint8Array(block).set(new Uint8Array(buffer, 0, endAt))
    }
    return { buffer: block, byteOffset: orderAt }
  }
  const order = orders === null || content.kind !== 'batch'
    ? null
    : orders.orderOf(batchFromFrame(content, {} as Instrument, buffer, columnsAt), memoryOf)
  return { kind: 'frame', content, block, columnsAt, order }
}

function send(reply: FrameReply): void {
  parentPort?.postMessage(reply)
}

function fail(error: unknown): void {
  const { path } = workerData as FrameJob
  const { code, message, place } =
    error instanceof BacktapeError ? error : damagedDay(path, error instanceof Error ? error.message : String(error), 0)
  send({ kind: 'failure', code, message, place })
}

try {
  work(workerData as FrameJob)
} catch (error) {
  fail(error)
}
