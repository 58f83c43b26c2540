import { parseHTML } from 'linkedom'

/** An element of a page as tests read it. */
export interface PageElement {
  readonly textContent: string
  getAttribute(name: string): string | null
  closest(selector: string): PageElement | null
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
}

/** A page, parsed. */
export interface PageDocument extends Pick<PageElement, 'querySelector' | 'querySelectorAll'> {
  readonly documentElement: PageElement
}

export function pageDocument(text: string): PageDocument {
  return (parseHTML(text) as { readonly document: unknown }).document as PageDocument
}

/** The words of a page's main part, those of each element apart. */
export function pageWords(text: string): string {
  return (pageDocument(text.replaceAll('<', ' <')).querySelector('main')?.textContent ?? '').replace(/\s+/g, ' ').trim()
}

/** How many elements of a page have a selector. */
export function countIn(page: PageDocument, selector: string): number {
  return [...page.querySelectorAll(selector)].length
}
