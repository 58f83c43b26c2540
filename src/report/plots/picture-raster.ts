import { createRequire } from 'node:module'
import { requirePackage } from '../../files/package-reader.js'
import { BacktapeError } from '../../model/error.js'

/** The part of `@resvg/resvg-js` that is used. */
interface Rasterizer {
  Resvg: new (svg: string, options: object) => {
    render(): { readonly pixels: Uint8Array; asPng(): Uint8Array }
  }
}

const load = createRequire(import.meta.url)

const WORD = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text x="2" y="15">Ag</text></svg>'

/** False where text leaves no pixel, as no font was found. */
function drawsText({ Resvg }: Rasterizer, font: object): boolean {
  return new Resvg(WORD, { font }).render().pixels.some((byte) => byte !== 0)
}

/**
 * PNG bytes of an SVG text, `width` pixels wide. The rasteriser is loaded with the first picture.
 *
 * Throws OUTPUT_FAILED where no font is found: a picture without its words and numbers would be wrong in silence.
 */
export function pngOf(svg: string, width: number, fontFiles: readonly string[]): Uint8Array {
  const rasterizer = requirePackage('@resvg/resvg-js', () => load('@resvg/resvg-js') as Rasterizer)
  const font = fontFiles.length > 0
    ? { loadSystemFonts: false, fontFiles: [...fontFiles] }
    : { loadSystemFonts: true }
  if (!drawsText(rasterizer, font)) {
    throw new BacktapeError(
      'OUTPUT_FAILED',
      'Cannot draw the picture as PNG: no font found; '
        + 'install one (such as fonts-dejavu-core) or name files in fontFiles',
      { field: 'fontFiles', expected: 'a TrueType or OpenType font', found: fontFiles.join(', ') || 'no font' },
    )
  }
  return Uint8Array.from(new rasterizer.Resvg(svg, { font, fitTo: { mode: 'width', value: width } }).render().asPng())
}
