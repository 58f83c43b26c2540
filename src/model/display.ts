import type { Shown } from './display-table.js'

/*
 * Values that show themselves. Consoles and tslab print a value through `inspect.custom`, Deno's kernel asks for
 * `Jupyter.display`; both symbols are registered, so nothing is imported. In tslab, and nowhere else, the HTML goes out
 * through the kernel in place of the text.
 */

const INSPECT = Symbol.for('nodejs.util.inspect.custom')
const JUPYTER = Symbol.for('Jupyter.display')

/** The global that the kernel tslab has. */
interface NotebookGlobal {
  readonly __tslab__?: { readonly require?: (name: string) => { readonly display?: { html(text: string): void } } }
}

/** True in a notebook of tslab. */
function isInNotebook(): boolean {
  return (globalThis as NotebookGlobal).__tslab__ !== undefined
}

/** Sends HTML to the notebook as an output of the running cell; false where no notebook runs or it takes none. */
function sentToNotebook(html: string): boolean {
  if (!isInNotebook()) return false
  try {
    const display = (globalThis as NotebookGlobal).__tslab__?.require?.('tslab').display
    display?.html(html)
    return display !== undefined
  } catch {
    return false
  }
}

/** The text of a value that Node prints: of one that stands inside another a line alone. */
function inspected(shown: () => Shown, depth: number, options: { readonly depth?: number | null }): string {
  const isInside = typeof options.depth === 'number' && depth < options.depth
  if (isInside) return `[${shown().line}]`
  const { text, html } = shown()
  // Its title is a part of the HTML: the kernel prints an empty line below it.
  return sentToNotebook(html) ? '' : text
}

/**
 * Lets an object, or all objects of a prototype, show themselves: as HTML in a notebook of tslab or Deno, as text in
 * a console, as one line inside another value. The object stays the same for loops over its fields and for JSON.
 */
export function showAs<One extends object>(target: One, shown: (value: One) => Shown): One {
  Object.defineProperty(target, INSPECT, {
    value(this: One, depth: number, options: { readonly depth?: number | null } = {}): string {
      return inspected(() => shown(this), depth, options)
    },
    enumerable: false, configurable: true, writable: true,
  })
  Object.defineProperty(target, JUPYTER, {
    value(this: One): Record<string, string> {
      const { text, html } = shown(this)
      return { 'text/plain': text, 'text/html': html }
    },
    enumerable: false, configurable: true, writable: true,
  })
  return target
}

/**
 * Lets the errors of a prototype show their sentence in notebooks of tslab, where a stack leads through the kernel and
 * our own files; everywhere else Node prints them as ever.
 */
export function showSentence<One extends Error>(prototype: One, sentence: (error: One) => string): void {
  Object.defineProperty(prototype, INSPECT, {
    get(this: One): (() => string) | undefined {
      return isInNotebook() ? () => sentence(this) : undefined
    },
    enumerable: false, configurable: true,
  })
}

/** Lets the values of a prototype print as a plain text, wherever they stand. */
export function showAsText<One extends object>(prototype: One, text: (value: One) => string): void {
  Object.defineProperty(prototype, INSPECT, {
    value(this: One): string {
      return text(this)
    },
    enumerable: false, configurable: true,
  })
}
