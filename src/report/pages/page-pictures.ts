import type { Picture } from '../plots/picture.js'
import { html, Markup } from '../../web/page-markup.js'
import type { ReportHistogram, ReportSeries } from './report-series.js'

/** Widths in which a picture is drawn: for a phone and for all that is wider. */
const [NARROW, WIDE] = [380, 900]

/** A picture for wide and for narrow pages; the style shows one of them. */
export function figureMarkup(draw: (width: number) => Picture): Markup {
  return html`<figure><div class="wide">${new Markup(draw(WIDE).svg)}</div>
<div class="narrow">${new Markup(draw(NARROW).svg)}</div></figure>
`
}

/** A course in buckets as points: the lowest, the highest and the last of each, where they differ. */
export function pointsOf(
  { bucketMs, epochMs, low, high, last }: ReportSeries,
): { readonly epochMs: Float64Array; readonly values: Float64Array } {
  const [times, values]: [number[], number[]] = [[], []]
  for (const [at, from] of epochMs.entries()) {
    const [least, most, latest] = [low[at] as number, high[at] as number, last[at] as number]
    if (least < latest) {
      times.push(from)
      values.push(least)
    }
    if (most > latest) {
      times.push(from + bucketMs / 3)
      values.push(most)
    }
    times.push(from + (least === most ? 0 : bucketMs / 2))
    values.push(latest)
  }
  return { epochMs: Float64Array.from(times), values: Float64Array.from(values) }
}

/**
 * A histogram as bars of equal width; those of bins below 0 have the colour of losses. Its table of numbers is in the
 * title of each bar.
 */
export function histogramMarkup(title: string, histogram: ReportHistogram, textOf: (edge: number) => string): Markup {
  const { edges, counts } = histogram
  const most = Math.max(1, ...counts)
  if (counts.length === 0) return html``
  const middle = edges[Math.floor(edges.length / 2)] ?? 0
  return html`<figure><figcaption><b>${title}</b>, ${String(counts.reduce((sum, one) => sum + one, 0))} in
${String(counts.length)} bins, the fullest holds ${String(most)}</figcaption>
<div class="bars" role="img" aria-label="${title}">${counts.map((count, at) => {
    const [from, to] = [edges[at] as number, edges[at + 1] as number]
    const height = count === 0 ? 0 : Math.max(1.5, (count / most) * 100)
    return html`<i${to <= 0 && html` class="minus"`} style="height:${height.toFixed(1)}%" title="${
      `${textOf(from)} to ${textOf(to)}: ${String(count)}`}"></i>`
  })}</div>
<div class="ends"><span>${textOf(edges[0] ?? 0)}</span><span>${textOf(middle)}</span><span>${textOf(edges.at(-1) ?? 0)}
</span></div></figure>
`
}
