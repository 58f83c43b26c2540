/*
 * SVG as text. Whatever comes from a file (codes, labels, titles) is text and never markup: it is escaped here, once.
 */

/** The part of a node of a document that is written down. */
export interface SvgNode {
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly tagName?: string
  readonly attributes?: Iterable<{ readonly name: string; readonly value: string }>
  readonly childNodes: Iterable<SvgNode>
}

const DRAWN = /^(svg|g|path|line|rect|circle|text|tspan)$/
const ELEMENT = 1
const TEXT = 3

// Characters that XML has not, and halves of characters.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udfff]/gu

/** Text for XML and HTML, in elements and in attributes in double quotes; characters that XML lacks become U+FFFD. */
export function escapeText(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;').replaceAll('\'', '&#39;')
}

/** At most `lengthMax` characters of a text, on one line, the end replaced by an ellipsis. */
export function shortText(text: string, lengthMax: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = Array.from(line.slice(0, 2 * lengthMax + 2))
  return characters.length <= lengthMax ? line : `${characters.slice(0, lengthMax - 1).join('')}…`
}

/** A number of an SVG: one decimal, which is a tenth of a pixel; 0 for what is no finite number. */
export function pixelText(value: number): string {
  if (!Number.isFinite(value)) return '0'
  const text = value.toFixed(1)
  const short = text.replace(/\.?0+$/, '')
  return short === '-0' ? '0' : short
}

/** Coordinates of drawn nodes with one decimal. */
function roundNumbers(value: string): string {
  return value.replace(/-?\d+\.\d{2,}(e-?\d+)?/g, (number) => pixelText(Number(number)))
}

const GEOMETRY = new Set([
  'd', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'width', 'height', 'transform', 'points',
])

/**
 * The text of a node and all below it, attributes in the order of their names: the same drawing has the same text.
 * Elements that could run or load something are left out, as no picture has any.
 */
export function svgOf(node: SvgNode): string {
  if (node.nodeType === TEXT) return escapeText(node.nodeValue ?? '')
  const name = node.tagName?.toLowerCase()
  if (node.nodeType !== ELEMENT || name === undefined || !DRAWN.test(name)) return ''
  const attributes = [...node.attributes ?? []]
    .filter(({ name: key }) => !/^on|href$|^style$/i.test(key))
    .sort((one, other) => one.name < other.name ? -1 : 1)
    .map(({ name: key, value }) => ` ${key}="${escapeText(GEOMETRY.has(key) ? roundNumbers(value) : value)}"`)
  const inner = [...node.childNodes].map(svgOf).join('')
  return inner === '' ? `<${name}${attributes.join('')}/>` : `<${name}${attributes.join('')}>${inner}</${name}>`
}
