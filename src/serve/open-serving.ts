import { closing, type Closing } from '../model/closing.js'
import { isJsonObject } from '../model/json-object.js'
import type { ServeAddresses, ServeOptions } from './serve-options.js'
import { openServing as openEverything } from './serving-server.js'
import { openShopAlone } from './shop-alone-server.js'

/** Recorded days that are served: everything listens. */
export interface ServedDays extends Closing {
  /** Where it listens, and the keys of its feeds. */
  readonly addresses: ServeAddresses
  /** Requests in lock-step that came when their step was over: what they did cannot be reproduced. */
  readonly lateRequestCount: number
  /** Moves the replay to its end, or until {@link close}. */
  run(): Promise<'ended' | 'stopped'>
  /** Says good-bye to everybody and closes everything; harmless twice. */
  close(): Promise<void>
}

/**
 * Serves recorded days on this machine as the vendor's live system: a feed for each market, and one HTTP server with
 * the instrument directory, the adapter lookup and the order entry adapter. Everything listens when it resolves, and
 * nothing moves before `run`. Options that a backtest has too mean what they mean there. With `replay` false a shop is
 * served alone, over any number of days and exchanges: there is no feed, no directory, no lookup and no adapter.
 *
 * Throws OPTION_INVALID for options that mean nothing and for ports that cannot be had, ADDRESS_IN_USE for a domain
 * socket that is taken, and the errors of the files.
 *
 * @example
 * ```ts
 * import { runLive, Strategy } from 'backtape'
 * import { openServing } from 'backtape/serve'
 * class Listener extends Strategy {}
 * const served = await openServing({
 *   data: ['datasets/synthetic_spot-XRPUSDT-2026-07-01.txt.zst'], from: '23:59:55', httpPort: 0,
 *   account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } }, replay: { speed: 'lockstep' },
 * })
 * const played = served.run()
 * const { feeds, http, keys, accounts } = served.addresses
 * const { reason } = await runLive({
 *   strategy: Listener, feed: feeds[0]?.json ?? '', apiKey: keys[0], backend: http, accountId: accounts,
 * })
 * if (reason !== 'the data have ended' || (await played) !== 'ended') throw new Error(reason)
 * await served.close()
 * ```
 */
export async function openServing(options: ServeOptions): Promise<ServedDays> {
  // Programs without types pass anything.
  if (isJsonObject(options) && options.replay === false) {
    const { addresses, run, close } = await openShopAlone(options)
    return { addresses, lateRequestCount: 0, run, ...closing(close) }
  }
  const serving = await openEverything(options)
  return {
    addresses: serving.addresses,
    get lateRequestCount() {
      return serving.pacer.lockStep.lateCount
    },
    run: () => serving.run(),
    ...closing(() => serving.close()),
  }
}
