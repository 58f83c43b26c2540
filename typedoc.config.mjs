// The documentation site: the pages by question (docs/README.md) first, the pages of docs/, and the API of the package.
// npm run docs writes it into site/.
// Decision: docs/decisions/0070-documentation-site.md.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Converter, IndexEvent, PageEvent, ReflectionKind } from 'typedoc'
import { REPOSITORY, entryNames, filesBelow, root } from './scripts/project.mjs'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The folders of docs/, in the order of the navigation. A folder that is not named here is an error. */
const GROUPS = new Map([
  ['guide', 'Guide'], ['reference', 'Reference'], ['model', 'Model'], ['format', 'Format'], ['decisions', 'Decisions'],
])
/** Pages beside docs/ to which its pages lead. */
const PROJECT_PAGES = [
  'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md', 'test/README.md',
  'test/house.table.md', 'datasets/README.md',
]

/** The site opens on it. */
const FIRST_PAGE = 'docs/README.md'

function groupOf(path) {
  const [top, folder, file] = path.split('/')
  if (top !== 'docs') return 'Project'
  if (file === undefined) return 'Glossary'
  const group = GROUPS.get(folder)
  if (group === undefined) throw new Error(`typedoc.config.mjs has no group for docs/${folder}`)
  return group
}

/** How much a page counts in a search; other groups count 1. */
const BOOSTS = { Guide: 4, Reference: 3, Model: 3, Format: 3, Glossary: 3 }

const documents = [
  ...filesBelow('docs').filter((path) => path.endsWith('.md') && path !== FIRST_PAGE),
  ...PROJECT_PAGES.filter((path) => existsSync(join(root, path))),
]

/** Gives each page the name of its heading, in place of its file name, and its group in the navigation. */
function namePages(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, page) => {
    const path = relative(root, page.project.files.getReflectionPath(page)).replaceAll('\\', '/')
    page.frontmatter.group = groupOf(path)
    const [heading] = /^# .+\n+/.exec(readFileSync(join(root, path), 'utf8')) ?? []
    if (heading === undefined) throw new Error(`${path} does not begin with a heading`)
    page.name = heading.slice(2).trim().replaceAll('`', '')
    for (let left = heading.length; left > 0; left -= removeBegin(page.content, left));
  })
}

/** Removes up to so many characters from the first part, and says how many. */
function removeBegin(parts, length) {
  const { text } = parts[0]
  if (text.length > length) parts[0].text = text.slice(length)
  else parts.shift()
  return Math.min(text.length, length)
}

/** Entry points by the names that programs import. */
function nameEntryPoints(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entry of project.getChildrenByKind(ReflectionKind.Module)) {
      entry.name = entry.name === 'index' ? 'backtape' : `backtape/${entry.name}`
    }
  })
}

/**
 * Pages first, then classes and functions, then their members, of which there are thousands. The text of a page weighs
 * more than a comment, as the index divides by its length.
 */
function weighResults(app) {
  app.renderer.on(IndexEvent.PREPARE_INDEX, (event) => {
    event.searchFieldWeights.document = 40
    for (const found of event.searchResults) found.relevanceBoost = boostOf(found)
  })
}

function boostOf(found) {
  if (found.isDocument()) return BOOSTS[found.frontmatter.group] ?? 1
  const isMember = !found.parent?.isProject() && !found.parent?.kindOf(ReflectionKind.Module)
  return isMember ? 0.2 : 1
}

/** Code in a heading belongs to its anchor, as on GitHub: TypeDoc counts plain text alone. */
function keepCodeInAnchors(parser) {
  parser.core.ruler.push('code-in-headings', ({ tokens, Token }) => {
    for (const [at, { type }] of tokens.entries()) {
      if (type !== 'heading_open') continue
      const part = (kind, content) => Object.assign(new Token(kind, '', 0), { content })
      tokens[at + 1].children = tokens[at + 1].children.flatMap((token) => token.type === 'code_inline'
        ? [part('html_inline', '<code>'), part('text', token.content), part('html_inline', '</code>')]
        : [token])
    }
  })
}

/** A link to the first page names its file: a browser that reads from a disk shows a folder as a list. */
function nameFirstPage(app) {
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = page.contents?.replace(/href="((?:\.\.\/)+|\.\/)(#[^"]*)?"/g, 'href="$1index.html$2"')
  })
}

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  highlightLanguages: ['sh', 'json', 'ts', 'typescript', 'js', 'text', 'py', 'python'],
  entryPoints: entryNames().map((name) => `src/${name}.ts`),
  out: 'site',
  name: 'Backtape',
  readme: FIRST_PAGE,
  includeVersion: true,
  customJs: 'scripts/site-tree.js',
  headings: { readme: false, document: true },
  projectDocuments: documents,
  plugin: [namePages, nameEntryPoints, weighResults, nameFirstPage],
  markdownItLoader: keepCodeInAnchors,
  groupOrder: ['Guide', 'Reference', 'Model', 'Format', 'Glossary', 'Modules', 'Decisions', 'Project', '*'],
  navigation: { includeGroups: true, includeCategories: false },
  searchInDocuments: true,
  searchInComments: true,
  treatWarningsAsErrors: true,
  excludePrivate: true,
  excludeInternal: true,
  hideGenerator: true,
  // The same site from every clone: links lead to the place of the sources, where there is one, not to its remote.
  disableSources: REPOSITORY === '',
  disableGit: true,
  gitRevision: `v${version}`,
  sourceLinkTemplate: `${REPOSITORY}/blob/{gitRevision}/{path}#L{line}`,
  intentionallyNotExported: [
    'AccountViewState', 'BarSeriesState', 'JournalSegment', 'InstrumentState', 'OrderMessagesState', 'TimersState', 'Held', 'AccountActions',
    'OrderTerms', 'OrderRecord', 'TrackedState', 'Trading', 'TacticsState',
  ],
}
