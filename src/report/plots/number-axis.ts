import { LEFT, type PlotMark, type PlotModule } from './sheet.js'
import { shortText } from './svg-text.js'

/** The widest digit and the widest narrow sign at 11 pixels, as nothing here can measure text. */
const [DIGIT, NARROW] = [7, 3.7]
/** Marks of a bottom axis, where there is room for their words. */
const BOTTOM_TICKS = 8
/** Characters from which on a number is written as a power of ten. */
const LONG = 18

/** Pixels that a number or a time takes at most as words of a mark. */
export function wordPixels(text: string): number {
  let pixels = 0
  for (const sign of text) pixels += /[.,: ]/.test(sign) ? NARROW : DIGIT
  return pixels
}

/** The distance of about `tickCount` round marks over a domain: 1, 2 or 5 times a power of ten. */
function tickStep([low, high]: readonly [number, number], tickCount: number): number {
  const rough = (high - low) / Math.max(1, tickCount)
  if (!(rough > 0 && rough < Infinity)) return 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const [two, five, ten] = [Math.SQRT2, Math.sqrt(10), Math.sqrt(50)]
  const factor = rough / power
  return power * (factor >= ten ? 10 : factor >= five ? 5 : factor >= two ? 2 : 1)
}

/** Numbers with the decimals that tell the marks of a domain apart; a very long one as a power of ten. */
export function numberWords(domain: readonly [number, number], tickCount: number): (value: number) => string {
  const decimals = Math.max(0, -Math.floor(Math.log10(tickStep(domain, tickCount)) + 1e-9))
  return (value) => {
    const size = Math.abs(value)
    const [whole = '', part] = size < 1e18 && decimals <= 20 ? size.toFixed(decimals).split('.') : []
    const text = whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part === undefined ? '' : `.${part}`)
    const words = text === '' || text.length > LONG ? Number(size.toPrecision(6)).toExponential() : text
    return value < 0 && /[1-9]/.test(words) ? `\u2212${words}` : words
  }
}

function longestWord(domain: readonly [number, number], tickCount: number): number {
  const words = numberWords(domain, tickCount)
  return Math.max(...domain.map((value) => wordPixels(words(value))))
}

/** The left edge that leaves room for the numbers of value axes, one above the other. */
export function leftFor(domains: readonly (readonly [number, number])[], tickCount = 5): number {
  return Math.max(LEFT, ...domains.map((domain) => Math.ceil(longestWord(domain, tickCount)) + 14))
}

/** The options of a value axis. */
export interface ValueAxisOptions {
  /** The domain of its scale. */
  readonly domain: readonly [number, number]
  /** The left edge of the drawing; default {@link LEFT}. */
  readonly left?: number
  /** Number of marks, about; default 5. */
  readonly tickCount?: number
}

/** A value axis at the left with its grid. */
export function valueAxis(plot: PlotModule, label: string, options: ValueAxisOptions): PlotMark[] {
  const { domain, left = LEFT, tickCount = 5 } = options
  return [
    plot.gridY({ ticks: tickCount, className: 'bt-grid', strokeOpacity: 1 }),
    plot.axisY({
      ticks: tickCount, tickFormat: numberWords(domain, tickCount), className: 'bt-axis', label: shortText(label, 60),
      labelArrow: 'none', labelAnchor: 'top', labelOffset: left - 12,
    }),
  ]
}

/** An axis of numbers below the drawing, `pixels` wide, with as many marks as their words have room; and its grid. */
export function bottomNumbers(
  plot: PlotModule, label: string, domain: readonly [number, number], pixels: number,
): PlotMark[] {
  let ticks = BOTTOM_TICKS
  while (ticks > 1 && (longestWord(domain, ticks) + 14) * ticks > pixels) ticks -= 1
  return [
    plot.gridX({ className: 'bt-grid', strokeOpacity: 1, ticks }),
    plot.axisX({
      className: 'bt-axis', ticks, tickFormat: numberWords(domain, ticks), label: shortText(label, 60),
      labelArrow: 'none', labelAnchor: 'right', labelOffset: 34,
    }),
  ]
}
