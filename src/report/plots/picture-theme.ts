/** The colours of a picture: by the reader's scheme, or always light or dark. */
export type PictureTheme = 'auto' | 'light' | 'dark'

/*
 * The colours of Okabe and Ito (Color Universal Design, 2008), which the colour-blind tell apart, darkened or
 * lightened to stand out from the ground. A meaning never hangs on colour alone: shapes, dashes or words differ too.
 */
interface Palette {
  readonly ground: string
  readonly text: string
  readonly faint: string
  readonly grid: string
  readonly series: readonly string[]
  readonly buy: string
  readonly sell: string
  readonly ownBid: string
  readonly ownAsk: string
  /** From little to much. */
  readonly heat: readonly string[]
  /** From far below 0 to far above. */
  readonly signed: readonly string[]
}

const LIGHT: Palette = {
  ground: '#ffffff', text: '#1f2328', faint: '#59636e', grid: '#d9dee3',
  series: ['#0061a4', '#c24a00', '#00795a', '#a4487e', '#6b5b00', '#5b5fc7'],
  buy: '#0061a4', sell: '#c24a00', ownBid: '#00593f', ownAsk: '#b53b00',
  heat: ['#eaf2fa', '#d3e4f3', '#b7d4ea', '#92c0df', '#6aaad2', '#4590c4', '#2676b4', '#0f5a9c', '#083a70'],
  signed: ['#9c3c00', '#cf6a2c', '#eba577', '#f7d9c4', '#f1f3f5', '#cfe2f3', '#8dbbe0', '#3f88c5', '#0b4f8a'],
}

const DARK: Palette = {
  ground: '#15191e', text: '#e6edf3', faint: '#9aa5b1', grid: '#343c45',
  series: ['#56b4e9', '#f0953f', '#3cc99b', '#e39bc6', '#e5d352', '#a3a6ff'],
  buy: '#56b4e9', sell: '#f0953f', ownBid: '#5ff0c0', ownAsk: '#ffa04d',
  heat: ['#1b2733', '#1d3246', '#1f4260', '#21547c', '#2a6b9c', '#3c86ba', '#5ca4d4', '#8ec5e8', '#cfe9f9'],
  signed: ['#ffb37a', '#e08a48', '#a85f2b', '#5e3d26', '#262c33', '#22405a', '#2a6b9c', '#5aa7d8', '#a8dcf8'],
}

/** Number of colours of a heat map. */
export const HEAT_LEVELS: number = LIGHT.heat.length
/** Number of colours of lines; the next ones begin again, with other dashes. */
export const SERIES_COLORS: number = LIGHT.series.length

/** Cells of a heat map, which touch: smoothed edges would show as a grid. */
const cellStyle = (color: string): string => `fill:${color};stroke:none;shape-rendering:crispEdges`

/** The look of each class of a picture. */
function rulesOf(palette: Palette): readonly (readonly [name: string, style: string])[] {
  return [
    ['ground', `fill:${palette.ground}`],
    ['sheet', `fill:${palette.text};color:${palette.text}`],
    ['faint', `fill:${palette.faint}`],
    ['grid', `stroke:${palette.grid};fill:none`],
    ['axis', `fill:${palette.faint};color:${palette.faint}`],
    ['zero', `stroke:${palette.faint};fill:none`],
    ['best', `stroke:${palette.text};fill:none;stroke-width:2.5`],
    ['cross', `stroke:${palette.sell};fill:none;stroke-width:2`],
    ['ink', `fill:${palette.text}`],
    ['market', `stroke:${palette.faint};fill:none`],
    ['market-dot', `fill:${palette.faint};stroke:none`],
    ['on-dark', `fill:${palette.ground}`],
    ['buy', `fill:${palette.buy};stroke:${palette.ground}`],
    ['sell', `fill:${palette.sell};stroke:${palette.ground}`],
    ['buy-line', `stroke:${palette.buy};fill:none`],
    ['sell-line', `stroke:${palette.sell};fill:none`],
    ['own-bid', `stroke:${palette.ownBid};fill:none;stroke-width:2`],
    ['own-ask', `stroke:${palette.ownAsk};fill:none;stroke-width:2;stroke-dasharray:5 2`],
    ['buy-area', `fill:${palette.buy};fill-opacity:.18;stroke:none`],
    ['sell-area', `fill:${palette.sell};fill-opacity:.18;stroke:none`],
    ...palette.series.flatMap((color, index) => [
      [`line-${String(index + 1)}`, `stroke:${color};fill:none`] as const,
      [`mark-${String(index + 1)}`, `fill:${color};stroke:${palette.ground}`] as const,
      [`area-${String(index + 1)}`, `fill:${color};fill-opacity:.2;stroke:none`] as const,
    ]),
    ...palette.heat.map((color, index) => [`heat-${String(index + 1)}`, cellStyle(color)] as const),
    ...palette.signed.map((color, index) => [`signed-${String(index + 1)}`, cellStyle(color)] as const),
  ]
}

function styleOf(theme: PictureTheme, palette: Palette, body: string): string {
  return rulesOf(palette).filter(([name]) => name === 'sheet' || name === 'ground' || body.includes(`"bt-${name}"`))
    .map(([name, style]) => name === 'sheet' ? `.bt-${theme}{${style}}` : `.bt-${theme} .bt-${name}{${style}}`).join('')
}

/**
 * The style sheet of a picture, of the classes that `body` has. Every rule begins with the class of its theme, so that
 * pictures of several themes stand on one page.
 */
export function pictureStyle(theme: PictureTheme, body: string): string {
  if (theme === 'dark') return styleOf(theme, DARK, body)
  const light = styleOf(theme, LIGHT, body)
  if (theme === 'light') return light
  return `${light}@media screen and (prefers-color-scheme:dark){${styleOf(theme, DARK, body)}}`
}
