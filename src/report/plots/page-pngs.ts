import { pngOf } from './picture-raster.js'

/** A picture of a page, as a file of its own. */
export interface PagePng {
  /** `01-equity-and-drawdown-usdt.png`: its place on the page and its title. */
  readonly name: string
  /** Its bytes, light and twice as wide as on the page; made when they are asked for. */
  png(): Uint8Array
}

const BEGIN = '<div class="wide"><svg '
const END = '</svg>'
/** The rules of dark readers, whom an image cannot follow. */
const DARK_RULES = /@media screen and \(prefers-color-scheme:dark\)\{(?:[^{}]*\{[^{}]*\})*\}/
const NAME_MAX = 60

function nameOf(svg: string, place: number): string {
  const title = /<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? ''
  const words = title.replace(/&#?\w+;/g, ' ').toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, NAME_MAX)
  return `${[String(place).padStart(2, '0'), ...words.split('-').filter((word) => word !== '')].join('-')}.png`
}

/** The pictures of the page of a report in their order, in the form for wide screens. */
export function pagePngs(page: string): PagePng[] {
  const found: PagePng[] = []
  for (let at = page.indexOf(BEGIN); at >= 0; at = page.indexOf(BEGIN, at + 1)) {
    const svg = page.slice(page.indexOf('<svg ', at), page.indexOf(END, at) + END.length)
    const width = 2 * Number(/ width="(\d+)"/.exec(svg)?.[1] ?? 900)
    found.push({ name: nameOf(svg, found.length + 1), png: () => pngOf(svg.replace(DARK_RULES, ''), width, []) })
  }
  return found
}

/** Throws OUTPUT_FAILED where the system has no font to draw pictures with: to be known before a run. */
export function checkFonts(): void {
  pngOf('<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"></svg>', 16, [])
}
