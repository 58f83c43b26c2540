import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { datasetsFolder } from './datasets-folder.ts'

/** A folder with run files and strategies that is gone after the tests. */
export class RunFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'backtape-runs-'))

  /** Writes a file, an object as JSON, and says its path. */
  write(name: string, content: string | object): string {
    const path = join(this.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** The day that most runs of the tests play. */
export const XRP_DAY: string = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')

/** A strategy module whose class has the given body. */
export function strategyModule(body: string, name = 'Subject'): string {
  return `import { Parameter, Price, Quantity, Strategy, TradingInstrument, type Order } from 'backtape'

export class ${name} extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument

${body}
}
`
}

/** A run file over the last seconds of {@link XRP_DAY}. */
export function runContent(more: object = {}): Readonly<Record<string, unknown>> {
  return { strategy: './subject.ts#Subject', data: [XRP_DAY], from: '23:55:30', to: '23:55:40', parameters: { instrument: 'XRPUSDT' }, ...more }
}

/** Where the package lies. */
export const packageFolder: string = resolve(import.meta.dirname, '../..')
