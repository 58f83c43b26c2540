import { lifeDifference, NEVER, type ConformanceDay, type OrderLife, type RecordedRun } from './conformance.ts'
import { NaiveHftbacktest, type NaiveTraits } from './naive-hftbacktest.ts'

/*
 * Why an order's life may differ from the recorded one. For whole fills each difference is reproduced: a plain simulator after the
 * README gives the recorded life, and the engine's when one or more of three traits are taken from it. For the partial exchange the
 * classes go by how the order was filled, since its recorded lives hold known bugs (README section 8).
 */

const RECORDED: NaiveTraits = { times: 'given', judging: 'rows', bests: 'kept' }

const VARIANTS: readonly (readonly [name: string, traits: NaiveTraits])[] = [
  ['exchange times bounded (rule 1.1)', { ...RECORDED, times: 'bounded' }],
  ['lines judged whole (rule 1.4)', { ...RECORDED, judging: 'lines' }],
  ['best prices of a crossed book derived (README 3.2)', { ...RECORDED, bests: 'derived' }],
  ['lines judged whole and best prices derived', { ...RECORDED, judging: 'lines', bests: 'derived' }],
  ['times bounded and lines judged whole', { ...RECORDED, times: 'bounded', judging: 'lines' }],
  ['times bounded and best prices derived', { ...RECORDED, times: 'bounded', bests: 'derived' }],
  ['times bounded, lines judged whole, best prices derived', { times: 'bounded', judging: 'lines', bests: 'derived' }],
]

export type Explain = (recorded: OrderLife, played: OrderLife) => string | null

/** Explains the differing orders of runs of one day, run by run. */
export function explanations(day: ConformanceDay, runs: readonly RecordedRun[]): (Explain | null)[] {
  const whole = runs.filter((run) => run.params.exchange_model === 'npf')
  const reference = whole.length === 0 ? [] : new NaiveHftbacktest(whole, RECORDED).play(day)
  const variants = whole.length === 0 ? [] : VARIANTS.map(([name, traits]) => ({ name, lives: new NaiveHftbacktest(whole, traits).play(day) }))
  return runs.map((run) => {
    const at = whole.indexOf(run)
    if (at < 0) return explainPartial
    const byId = (lives: readonly OrderLife[]): Map<number, OrderLife> => new Map(lives.map((life) => [life.id, life]))
    const recordedById = byId(reference[at]!)
    const variantById = variants.map(({ name, lives }) => ({ name, lives: byId(lives[at]!) }))
    return (recorded, played) => {
      if (lifeDifference(recorded, recordedById.get(recorded.id)) !== null) return null
      return variantById.find(({ lives }) => lifeDifference(played, lives.get(played.id)) === null)?.name ?? null
    }
  })
}

function executed(life: OrderLife): number {
  return life.fills.reduce((sum, [, , , quantity]) => sum + quantity, 0)
}

function explainPartial(recorded: OrderLife, played: OrderLife): string | null {
  if (recorded.acceptNs === NEVER) {
    if (recorded.status === 'EXPIRED' && played.status === 'EXPIRED') return 'IOC: partial executions are told (README 8.5)'
    return 'taker: every level of a sweep is told, at its own price, liquidity is used up (README 8.3, 8.4, rule 2.4)'
  }
  if (played.acceptNs !== recorded.acceptNs) return 'taker: the rest of a sweep rests (README 8.3)'
  if (recorded.fills.length > 0 && executed(played) > executed(recorded)) return 'resting: every partial execution counts; no half-lot rule (README 8.1, 8.6)'
  if (recorded.status === 'FILLED' && played.status !== 'FILLED') return 'resting: a passed order takes what the row or level still has, not all (README 8.2, rule 3.2)'
  if (played.fills.length > 0 || recorded.fills.length > 0) return 'resting: filled at another time, by what a row has beyond the queue in whole lots (README 8.1, rule 3.2)'
  return null
}
