import { shapePath, type LegendShape, type PlotMark } from './sheet.js'

/** A point in the units of the axes. */
export interface ShapePoint {
  readonly x: number
  readonly y: number
}

/** Turns a value of an axis into pixels. */
export type PixelScale = (value: number) => number

/** The document of a drawing, as far as it is used. */
interface DrawingContext {
  readonly document: {
    createElementNS(space: string, name: string): { setAttribute(name: string, value: string): void }
  }
}

/**
 * A mark of Plot that is one path: a shape at each point, or what a function writes with the scales. A thousand points
 * are then one element with one colour.
 */
export function shapesMark(
  className: string, points: readonly ShapePoint[] | ((x: PixelScale, y: PixelScale) => string),
  shape: LegendShape = 'circle',
): PlotMark {
  return (_: unknown, scales: { x: PixelScale; y: PixelScale }, __: unknown, ___: unknown, context: DrawingContext) => {
    const path = context.document.createElementNS('http://www.w3.org/2000/svg', 'path')
    path.setAttribute('class', `bt-${className}`)
    path.setAttribute('d', typeof points === 'function'
      ? points(scales.x, scales.y)
      : points.map(({ x, y }) => shapePath(shape, scales.x(x), scales.y(y))).join(''))
    return path
  }
}
