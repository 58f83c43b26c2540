import { utimesSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { HEARTBEAT_MS, type HeartbeatRequest } from './heartbeat-client.js'

const paths = new Set<string>()

parentPort?.on('message', ({ path, isKept }: HeartbeatRequest) => {
  if (isKept) paths.add(path)
  else paths.delete(path)
})

setInterval(() => {
  const now = new Date()
  for (const path of paths) {
    try {
      utimesSync(path, now, now)
    } catch {
      // It was taken away: its owner finds that when it publishes.
      paths.delete(path)
    }
  }
}, HEARTBEAT_MS)
