import { open } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import { damagedDay, FrameReader } from './day-frame-reader.js'
import type { FrameJob, FrameReply, FrameRequest } from './day-frame-client.js'

/** Reads and checks the frames of a large cached day beside the thread that plays them. */
async function work({ path, byteOffset }: FrameJob): Promise<void> {
  const file = await open(path, 'r')
  const reader = new FrameReader(file, path, byteOffset)
  let last: Promise<void> = Promise.resolve()
  parentPort?.on('message', ({ block }: FrameRequest) => {
    last = last.then(async () => {
      const { content, buffer, columnsAt } = await reader.read(block, (sizeBytes) => new SharedArrayBuffer(sizeBytes))
      send({ kind: 'frame', content, block: buffer as SharedArrayBuffer, columnsAt })
    }).catch(fail)
  })
}

function send(reply: FrameReply): void {
  parentPort?.postMessage(reply)
}

function fail(error: unknown): void {
  const { path } = workerData as FrameJob
  const { code, message, place } = error instanceof BacktapeError ? error : damagedDay(path, error instanceof Error ? error.message : String(error), 0)
  send({ kind: 'failure', code, message, place })
}

work(workerData as FrameJob).catch(fail)
