import { safeText } from '../model/display-table.js'
import { isAtWork } from '../protocol/strategies/instance-states.js'
import { openOrdersOf, stopAll } from '../strategy-server/stop-all-client.js'
import { readToken } from '../strategy-server/strategy-server-config-reader.js'
import { DEFAULT_SERVER } from './channel.js'
import type { Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

/** The exit code where an instance is at work still, or an order may be open. */
const LEFT_EXIT_CODE = 1

/** The work of `backtape stop-all`: exit code 1 where something is left. */
export async function runStopAll(args: Arguments, output: Output): Promise<number> {
  const tokenFile = args.text('tokenFile')
  const token = await readToken(tokenFile === undefined ? {} : { tokenFile })
  const stopped = await stopAll({ server: args.text('server') ?? DEFAULT_SERVER, token })
  if (args.flag('json')) await output.line(JSON.stringify(stopped, null, 2))
  else {
    for (const one of stopped) {
      const { instanceName, state, reason } = one
      const open = openOrdersOf(one)
      const left = open.length === 0 ? '' : `; ${String(open.length)} orders are open: ${open.join(', ')}`
      await output.line(`${safeText(instanceName)}: ${state}${reason === null ? '' : `, ${safeText(reason)}`}${left}`)
    }
    if (stopped.length === 0) output.note('No instance runs, and none has left an order')
  }
  return stopped.some((one) => isAtWork(one.state) || openOrdersOf(one).length > 0) ? LEFT_EXIT_CODE : 0
}
