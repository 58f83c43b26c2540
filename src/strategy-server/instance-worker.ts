import { loadStrategy } from '../configuration/strategy-module-reader.js'
import { playReplay } from './instance-replay-worker.js'
import { endAtOnce, order, words } from './instance-thread-worker.js'
import { WORDS } from './instance-thread.js'

const ALIVE_MS = 100

async function play(): Promise<never> {
  const { modulePath, strategyName, bundles = null, venue } = order
  const strategy = await loadStrategy(`${modulePath}#${strategyName}`, '.', bundles)
  if (venue.type === 'replay') return playReplay(strategy, venue)
  const { playSockets } = await import('./instance-sockets-worker.js')
  return playSockets(strategy, venue)
}

// From here on the other thread looks whether this one gets on.
words[WORDS.alive] = 1
// What a strategy leaves to the event loop, and what nobody catches of a promise.
process.on('uncaughtException', (error) => { endAtOnce(error) })
process.exit = (code): never => endAtOnce(new Error(`The strategy called process.exit(${String(code ?? '')})`))
setInterval(() => { words[WORDS.alive] = (words[WORDS.alive] as number) + 1 }, ALIVE_MS).unref()
play().catch((error: unknown) => endAtOnce(error))
