import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayText } from '../../src/model/time.js'
import type { Instrument } from '../../src/model/instrument.js'
import { MADE_EPOCH_DAY, marketDay, type MarketPart } from './made-market-file.ts'
import type { MarketLine } from './market-lines.ts'

/** A folder of hand-written days of TEST1 that is gone after the tests; day 0 is 2026-07-01. */
export class MadeDaysFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'backtape-days-'))
  #count = 0

  /** Writes days by their number, each set with a name of its own; says their paths. */
  write(days: ReadonlyMap<number, readonly MarketLine[]>): string[] {
    return this.writeParts(new Map([...days].map(([day, lines]) => [day, [{ lines }]])))
  }

  /** The same of days whose digits change on the way. */
  writeParts(days: ReadonlyMap<number, readonly MarketPart[]>, master: Partial<Instrument> = {}): string[] {
    const set = `set${this.#count++}`
    return [...days].map(([day, parts]) => {
      const path = join(this.path, `${set}-TEST1-${dayText(MADE_EPOCH_DAY + day)}.txt.zst`)
      writeFileSync(path, marketDay(parts, { master, epochDay: MADE_EPOCH_DAY + day }))
      return path
    })
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** A book of one level a side around each price, a second apart from the day's begin. */
export function bookLines(prices: readonly number[], spread = 2, stepNs = 1e9): MarketLine[] {
  return prices.map((price, at) => ({ kind: 'snapshot', timeNs: at * stepNs, rows: [[0, price, 500], [1, price + spread, 500]] }))
}
