import { describe, expect, test } from 'vitest'
import { PAGE_STYLE as REPORT } from '../../src/report/pages/page-style.js'
import { PAGE_STYLE as VIEWER } from '../../src/panels/page-style.js'
import { PAGE_COLOURS, pageStyle } from '../../src/web/page-style.js'

const STYLES: readonly (readonly [string, string])[] = [['a page', pageStyle(PAGE_COLOURS, { size: '15px/1.5' })], ['the report', REPORT], ['the viewer', VIEWER]]

/** The variables of a style in light and in dark. */
function variables(style: string): readonly ReadonlyMap<string, string>[] {
  return [...style.matchAll(/:root\{([^}]*)\}/g)].map(([, body]) => new Map(body!.split(';').filter((one) => one.trim().startsWith('--')).map((one) => {
    const [name, value] = one.trim().split(':')
    return [name!, value!]
  })))
}

/** The contrast of two colours, as WCAG has it. */
function contrast(one: string, other: string): number {
  const light = (colour: string): number => {
    const digits = (colour.length === 4 ? colour.replace(/[^#]/g, '$&$&') : colour).slice(1).match(/../g)!
    const [red, green, blue] = digits.map((pair) => {
      const part = parseInt(pair, 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  }
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b)
  return (bright! + 0.05) / (dark! + 0.05)
}

describe.each(STYLES)('the style of %s', (_name, style) => {
  test('has each colour in light and in dark, once, and light on paper', () => {
    const [light, dark, ...more] = variables(style)
    expect([[...light!.keys()], more]).toEqual([[...dark!.keys()], []])
    expect(style.match(/prefers-color-scheme/g)).toHaveLength(1)
    expect(style).toContain('@media screen and (prefers-color-scheme:dark)')
  })

  test('uses no colour that it lacks, and no other family of letters', () => {
    const [light] = variables(style)
    for (const [, name] of style.matchAll(/var\((--[a-z-]+)\)/g)) expect([name, light!.has(name!)]).toEqual([name, true])
    expect(style.match(/Segoe UI/g)).toHaveLength(1)
  })

  test.each(['text', 'faint', 'link'])('%s can be read on ground and parts', (name) => {
    for (const colours of variables(style)) for (const behind of ['ground', 'soft'])
      expect(contrast(colours.get(`--${name}`)!, colours.get(`--${behind}`)!)).toBeGreaterThanOrEqual(4.5)
  })

  test('asks for nothing elsewhere', () => {
    expect(style).not.toMatch(/url\(|@import|https?:/)
  })
})
