import { parentPort } from 'node:worker_threads'
import type { OutputRequest } from './output-plan.js'
import { OutputWriter } from './output-writer.js'

const port = parentPort
const writer = new OutputWriter()

port?.on('message', (request: OutputRequest) => {
  void writer.answer(request).then((reply) => {
    if (reply !== null) port.postMessage(reply)
  })
})
