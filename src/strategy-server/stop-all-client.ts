import { BacktapeError } from '../model/error.js'
import { afterMs } from '../model/wall-client.js'
import { isAtWork } from '../protocol/strategies/instance-states.js'
import { STRATEGIES } from '../protocol/strategies/strategy-tables.js'
import type { Wire } from '../protocol/strategies/strategy-schemas.js'
import { addressAt } from './server-address.js'

/** An answer takes at most so long, and so long are instances waited for; between two looks at them. */
const [ANSWER_MS, REST_MS, LOOK_MS] = [10_000, 30_000, 200]

/** The address of a strategy server, `http://host:port`, and its token; null: it needs none. */
export interface AskedServer {
  readonly server: string
  readonly token: string | null
}

/** Own ids of the orders of an instance that are open at its venue, or may be. */
export function openOrdersOf({ openOrders, end }: Wire<'InstanceStatus'>): readonly string[] {
  return openOrders ?? end?.openOrders ?? []
}

/**
 * Stops every instance of a strategy server that runs, cancels all orders, and waits until the instances are at rest
 * and no order is open, 30 seconds at most. Returns the statuses of those that it stopped, or whose orders it
 * cancelled. Throws OPTION_INVALID for another address, LOGIN_REFUSED without the right token, CONNECTION_FAILED where
 * the server cannot be reached or answers anything else.
 */
export async function stopAll(of: AskedServer): Promise<readonly Wire<'InstanceStatus'>[]> {
  const asked = new Set((await answerOf(of, 'stopAll')).map(({ instanceId }) => instanceId))
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const own = (await answerOf(of, 'statuses')).filter(({ instanceId }) => asked.has(instanceId))
    const isOver = own.every((one) => !isAtWork(one.state) && openOrdersOf(one).length === 0)
    if (waitedMs >= REST_MS || isOver) return own
    await new Promise<void>((resolve) => { afterMs(LOOK_MS, resolve) })
  }
}

async function answerOf(
  { server, token }: AskedServer, route: 'stopAll' | 'statuses',
): Promise<readonly Wire<'InstanceStatus'>[]> {
  const { method = '', path = '' } = STRATEGIES.routes[route] ?? {}
  const url = addressAt(server, path)
  const failed = (found: string, cause?: unknown): BacktapeError => new BacktapeError(
    'CONNECTION_FAILED', `Cannot stop the instances of ${url.origin}: expected an answer, found ${found}`,
    { expected: 'an answer', found }, cause)
  let response: Response
  let body: unknown
  try {
    const headers: Readonly<Record<string, string>> = token === null ? {} : { authorization: `Bearer ${token}` }
    response = await fetch(url, { method, headers, signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' })
    body = JSON.parse(await response.text())
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string, readonly message?: string } }
    throw failed(cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error)), error)
  }
  if (response.status === 401) {
    const sentence = `Cannot stop the instances of ${url.origin}: it needs its token (--token-file), found ` +
      (token === null ? 'none' : 'another one')
    throw new BacktapeError('LOGIN_REFUSED', sentence, { field: 'tokenFile', found: String(response.status) })
  }
  if (response.status !== 200 || !Array.isArray(body)) throw failed(`status ${String(response.status)}`)
  return body as readonly Wire<'InstanceStatus'>[]
}
