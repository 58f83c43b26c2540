// npm run goldens: accepts what the examples do now. The diff of the goldens is to be read before it is committed.
import { build } from './build.mjs'
import { install } from './install.mjs'
import { root } from './project.mjs'

install()
build()
process.chdir(root)
const { main } = await import('../dist/cli/main.js')
process.exitCode = await main(['verify', 'examples', '--update'])
