import { createRequire } from 'node:module'
import { requirePackage } from '../../files/package-reader.js'
import { Picture } from './picture.js'
import type { PictureTheme } from './picture-theme.js'
import { escapeText, pixelText, shortText, svgOf, type SvgNode } from './svg-text.js'

/** Left edge of the drawing area, for the words of the value axis; more where its numbers are long. */
export const LEFT = 68
/** Right edge of the drawing area: half of the words of a mark that stands there. */
export const RIGHT = 36

/** The options that every picture has. */
export interface PictureOptions {
  /** Title above the picture; each picture has its own default. */
  readonly title?: string
  /** Width in pixels, from 240 to 4,096; default 860. */
  readonly width?: number
  /** Height of the drawing in pixels, from 80 to 4,096; each picture has its own default. */
  readonly height?: number
  /** `auto` (default) follows the light or dark scheme of the reader. */
  readonly theme?: PictureTheme
}

/** The shape beside the words of a legend. */
export type LegendShape = 'line' | 'dashes' | 'dots' | 'up' | 'down' | 'square' | 'circle' | 'cross'

/** An entry of a legend. */
export interface LegendEntry {
  readonly label: string
  readonly shape: LegendShape
  /** Class of its colour, without `bt-`. */
  readonly className: string
}

/** Something that Plot draws: its options, or a function that draws with the scales. */
export type PlotMark = object

/** The part of Observable Plot that is used; its own types need those of a browser. */
export interface PlotModule {
  plot(options: object): SvgNode
  line(data: object, options: object): PlotMark
  areaY(data: object, options: object): PlotMark
  ruleX(data: object, options: object): PlotMark
  ruleY(data: object, options: object): PlotMark
  dot(data: object, options: object): PlotMark
  rect(data: object, options: object): PlotMark
  text(data: object, options: object): PlotMark
  axisX(options: object): PlotMark
  axisY(options: object): PlotMark
  gridX(options: object): PlotMark
  gridY(options: object): PlotMark
}

/** A drawing area of a picture, one below the other. */
export interface Panel {
  readonly height: number
  /** The options of Plot, without those that the sheet gives. */
  readonly options: (plot: PlotModule) => object
}

/** A picture as its parts. */
export interface Sheet {
  readonly kind: string
  readonly title: string
  /** One sentence on the data and their reduction; may be empty. */
  readonly caption: string
  readonly legend: readonly LegendEntry[]
  readonly panels: readonly Panel[]
  /** True where there is nothing to draw. */
  readonly isEmpty: boolean
  readonly options: PictureOptions
}

const EDGE = 12
const LINE = 15
const LEGEND_LINE = 18
/** Mean width of a character at 11 pixels, as nothing here can measure text. */
const CHARACTER = 6.1

interface Linkedom {
  readonly parseHTML: (text: string) => { readonly document: object }
}

const load = createRequire(import.meta.url)
let modules: { readonly plot: PlotModule; readonly document: object } | null = null

/** Observable Plot and a document to draw in, loaded with the first picture. */
function drawingModules(): { readonly plot: PlotModule; readonly document: object } {
  if (modules === null) {
    const { parseHTML } = requirePackage('linkedom', () => load('linkedom') as Linkedom)
    modules = {
      plot: requirePackage('@observablehq/plot', () => load('@observablehq/plot') as PlotModule),
      document: parseHTML('<!doctype html><html><body></body></html>').document,
    }
  }
  return modules
}

/** A number within bounds; what is no number is the default. */
export function bounded(value: number | undefined, whenAbsent: number, least: number, greatest: number): number {
  if (value === undefined || !Number.isFinite(value)) return whenAbsent
  return Math.round(Math.max(least, Math.min(greatest, value)))
}

/** Width of a picture in pixels. */
export function widthOf({ width }: PictureOptions): number {
  return bounded(width, 860, 240, 4_096)
}

/** Height of a picture's drawing in pixels. */
export function heightOf({ height }: PictureOptions, whenAbsent: number): number {
  return bounded(height, whenAbsent, 80, 4_096)
}

/** A text in lines of at most `lengthMax` characters, at most three of them. */
function wrapped(text: string, lengthMax: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < lengthMax) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(shortText(word, lengthMax))
  }
  return lines.length <= 3 ? lines : [...lines.slice(0, 2), shortText(lines.slice(2).join(' '), lengthMax)]
}

function textAt(x: number, y: number, text: string, attributes: string): string {
  return `<text x="${pixelText(x)}" y="${pixelText(y)}" ${attributes}>${escapeText(text)}</text>`
}

/** The path of a shape of 9 pixels around a point. */
export function shapePath(shape: LegendShape, x: number, y: number): string {
  const at = (dx: number, dy: number): string => `${pixelText(x + dx)},${pixelText(y + dy)}`
  switch (shape) {
    case 'up': return `M${at(0, -5)}L${at(5, 4)}L${at(-5, 4)}Z`
    case 'down': return `M${at(0, 5)}L${at(5, -4)}L${at(-5, -4)}Z`
    case 'square': return `M${at(-5, -5)}h10v10h-10Z`
    case 'circle': return `M${at(-4, 0)}a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z`
    case 'cross': return `M${at(-4, -4)}L${at(4, 4)}M${at(-4, 4)}L${at(4, -4)}`
    case 'line': case 'dashes': case 'dots': return `M${at(-9, 0)}h18`
  }
}

/** Dashes of a line by its shape. */
function dashesOf(shape: LegendShape): string {
  if (shape === 'dashes') return ' stroke-dasharray="6 3"'
  return shape === 'dots' ? ' stroke-dasharray="2 3"' : ''
}

/** The legend as SVG, and the height that it takes. */
function legendBody(entries: readonly LegendEntry[], top: number, width: number): { body: string; height: number } {
  let [x, y, body] = [EDGE, top + LEGEND_LINE / 2, '']
  for (const { label, shape, className } of entries) {
    const words = shortText(label, 60)
    const size = 28 + Array.from(words).length * CHARACTER + 14
    if (x > EDGE && x + size > width - EDGE) [x, y] = [EDGE, y + LEGEND_LINE]
    const stroke = /^(line|dashes|dots|cross)$/.test(shape) ? ' stroke-width="2"' : ''
    body += `<path class="bt-${className}" d="${shapePath(shape, x + 10, y)}"${stroke}${dashesOf(shape)}/>`
    body += textAt(x + 26, y + 4, words, 'class="bt-ink"')
    x += size
  }
  return { body, height: entries.length === 0 ? 0 : y + LEGEND_LINE / 2 - top }
}

function panelBody(panel: Panel, top: number, width: number): string {
  const { plot, document } = drawingModules()
  const node = plot.plot({
    document, className: 'bt-plot', width, height: panel.height, marginLeft: LEFT, marginRight: RIGHT, marginTop: 26,
    marginBottom: 40, ...panel.options(plot),
  })
  const inner = [...node.childNodes].map(svgOf).join('')
  return `<g transform="translate(0,${pixelText(top)})" font-size="11" text-anchor="middle">${inner}</g>`
}

function emptyBody(top: number, height: number, width: number): string {
  const frame = `<rect class="bt-grid" x="${String(EDGE)}" y="${pixelText(top)}" `
    + `width="${pixelText(width - 2 * EDGE)}" height="${pixelText(height)}" stroke-dasharray="4 4"/>`
  const look = 'class="bt-faint" font-size="14" text-anchor="middle"'
  return frame + textAt(width / 2, top + height / 2 + 4, 'no data', look)
}

/** The picture of a sheet: title, caption, legend, panels; `no data` where there is nothing to draw. */
export function pictureOf(sheet: Sheet): Picture {
  const width = widthOf(sheet.options)
  const title = shortText(sheet.options.title ?? sheet.title, 400)
  let [top, body] = [EDGE, '']
  for (const line of wrapped(title, Math.floor((width - 2 * EDGE) / 8))) {
    body += textAt(EDGE, top + 12, line, 'class="bt-ink" font-size="14" font-weight="600"')
    top += LINE + 3
  }
  const caption = sheet.isEmpty ? '' : sheet.caption
  for (const line of caption === '' ? [] : wrapped(caption, Math.floor((width - 2 * EDGE) / CHARACTER))) {
    body += textAt(EDGE, top + 10, line, 'class="bt-faint"')
    top += LINE
  }
  if (sheet.isEmpty) {
    body += emptyBody(top + 8, 80, width)
    top += 96
  } else {
    const legend = legendBody(sheet.legend, top + 4, width)
    body += legend.body
    top += legend.height + (legend.height > 0 ? 6 : 2)
    for (const panel of sheet.panels) {
      body += panelBody(panel, top, width)
      top += panel.height
    }
  }
  return new Picture({
    kind: sheet.kind, title, caption, width, height: Math.ceil(top + 4), body, theme: sheet.options.theme ?? 'auto',
  })
}
