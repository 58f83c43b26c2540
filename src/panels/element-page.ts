/** Attributes and listeners of an element; `text` is always text, never markup. */
interface ElementSetting {
  readonly class?: string
  readonly text?: string
  readonly title?: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly onClick?: () => void
}

/** A new element with its children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, { class: className, text, title, attributes = {}, onClick }: ElementSetting = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  if (className !== undefined) made.className = className
  if (text !== undefined) made.textContent = text
  if (title !== undefined) made.title = title
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  if (onClick !== undefined) made.addEventListener('click', onClick)
  made.append(...children)
  return made
}

/** A row of a table; a cell is its text, or its text and its class. */
export function tableRow(
  cells: readonly (string | readonly [text: string, className: string] | Node)[], setting: ElementSetting = {},
): HTMLTableRowElement {
  return element('tr', setting, cells.map((cell) => {
    if (typeof cell === 'string') return element('td', { text: cell })
    if (cell instanceof Node) return element('td', {}, [cell])
    const [text, className] = cell
    return element('td', { text, class: className })
  }))
}

/** The head of a table. */
export function tableHead(names: readonly string[]): HTMLTableSectionElement {
  return element('thead', {}, [element('tr', {}, names.map((text) => (
    element('th', { text, attributes: { scope: 'col' } }))))])
}
