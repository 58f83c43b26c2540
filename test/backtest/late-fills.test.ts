import { expect, test } from 'vitest'
import { Planned, plannedRun } from '../support/planned-run.ts'
import type { MarketLine } from '../support/market-lines.ts'

const S = 1_000_000_000
const MARKET: MarketLine[] = [0, 40, 80, 120, 170].map((at) => ({ kind: 'snapshot', timeNs: at * S, rows: [[0, 100, 9], [1, 102, 9]] }))

class Netting extends Planned {
  override onOrderFill(): void {
    this.log(`net ${this.instrument.netTraded.toString()}`)
  }
  override onStop(): void {
    this.log(`end ${this.instrument.netTraded.toString()} ${this.instrument.position.toString()}`)
  }
}

/** What the strategy logs of 3 and 4 lots bought, the second 2 s before a split of 1 for 2 at 00:01, its fill published `delay` later. */
async function logged(delay: string | null): Promise<readonly string[]> {
  const lines: string[] = []
  await plannedRun({
    files: [MARKET], plans: [['10s BID 102 3 IOC', '58s BID 102 4 IOC', '90s ASK 100 1 IOC']],
    options: {
      strategy: Netting, journal: () => ({ write: (line) => void lines.push(line) }),
      corporateActions: [{ at: '00:01:00', instrument: 'TEST1', split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false } }],
      ...(delay === null ? {} : { faults: [{ kind: 'fills', at: '00:00:50', for: '9s', delay }] }),
    },
  })
  return lines.map((line) => JSON.parse(line) as { readonly kind: string, readonly text?: string }).flatMap(({ kind, text = '' }) => (kind === 'log' ? [text] : []))
}

test('a fill from before a split that is published after it makes net traded what the exchange holds', async () => {
  expect(await logged(null)).toEqual(['net 3', 'net 7', 'net 13', 'end 13 13'])
  expect(await logged('5s')).toEqual(['net 3', 'net 14', 'net 13', 'end 13 13'])
})
