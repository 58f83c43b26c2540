import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as own from '../../src/index.js'
import { installPackage, writeProject } from '../support/installed-package.ts'
import { XRP_DAY } from '../support/run-folder.ts'

const root = join(import.meta.dirname, '../..')

const MAKER = `import { Account, List, Parameter, Price, Quantity, Strategy, TradingInstrument, type Order } from 'backtape'
class Step { @Parameter(Price) size!: Price }
export class Maker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Account) account!: Account
  @Parameter(Quantity) size!: Quantity
  @Parameter(List(Step)) steps!: readonly Step[]
  override onStart(): void {
    this.every(1000, () => { this.quote() })
  }
  quote(): void {
    const { bestBid } = this.instrument
    if (bestBid === null || this.instrument.openOrders.length > 0) return
    const price = Price.from(bestBid.price.toDecimal().minus(this.steps[0]!.size.toDecimal()).toString())
    if (!(bestBid.price instanceof Price) || !bestBid.price.equals(Price.from(bestBid.price.toString()))) throw new Error('no price')
    if (!(this.instrument instanceof TradingInstrument) || !(this.account instanceof Account)) throw new Error('no instrument')
    this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from(this.size.toString()), price: this.instrument.roundPrice(price, 'down') })
  }
  override onOrderFill(order: Order): void {
    this.log(String(order.getLastFill()?.price))
  }
}
`

const MAIN = `import { BacktapeError, Quantity, Price, readEvents, runBacktest } from 'backtape'
async function main(): Promise<void> {
  const other = await import('backtape')
  const { Maker } = await import('./maker.mjs')
  if (other.Quantity === Quantity) throw new Error('one copy alone')
  const data = [process.argv[2]!]
  const options = { strategy: Maker, data, from: '23:55', to: '23:58', parameters: { instrument: 'XRPUSDT', account: 'account', size: other.Quantity.from('10'), steps: [{ size: Price.from('0.0001') }] }, account: { balances: { USDT: '1000' } } }
  const result = await runBacktest(options as never)
  let trades = 0
  for await (const event of readEvents(await other.openTickFile(data[0]!) as never, { kinds: ['trades'], from: '23:55', to: '23:56' })) trades += event.trades.length
  let isOurs = false
  try { other.Price.from('no price') } catch (error) { isOurs = error instanceof BacktapeError }
  console.log(JSON.stringify([result.fingerprint.slice(0, 4), result.journalLineCount > 100, trades > 0, isOurs]))
}
main().catch((error: unknown) => { console.error(error); process.exit(1) })
`

let folder = ''
let other: typeof own

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-copies-'))
  const entry = installPackage(folder)
  other = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as typeof own
}, 180_000)
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('two copies of the package', () => {
  test('know values of each other, and no others', () => {
    expect(other.Price).not.toBe(own.Price)
    const cases: readonly (readonly [string, unknown, abstract new (...args: never[]) => object, boolean])[] = [
      ['a price', other.Price.from('1.5'), own.Price, true],
      ['a price as a decimal', other.Price.from('1.5'), own.FixedDecimal, true],
      ['a price as a quantity', other.Price.from('1.5'), own.Quantity, false],
      ['a quantity', other.Quantity.from('1'), own.Quantity, true],
      ['an error', new other.BacktapeError('STOPPED', 'x'), own.BacktapeError, true],
      ['an error of no package', new Error('x'), own.BacktapeError, false],
      ['an object', { integer: 1, scale: 0 }, own.Price, false],
      ['null', null, own.Price, false],
      ['a text', '1.5', own.Price, false],
    ]
    for (const [name, value, kind, expected] of cases) expect([name, value instanceof kind]).toEqual([name, expected])
    class Finer extends own.Price {}
    expect([own.Price.from('1') instanceof Finer, new Finer(1, 0) instanceof Finer, new Finer(1, 0) instanceof own.Price]).toEqual([false, true, true])
    expect(own.Price.from('1.50').equals(other.Price.from('1.5'))).toBe(true)
    expect(own.Price.from('1.50').compare(other.Price.from('1.25'))).toBe(1)
    expect(new own.Decimal(other.Price.from('1.5').toDecimal()).plus(new other.Decimal('0.25')).toString()).toBe('1.75')
  })

  test('run strategies of each other with the same result', async () => {
    async function fingerprint(runner: typeof own, sdk: typeof own): Promise<string> {
      class Maker extends sdk.Strategy {
        instrument!: own.TradingInstrument
        size!: own.Quantity
        override onInstrumentTrades(instrument: own.DataInstrument): void {
          const [trade] = instrument.getLastTrades()
          if (trade !== undefined && this.instrument.openOrders.length === 0) this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: sdk.Price.from(trade.price.toString()) })
          this.log(String(this.nowNs()))
        }
      }
      sdk.Parameter(sdk.TradingInstrument)(Maker.prototype, 'instrument')
      sdk.Parameter(sdk.Quantity)(Maker.prototype, 'size')
      const result = await runner.runBacktest({
        strategy: Maker, data: [XRP_DAY], from: '23:59', to: '24:00', parameters: { instrument: 'XRPUSDT', size: '10' }, account: { balances: { USDT: '1000' } },
      })
      expect(result.journalLineCount).toBeGreaterThan(10)
      return result.fingerprint
    }
    const wanted = await fingerprint(own, own)
    expect(await fingerprint(own, other)).toBe(wanted)
    expect(await fingerprint(other, own)).toBe(wanted)
  })

  test.each([['own', () => own.Strategy], ['other', () => other.Strategy]])('refuse the base class itself and what is none: %s', async (_name, base) => {
    for (const strategy of [base(), Map, Date, {}, 'Maker', () => undefined]) {
      await expect(own.runBacktest({ strategy, data: [XRP_DAY], from: '23:59', to: '24:00' } as never)).rejects.toThrow(/extends Strategy|strategy/)
    }
  })

  test('come from tsx in a CommonJS package, and work together', () => {
    writeProject(folder, {
      'package.json': { name: 'consumer', private: true },
      'tsconfig.json': { compilerOptions: { target: 'ES2022', module: 'CommonJS', strict: true } },
      'maker.mts': MAKER,
      'main.ts': MAIN,
    })
    const run = spawnSync(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), 'main.ts', XRP_DAY], { cwd: folder, encoding: 'utf8', env: { ...process.env, TMPDIR: folder, TEMP: folder } })
    expect(run.stderr).toBe('')
    expect(JSON.parse(run.stdout)).toEqual(['bt3:', true, true, true])
  }, 180_000)
})
