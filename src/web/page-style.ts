/** A colour as CSS has it, in light and in dark. */
export type Colour = readonly [light: string, dark: string]

/** The colours that every page has: of its ground, parts, text, lines, links; `faint` is text of lesser weight. */
export type PageColours = Readonly<Record<'ground' | 'soft' | 'text' | 'faint' | 'line' | 'link', Colour>>

/** The colours of a page that is read: white as paper, with blue links. */
export const PAGE_COLOURS: PageColours = {
  ground: ['#fff', '#15191e'], soft: ['#f4f6f8', '#1d232a'], text: ['#1f2328', '#e6edf3'],
  faint: ['#59636e', '#9aa5b1'], line: ['#d9dee3', '#343c45'], link: ['#0061a4', '#56b4e9'],
}

const FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif'
/** Letters of one width, for times and figures that stand below each other. */
export const FIGURE_FONT = 'ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'

/**
 * The style that every page begins with: its colours as variables (`--ground`), by the light or dark that its reader
 * has chosen and light on paper, then font, tables, controls and the mark of the focus. `own` are further colours.
 *
 * @example `pageStyle(PAGE_COLOURS, { size: '15px/1.5' })` begins with `:root{color-scheme:light dark;--ground:#fff;`
 */
export function pageStyle(
  colours: PageColours,
  { size, own = {} }: { readonly size: string; readonly own?: Readonly<Record<string, Colour>> },
): string {
  const all = Object.entries<Colour>({ ...colours, ...own })
  const variables = (at: 0 | 1): string => all.map(([name, colour]) => `--${name}:${colour[at]}`).join(';\n')
  return `
:root{color-scheme:light dark;${variables(0)}}
@media screen and (prefers-color-scheme:dark){:root{${variables(1)}}}
*{box-sizing:border-box}
html{background:var(--ground);color:var(--text);font:${size} ${FONT}}
body{margin:0}
a{color:var(--link)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
input,button,select{font:inherit;color:inherit;border:1px solid}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
`
}
