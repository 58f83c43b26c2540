import type { World } from '../../src/exchange/world.js'
import type { ExchangeMarket } from '../../src/exchange/market/exchange-market.js'
import { jsonCopy } from '../../src/model/saved-state.js'
import type { BenchCommand, ExchangeBench } from './exchange-bench.ts'

/** What two benches of one world tell, the second of which begins with what a checkpoint of the first holds after an instant; and that second one. */
export function playedInTwo(made: (received: string[]) => ExchangeBench, commands: readonly BenchCommand[], cutNs: number, untilNs = Infinity): { readonly received: string[], readonly bench: ExchangeBench } {
  const received: string[] = []
  const first = made(received)
  first.run(commands.filter(({ timeNs }) => timeNs <= cutNs), cutNs)
  const second = made(received)
  // As a checkpoint does: markets first, whose orders are told of what happened to their queues then.
  const markets = [...first.markets].map(([id, market]) => [id, JSON.parse(JSON.stringify(market.state())) as ReturnType<ExchangeMarket['state']>] as const)
  second.worlds[0]!.restore(JSON.parse(JSON.stringify(first.worlds[0]!.state())) as ReturnType<World['state']>)
  for (const [id, state] of markets) second.markets.get(id)!.restore(state)
  second.agenda.restore(jsonCopy(first.agenda.entries()) as ReturnType<typeof first.agenda.entries>)
  for (const [id, queue] of first.queues) second.queues.get(id)!.head = queue.head
  second.run(commands.filter(({ timeNs }) => timeNs > cutNs), untilNs)
  return { received, bench: second }
}
