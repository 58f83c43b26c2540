/**
 * Control characters (C0 but tab and line end, DEL, C1) and marks that turn the direction of text; a carriage return
 * stays before a line end.
 */
const UNSAFE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Text that a terminal may show: characters that would move its cursor, recolour it or turn text around stand as
 * `\u001b`. JSON stays the same value.
 */
export function terminalText(text: string): string {
  return text.replace(UNSAFE, escaped)
}

/** The same for a name or a cell, in which a line end is no line end either. */
export function terminalCell(text: string): string {
  return terminalText(text).replace(/[\r\n]/g, escaped)
}
