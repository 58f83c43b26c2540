/** One link of a page: its target as written, and the line it stands in, from 1. */
interface PageLink {
  readonly line: number
  readonly target: string
}

/** The links and anchors of one Markdown page. Code, in fences or in backticks, has neither. */
export interface MarkdownPage {
  readonly links: readonly PageLink[]
  readonly anchors: ReadonlySet<string>
}

const FENCE = /^\s*(```+|~~~+)/
const LINK = /\]\(\s*<?([^()<>\s]*(?:\([^()\s]*\)[^()<>\s]*)*)>?(?:\s+["'][^"']*["'])?\s*\)/g
const DEFINITION = /^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)/
const HTML_LINK = /\b(?:href|src)="([^"]*)"/g
const HTML_ANCHOR = /<[a-z][^>]*\b(?:id|name)="([^"]+)"/g
const HEADING = /^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/

/** Reads a page as GitHub shows it. */
export function parseMarkdownPage(text: string): MarkdownPage {
  const links: PageLink[] = []
  const anchors = new Set<string>()
  const seen = new Map<string, number>()
  let fence: string | null = null
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const mark = FENCE.exec(raw)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    const heading = HEADING.exec(raw)?.[1]
    if (heading !== undefined) anchors.add(numbered(anchorOf(heading), seen))
    const line = raw.replace(/(`+)(?:(?!\1).)*\1/g, 'code')
    for (const match of line.matchAll(HTML_ANCHOR)) anchors.add(match[1]!)
    const targets = [...line.matchAll(LINK), ...line.matchAll(HTML_LINK)].map((match) => match[1]!)
    const definition = DEFINITION.exec(line)?.[1]
    if (definition !== undefined) targets.push(definition)
    for (const target of targets) links.push({ line: at + 1, target })
  }
  return { links, anchors }
}

/** The anchor of a heading by GitHub's rule: lower case, punctuation removed, a hyphen for each space. */
export function anchorOf(heading: string): string {
  const plain = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/<[^>]*>/g, '')
  return plain.toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').trim().replace(/\s/g, '-')
}

function numbered(anchor: string, seen: Map<string, number>): string {
  const count = seen.get(anchor) ?? 0
  seen.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}
