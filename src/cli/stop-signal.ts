import type { Output } from './output.js'

/** An AbortController that Ctrl-C and a polite kill set off; the second Ctrl-C ends the process at once, which leaves nothing that looks whole. */
export function stopOnSignals(output: Output): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const stop = (): void => {
    output.note('Stopping; press Ctrl-C again to leave at once.')
    controller.abort()
    release()
  }
  const release = (): void => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return { signal: controller.signal, release }
}
