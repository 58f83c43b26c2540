import { safeText } from '../model/display-table.js'
import { isAtWork } from '../protocol/strategies/instance-states.js'
import { stopAll } from '../strategy-server/stop-all-client.js'
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
    for (const { instanceName, state, reason, end } of stopped) {
      const open = end?.openOrders.length ?? 0
      const left = open === 0 ? '' : `; ${String(open)} orders are open: ${(end?.openOrders ?? []).join(', ')}`
      await output.line(`${safeText(instanceName)}: ${state}${reason === null ? '' : `, ${safeText(reason)}`}${left}`)
    }
    if (stopped.length === 0) output.note('No instance runs')
  }
  const isLeft = stopped.some(({ state, end }) => isAtWork(state) || (end?.openOrders.length ?? 0) > 0)
  return isLeft ? LEFT_EXIT_CODE : 0
}
