// npm test: installs and builds when something changed, then runs every test. Arguments go to vitest.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { root, tryNode } from './project.mjs'

install()
build()
const code = tryNode('node_modules/vitest/vitest.mjs', ['run', ...process.argv.slice(2)])
const data = resolve(root, process.env.BACKTAPE_SHARED ?? '../shared', 'data')
if (!existsSync(data))
  console.log(`Not run: the tests over recorded files, as there is no folder ${data} (set BACKTAPE_SHARED).`)
process.exitCode = code
