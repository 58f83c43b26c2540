import { openChannelPeer } from '../strategy-server/channel-peer-client.js'
import { readToken } from '../strategy-server/strategy-server-config-reader.js'
import { safeText } from '../model/display-table.js'
import { inputLines } from './input-lines-client.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

/** The address of a strategy server, where nothing names another. */
export const DEFAULT_SERVER = 'http://127.0.0.1:8000'

/** The work of `backtape channel`: it prints what comes until Ctrl-C; lines of standard input are published. */
export async function runChannel(args: Arguments, output: Output): Promise<number> {
  const [channel = ''] = args.words
  const origin = args.text('origin')
  if (origin === undefined) throw optionError('origin', 'a name that no other client has', 'nothing')
  const tokenFile = args.text('tokenFile')
  const isJson = args.flag('json')
  let printed: Promise<void> = Promise.resolve()
  const peer = await openChannelPeer({
    server: args.text('server') ?? DEFAULT_SERVER, channel, origin,
    token: await readToken(tokenFile === undefined ? {} : { tokenFile }),
  }, {
    message: (event) => {
      const line = isJson ? JSON.stringify(event) : `${safeText(event.origin)}: ${safeText(event.message)}`
      printed = printed.then(async () => {
        await output.line(line)
        await output.flush()
      })
    },
    refused: (sentence) => { output.note(`Not published: ${sentence}`) },
  })
  const close = (): void => { peer.close() }
  args.signal.addEventListener('abort', close, { once: true })
  if (args.signal.aborted) close()
  const stop = inputLines((line) => { peer.publish(line) })
  try {
    await peer.ended
    await printed
  } finally {
    stop()
    args.signal.removeEventListener('abort', close)
  }
  return 0
}
