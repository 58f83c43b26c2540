import type { PlotMark, PlotModule } from './sheet.js'
import { shortText } from './svg-text.js'

/** Mean width of a character of 11 pixels. */
const CHARACTER = 6.4
const LABEL_MAX = 28

/** Names along an axis as bands, shortened to 28 characters. */
export interface Bands {
  readonly names: readonly string[]
}

/** Pixels that the longest name takes at the left of a picture. */
export function nameRoom({ names }: Bands): number {
  return Math.ceil(names.reduce((most, name) => Math.max(most, shortText(name, LABEL_MAX).length), 2) * CHARACTER) + 22
}

/** Every n-th index, so that at most `countMax` remain. */
function thinned(count: number, countMax: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, countMax)))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

/** The scale of bands for Plot: whole indices of the names. */
export function bandScale({ names }: Bands): object {
  return { type: 'band', domain: Array.from(names.keys()), padding: 0, round: false }
}

/** Names down the left side. */
export function bandAxisY(plot: PlotModule, bands: Bands, label: string, pixels: number): PlotMark {
  return plot.axisY({
    ticks: thinned(bands.names.length, Math.floor(pixels / 14)), className: 'bt-axis', labelArrow: 'none',
    tickFormat: (index: number) => shortText(bands.names[index] ?? '', LABEL_MAX), tickSize: 3,
    label: label === '' ? null : shortText(label, 40), labelAnchor: 'top', labelOffset: nameRoom(bands) - 12,
  })
}

/** Names along the bottom; those that would overlap are turned upright, and thinned out where even that is too wide. */
export function bandAxisX(plot: PlotModule, bands: Bands, label: string, pixels: number): PlotMark {
  const isTurned = turnsNames(bands, pixels)
  return plot.axisX({
    ticks: thinned(bands.names.length, Math.floor(pixels / (isTurned ? 14 : 1))), className: 'bt-axis', tickSize: 3,
    tickFormat: (index: number) => shortText(bands.names[index] ?? '', LABEL_MAX), tickRotate: isTurned ? -90 : 0,
    label: label === '' ? null : shortText(label, 40), labelArrow: 'none', labelAnchor: 'right',
    labelOffset: bottomRoom(bands, pixels) - 6,
  })
}

function turnsNames({ names }: Bands, pixels: number): boolean {
  const longest = names.reduce((most, name) => Math.max(most, shortText(name, LABEL_MAX).length), 1)
  return longest * CHARACTER + 8 > pixels / Math.max(1, names.length)
}

/** Pixels below a picture for the names along its bottom. */
export function bottomRoom(bands: Bands, pixels: number): number {
  return turnsNames(bands, pixels) ? nameRoom(bands) + 18 : 40
}
