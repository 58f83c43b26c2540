import type { BenchCommand, ExchangeBench } from './exchange-bench.ts'
import { throughJson } from './through-json.ts'

/** What two benches of one world tell, the second of which begins with what a checkpoint of the first holds after an instant; and that second one. */
export function playedInTwo(made: (received: string[]) => ExchangeBench, commands: readonly BenchCommand[], cutNs: number, untilNs = Infinity): { readonly received: string[], readonly bench: ExchangeBench } {
  const received: string[] = []
  const first = made(received)
  first.run(commands.filter(({ timeNs }) => timeNs <= cutNs), cutNs)
  const second = made(received)
  // As a checkpoint does: markets first, whose orders are told of what happened to their queues then.
  const { world, markets, agenda } = throughJson({
    world: first.worlds[0]!.state(), markets: [...first.markets].map(([id, market]) => [id, market.state()] as const), agenda: first.agenda.entries(),
  })
  second.worlds[0]!.restore(world)
  for (const [id, state] of markets) second.markets.get(id)!.restore(state)
  second.agenda.restore(agenda)
  for (const [id, queue] of first.queues) second.queues.get(id)!.head = queue.head
  second.run(commands.filter(({ timeNs }) => timeNs > cutNs), untilNs)
  return { received, bench: second }
}
