/** Markup of a page: made by {@link html} alone, so that no other text is ever taken for it. */
export class Markup {
  constructor(readonly text: string) {}
}

/** A value within markup: every text is text, whatever it holds. */
export type MarkupValue = Markup | string | number | null | false | undefined | readonly MarkupValue[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;',
}
/** Characters that no page may hold, and those that turn the direction of the text around them. */
 
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g

/** A text as the content or the quoted value of an attribute of HTML. */
export function escapedText(text: string): string {
  return text.replace(UNFIT, '\ufffd').replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
}

/** HTML of a template: values are text, but for markup and lists of values; null, false and undefined are nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  let text = parts[0] ?? ''
  for (const [at, value] of values.entries()) text += markupText(value) + (parts[at + 1] ?? '')
  return new Markup(text)
}

function markupText(value: MarkupValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(markupText).join('')
  return escapedText(String(value))
}
