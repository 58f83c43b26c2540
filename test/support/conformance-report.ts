import { lifeDifference, playRuns, readDay, readRun, type PlayedRun, type RecordedRun } from './conformance.ts'
import { explanations } from './conformance-classes.ts'

/** What came of one recorded run. */
export interface RunReport {
  readonly path: string
  readonly orderCount: number
  /** Differing orders by the class that explains them. */
  readonly classes: Readonly<Record<string, number>>
  /** The first difference that no class explains, in words. */
  readonly unexplained: string | null
  readonly moneyDifference: string | null
}

/** Plays recorded runs, day by day, and compares every order. */
export async function compareRuns(paths: readonly string[], findDay: (fileName: string) => string | undefined): Promise<RunReport[]> {
  const runs = paths.map(readRun)
  const reports: RunReport[] = []
  for (const file of new Set(runs.map((run) => run.file))) {
    const path = findDay(file)
    if (path === undefined) throw new Error(`Cannot find the day ${file}: name its folder with --data`)
    const day = await readDay(path)
    const ofDay = runs.filter((run) => run.file === file)
    const playedRuns = playRuns(day, ofDay)
    const differing = ofDay.filter((_run, index) => playedRuns[index]!.recorded.some((life, at) => lifeDifference(life, playedRuns[index]!.played[at]) !== null))
    const explained = explanations(day, differing)
    playedRuns.forEach((played, index) => {
      const run = ofDay[index]!
      const different = played.recorded.flatMap((life, at) => {
        const difference = lifeDifference(life, played.played[at])
        return difference === null ? [] : [{ life, played: played.played[at]!, difference }]
      })
      const classes: Record<string, number> = {}
      let unexplained: string | null = null
      const classOf = different.length === 0 ? null : explained[differing.indexOf(run)]
      for (const { life, played: found, difference } of different) {
        const name = classOf?.(life, found) ?? null
        if (name === null) unexplained ??= difference
        else classes[name] = (classes[name] ?? 0) + 1
      }
      const isPlain = run.params.exchange_model === 'npf' && different.length === 0
      reports.push({ path: run.path, orderCount: played.recorded.length, classes, unexplained, moneyDifference: isPlain ? recordedMoneyDifference(run, played) : ledgerDifference(run, played) })
    })
  }
  return reports.sort((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path))
}

interface Money {
  position: number
  balance: number
  fee: number
  num_trades: number
  trading_volume: number
  trading_value: number
}

/** Section 7 of the README in doubles, from the engine's fills in the order of their arrival. */
function moneyOf({ params }: RecordedRun, { received }: PlayedRun): Money {
  const money: Money = { position: 0, balance: 0, fee: 0, num_trades: 0, trading_volume: 0, trading_value: 0 }
  for (const { side, tick, quantity, isMaker } of received) {
    const price = tick * params.tick_size
    const sign = side === 'BUY' ? 1 : -1
    const amount = params.asset === 'inverse' ? (params.contract_size * quantity) / price : params.contract_size * price * quantity
    const rate = isMaker ? params.maker_fee : params.taker_fee
    money.position += quantity * sign
    money.balance -= amount * sign
    money.fee += params.fee_model === 'trading_qty' ? rate * quantity : params.fee_model === 'flat_per_trade' ? rate : rate * amount
    money.num_trades++
    money.trading_volume += quantity
    money.trading_value += amount
  }
  return money
}

function recordedMoneyDifference(run: RecordedRun, played: PlayedRun): string | null {
  const money = moneyOf(run, played)
  for (const field of ['position', 'balance', 'fee', 'num_trades', 'trading_volume', 'trading_value'] as const) {
    if (money[field] !== run.result[field]) return `${field} is recorded as ${run.result[field]}, computed from the engine's fills as ${money[field]}`
  }
  return ledgerDifference(run, played)
}

/** The engine's own ledger against the same fills in doubles, to 1e-9 of what was traded. */
function ledgerDifference(run: RecordedRun, played: PlayedRun): string | null {
  const money = moneyOf(run, played)
  const position = played.world.accounts.get('A')!.positions.values().next().value
  if (position === undefined) return money.num_trades === 0 ? null : 'the ledger has no position'
  const { sums, fees } = position
  const isInverse = run.params.asset === 'inverse'
  const ledger = {
    position: sums.quantity.toNumber(),
    balance: (isInverse ? sums.realizedPnl.plus(sums.openValue).negated() : sums.realizedPnl.minus(sums.openValue)).toNumber(),
    fee: [...fees.values()].reduce((sum, fee) => sum + fee.toNumber(), 0),
    trading_value: sums.turnover.toNumber(),
  }
  for (const field of ['position', 'balance', 'fee', 'trading_value'] as const) {
    const tolerance = 1e-9 * Math.max(1, Math.abs(money.trading_value))
    if (!(Math.abs(ledger[field] - money[field]) <= tolerance)) return `${field} of the ledger is ${ledger[field]}, of its fills in doubles ${money[field]}`
  }
  return null
}
