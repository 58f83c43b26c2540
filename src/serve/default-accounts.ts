import { namedAccounts, type NamedAccounts } from '../configuration/named-accounts.js'
import { openReplayInput } from '../simulation/replay-input.js'
import { daysOfSpan } from '../tickfile/data-input.js'
import type { ServedReplayOptions } from './serve-options.js'

/** Accounts that a command line names, for the instruments of data. Throws what `namedAccounts` and the files throw. */
export async function defaultAccounts(
  names: readonly string[], { data, prefer, from, to }: Pick<ServedReplayOptions, 'data' | 'prefer' | 'from' | 'to'>,
): Promise<NamedAccounts> {
  const input = await openReplayInput(data, {
    days: daysOfSpan({ from, to }), ...(prefer === undefined ? {} : { prefer }),
  })
  await input.close()
  return namedAccounts(
    names, input.inputs.map(({ instrument }) => instrument), input.inputs.flatMap(({ underlyings }) => underlyings))
}
