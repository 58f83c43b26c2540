import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Figures are of the repository, as the benches are. */
const REPOSITORY_ALONE = ['bench/README.md']

let packed: ReadonlySet<string> = new Set()

beforeAll(() => {
  const pack = () => spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' })
  let run = pack()
  // Unfinished files of tests beside this one come and go while npm looks.
  for (let tries = 1; tries < 5 && run.status !== 0 && /ENOENT/.test(run.stderr); tries++) run = pack()
  expect(run.status, run.stderr).toBe(0)
  const [{ files }] = JSON.parse(run.stdout) as [{ readonly files: readonly { readonly path: string }[] }]
  packed = new Set(files.map(({ path }) => path))
}, 180_000)

test.each(['README.md', 'docs/README.md'])('every page that %s links is in the package', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => posix.join(posix.dirname(page), path))
  expect(links.length).toBeGreaterThan(8)
  const isMissing = (path: string): boolean =>
    !packed.has(path) && ![...packed].some((one) => one.startsWith(`${path}/`))
  expect(links.filter((path) => isMissing(path) && !REPOSITORY_ALONE.includes(path))).toEqual([])
})
