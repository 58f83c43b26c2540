import { describe, expect, test } from 'vitest'
import { terminalCell, terminalText } from '../../src/files/terminal-text.js'

describe('text for a terminal', () => {
  test.each([
    ['plain text, also ütf-8 日本 😀', 'plain text, also ütf-8 日本 😀'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['\u009b31m', '\\u009b31m'],
    ['bell\u0007 back\b del\u007f nul\0', 'bell\\u0007 back\\u0008 del\\u007f nul\\u0000'],
    ['over\rwritten', 'over\\u000dwritten'],
    ['a\tb\nc\r\nd', 'a\tb\nc\r\nd'],
    ['\u202egnp.exe\u2066\u200f\u061c', '\\u202egnp.exe\\u2066\\u200f\\u061c'],
    ['\u2028\u2029', '\\u2028\\u2029'],
  ])('%j stands as %j', (text, shown) => {
    expect(terminalText(text)).toBe(shown)
  })

  test('JSON has the same value afterwards', () => {
    const value = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('')
    expect(JSON.parse(terminalText(JSON.stringify([value], null, 1)))).toEqual([value])
  })

  test('a cell has one line', () => {
    expect(terminalCell('a\nb\r\nc\u001b')).toBe('a\\u000ab\\u000d\\u000ac\\u001b')
  })
})
