import { openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { BacktapeError } from '../../model/error.js'
import { damagedDay, FrameReader } from './day-frame-reader.js'
import type { FrameJob, FrameReply, FrameRequest } from './day-frame-client.js'

/** Reads and checks the frames of a large cached day beside the thread that plays them. */
function work({ path, byteOffset }: FrameJob): void {
  const reader = new FrameReader(openSync(path, 'r'), path, byteOffset)
  parentPort?.on('message', ({ blocks }: FrameRequest) => {
    try {
      for (const block of blocks) {
        const { content, buffer, columnsAt } = reader.read(block, (sizeBytes) => new SharedArrayBuffer(sizeBytes))
        send({ kind: 'frame', content, block: buffer as SharedArrayBuffer, columnsAt })
      }
    } catch (error) {
      fail(error)
    }
  })
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
