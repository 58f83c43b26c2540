import { cellText } from '../../model/display-table.js'
import { showAs } from '../../model/display.js'
import { BacktapeError } from '../../model/error.js'
import { createWholeFile } from '../../files/whole-file-writer.js'
import { pngOf } from './picture-raster.js'
import { pictureStyle, type PictureTheme } from './picture-theme.js'
import { escapeText } from './svg-text.js'

/** The options of a picture as PNG. */
export interface PngOptions {
  /** Width in pixels; default twice the width of the picture, for sharp screens. At most 8,192. */
  readonly width?: number
  /** `light` (default) or `dark`: an image cannot follow its reader. */
  readonly theme?: 'light' | 'dark'
  /** Paths of TrueType or OpenType fonts to draw text with; default the fonts of the system. */
  readonly fontFiles?: readonly string[]
}

/** The options of {@link Picture.write}. */
export interface PictureWriteOptions extends PngOptions {
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
}

const FONTS = 'system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif'

/** A drawing before it has a theme: SVG elements whose colours are classes. */
export interface Drawing {
  /** Name of the kind, such as `equity`. */
  readonly kind: string
  /** Title above the picture. */
  readonly title: string
  /** One sentence that says how the data were reduced, or other notes; may be empty. */
  readonly caption: string
  /** Width in pixels. */
  readonly width: number
  /** Height in pixels. */
  readonly height: number
  /** The elements inside the `<svg>`. */
  readonly body: string
  /** `light`, `dark`, or `auto`, which follows the reader. */
  readonly theme: PictureTheme
}

/**
 * A picture: static SVG without scripts, fonts or anything from the network. The same input gives the same text on
 * every machine. It follows the light or dark scheme of its reader, unless the option `theme` fixes one.
 *
 * @example
 * ```ts
 * import { Picture, pictures } from 'backtape'
 * const epochMs = Float64Array.of(0, 60_000, 120_000)
 * const spread = { name: 'spread', epochMs, values: Float64Array.of(1, 3, 2) }
 * const picture: Picture = pictures.line([spread], { unit: 'USDT' })
 * if (!picture.svg.startsWith('<svg')) throw new Error('no picture')
 * ```
 */
export class Picture {
  readonly #drawing: Drawing

  /** Made by the functions that draw, such as `equityPicture`. */
  constructor(drawing: Drawing) {
    this.#drawing = drawing
  }

  /** Name of the kind, such as `equity`. */
  get kind(): string {
    return this.#drawing.kind
  }

  /** The title above the picture. */
  get title(): string {
    return this.#drawing.title
  }

  /** The sentence below the title: what is drawn and how it was reduced; may be empty. */
  get caption(): string {
    return this.#drawing.caption
  }

  /** Width in pixels of the screen. */
  get width(): number {
    return this.#drawing.width
  }

  /** Height in pixels of the screen. */
  get height(): number {
    return this.#drawing.height
  }

  /** The picture as an `<svg>` element: a file of its own, or a part of an HTML page as it stands. */
  get svg(): string {
    return this.#themed(this.#drawing.theme)
  }

  /**
   * The picture as PNG bytes, drawn with the fonts of the system.
   *
   * Throws OPTION_INVALID for a width that is no whole number from 16 to 8,192, and OUTPUT_FAILED where the system has
   * no font and `fontFiles` names none.
   */
  toPng({ width = 2 * this.width, theme = 'light', fontFiles = [] }: PngOptions = {}): Uint8Array {
    if (!Number.isInteger(width) || width < 16 || width > 8_192) {
      const expected = 'a whole number from 16 to 8192'
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot draw the picture: width must be ${expected}, found ${String(width)}`,
        { field: 'width', expected, found: String(width) },
      )
    }
    return pngOf(this.#themed(theme), width, fontFiles)
  }

  /**
   * Writes the picture, whole or not at all: PNG where the name ends in `.png`, else SVG.
   *
   * Throws OUTPUT_EXISTS without `force` where the file exists, OPTION_INVALID where the name ends in neither `.svg`
   * nor `.png`, and what `toPng` throws.
   */
  async write(path: string, { force = false, ...options }: PictureWriteOptions = {}): Promise<void> {
    const ending = /\.(svg|png)$/i.exec(path)?.[1]?.toLowerCase()
    if (ending === undefined) {
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot write the picture to ${path}: the name must end in .svg or .png`,
        { file: path, expected: '.svg or .png', found: path },
      )
    }
    const bytes = ending === 'png' ? this.toPng(options) : new TextEncoder().encode(this.svg)
    const file = await createWholeFile(path, { force })
    try {
      await file.write(bytes)
      await file.commit()
    } catch (error) {
      await file.abort()
      throw error
    }
  }

  #themed(theme: PictureTheme): string {
    const { kind, title, caption, width, height, body } = this.#drawing
    const [w, h] = [String(width), String(height)]
    const label = escapeText(caption === '' ? title : `${title}. ${caption}`)
    return `<svg xmlns="http://www.w3.org/2000/svg" class="bt-${theme} bt-picture bt-${kind}" width="${w}" `
      + `height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-label="${label}" `
      + `font-family="${FONTS}" `
      + `font-size="11" style="max-width:100%;height:auto"><title>${escapeText(title)}</title>`
      + `<style>${pictureStyle(theme, body)}</style>`
      + `<rect class="bt-ground" width="${w}" height="${h}"/>${body}</svg>`
  }
}

showAs(Picture.prototype, (picture) => {
  const { title, width, height, caption } = picture
  const line = `Picture of ${String(width)} x ${String(height)} pixels: ${cellText(title, 120)}`
  return { line, text: caption === '' ? line : `${line}\n${caption}`, html: picture.svg }
})
