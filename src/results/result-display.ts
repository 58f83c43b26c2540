import type { Shown } from '../model/display-table.js'
import { shownSummary } from '../report/summary-text.js'
import { pictures } from '../report/plots/pictures.js'
import type { Picture } from '../report/plots/picture.js'
import type { BacktestResult } from './backtest-result.js'

/** Words for kinds of a configuration; one of a backtest states none. */
const KINDS: Readonly<Record<string, string>> = { live: 'Live run', paper: 'Paper run' }

/** Pictures of equity that a result shows of itself, one for each underlying. */
const PICTURES_MAX = 3

/** The equity of a run, a picture for each underlying; milliseconds and doubles, as pictures have. */
function equityPictures(
  { equity, curves }: Pick<BacktestResult, 'equity' | 'curves'>, width = 640,
): readonly Picture[] {
  const units = [...new Set(equity.rows.map(({ underlying }) => underlying))].slice(0, PICTURES_MAX)
  return units.map((unit) => {
    // The curve ends where the data end, the table where the run does.
    const { bucketMs, epochMs } = curves.find(({ underlying }) => underlying === unit) ?? { bucketMs: 0, epochMs: [] }
    const [from, to] = [epochMs[0] ?? -Infinity, (epochMs.at(-1) ?? Infinity) + bucketMs]
    const rows = equity.rows.filter(({ underlying, ts }) => (
      underlying === unit && Number(ts) / 1e6 >= from && Number(ts) / 1e6 <= to))
    return pictures.equity({
      epochMs: Float64Array.from(rows, ({ ts }) => Number(ts) / 1e6),
      equity: Float64Array.from(rows, (row) => Number(row.equity)),
      drawdown: Float64Array.from(rows, ({ drawdown }) => Number(drawdown)),
    }, { unit, width, height: 280 })
  })
}

/** A result as it is shown: its summary, and in notebooks the equity below it. */
export function shownResult(result: BacktestResult): Shown {
  const { line, text, html } = shownSummary(result.summary)
  const kind = KINDS[String(result.configuration['kind'])] ?? 'Backtest'
  return {
    line: `${kind} ${line}`, text: `${text}\n\nfingerprint ${result.fingerprint}`,
    html: html + equityPictures(result).map(({ svg }) => svg).join(''),
  }
}
