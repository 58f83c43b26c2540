import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorOf, parseMarkdownPage, type MarkdownPage } from '../support/markdown-page.ts'

const root = join(import.meta.dirname, '../..')
const MADE = new Set(['node_modules', 'dist', 'lib', 'site', 'out', 'coverage', '.cache', '.git'])

function pagesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return MADE.has(entry.name) ? [] : pagesBelow(path)
    return entry.name.endsWith('.md') ? [path] : []
  }).sort()
}

const pages = new Map<string, MarkdownPage>(
  pagesBelow('.').map((path) => [path, parseMarkdownPage(readFileSync(join(root, path), 'utf8'))]),
)

/** Says what is wrong with a link of a page; null for a link that leads somewhere, or out to the web. */
function linkFault(path: string, target: string): string | null {
  if (/^(https?|mailto):/.test(target)) return null
  if (/^[a-z]+:|^\//i.test(target)) return 'is no relative link'
  const [file = '', anchor] = decodeURIComponent(target).split('#')
  const to = file === '' ? path : posix.join(dirname(path), file)
  if (to.startsWith('..')) return 'leads out of the repository'
  if (!existsSync(join(root, to))) return `leads to ${to}, which does not exist`
  if (statSync(join(root, to)).isDirectory()) return 'leads to a folder, which the site does not have: name a file in it'
  if (anchor === undefined) return null
  if (!to.endsWith('.md')) return 'has an anchor, but leads to no page'
  return pages.get(to)?.anchors.has(anchor) === true ? null : `names the anchor #${anchor}, which ${to} does not have`
}

// Where ours is not installed npx would fetch another package of this name.
test('no page starts backtape by an npx that may fetch', () => {
  const paths = [...pages.keys()]
  expect(paths.filter((path) => /npx +(-[^n-]\S* +)*backtape/.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})

describe('links', () => {
  test.each([...pages.keys()])('%s', (path) => {
    const faults = pages.get(path)!.links.flatMap(({ line, target }) => {
      const fault = linkFault(path, target)
      return fault === null ? [] : [`${path}:${line}: ${target} ${fault}`]
    })
    expect(faults).toEqual([])
  })

  const page = 'docs/decisions/README.md'
  test.each([
    ['none.md', 'leads to docs/decisions/none.md, which does not exist'],
    ['../../../x.md', 'leads out of the repository'],
    ['../../src', 'leads to a folder, which the site does not have: name a file in it'],
    ['/etc/passwd', 'is no relative link'],
    ['file:///x', 'is no relative link'],
    ['#nowhere', 'names the anchor #nowhere, which docs/decisions/README.md does not have'],
    ['../../package.json#x', 'has an anchor, but leads to no page'],
    ['../../CONTRIBUTING.md#nowhere', 'names the anchor #nowhere, which CONTRIBUTING.md does not have'],
  ])('refuse %s', (target, fault) => {
    expect(linkFault(page, target)).toBe(fault)
  })

  test.each([
    ['#decisions'], ['../../CONTRIBUTING.md#where-things-go'], ['../../src/index.ts'], ['https://example.org/none'],
  ])('accept %s', (target) => {
    expect(linkFault(page, target)).toBeNull()
  })

  test('a page is read as GitHub reads it', () => {
    const parsed = parseMarkdownPage([
      '# A `code` heading, 2 x', '## Same', '## Same',
      'a [b](c.md#d) and `[no](link)` [e](<f.md> "title") [g](h_(i).md)', '```md',
      '# none', '[none](none.md)', '```', '[ref]: j.md', '<a id="k"></a> <img src="l.png">',
    ].join('\n'))
    expect([...parsed.anchors]).toEqual(['a-code-heading-2-x', 'same', 'same-1', 'k'])
    expect(parsed.links).toEqual([
      { line: 4, target: 'c.md#d' }, { line: 4, target: 'f.md' }, { line: 4, target: 'h_(i).md' },
      { line: 9, target: 'j.md' }, { line: 10, target: 'l.png' },
    ])
    expect(anchorOf('[Queue](x.md) & position: “ahead”')).toBe('queue--position-ahead')
  })
})
