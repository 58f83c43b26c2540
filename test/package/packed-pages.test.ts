import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('every page that README links is in the package', () => {
  const run = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' })
  expect(run.status, run.stderr).toBe(0)
  const [{ files }] = JSON.parse(run.stdout) as [{ readonly files: readonly { readonly path: string }[] }]
  const packed = new Set(files.map(({ path }) => path))
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => posix.normalize(path))
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((path) => !packed.has(path) && ![...packed].some((one) => one.startsWith(`${path}/`)))).toEqual([])
})
