import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const MAKERS = `
import { Parameter, Price, Quantity, Strategy, TradingInstrument, Integer, List, TwoSides } from 'backtape'
class Limits {
  @Parameter(Integer, { optional: true, min: 1 }) most = 5
}
export class TouchMaker extends Strategy {
  @Parameter(TradingInstrument) instrument
  @Parameter(Quantity) size
  @Parameter(Price, { optional: true }) floor = Price.from('0.10')
  @Parameter(List(Integer), { optional: true }) levels = [1, 2]
  @Parameter(TwoSides(Integer), { optional: true, name: 'offset' }) offsets = { bid: 1, ask: 2 }
  @Parameter(Limits, { optional: true }) limits = new Limits()
}
export class Idle extends Strategy {}
export const nothing = 7
`

/** Modules of strategies by their paths in a folder. */
export const MODULES: Readonly<Record<string, string>> = {
  'makers.ts': MAKERS,
  'more/idle.mjs': 'import { Strategy } from "backtape"\nexport class Idle extends Strategy {}\nexport class Other extends Strategy {}\n',
  'broken.ts': 'export class {',
  'exits.mjs': 'process.exit(3)\n',
  'helper.ts': 'export const half = (size: number): number => size / 2\n',
  'throws.mjs': 'import { Strategy } from "backtape"\nexport class Thrower extends Strategy { constructor() { super(); throw new Error("no") } }\n',
  'types.d.ts': 'export {',
  'makers.test.ts': 'throw new Error("a test")',
}

/** Writes modules into a folder. */
export function writeModules(folder: string, modules: Readonly<Record<string, string>> = MODULES): void {
  for (const [path, text] of Object.entries(modules)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
