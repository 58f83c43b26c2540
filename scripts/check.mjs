// npm run check: types of sources and tests, lint, what nothing uses (knip), then the house test and the unit tests.
// Ends with 1 when any of them fails, after all ran.
import { build } from './build.mjs'
import { install } from './install.mjs'
import { tryNode } from './project.mjs'

install()
build()
const steps = [
  ['types of src', 'node_modules/typescript/bin/tsc', ['-p', '.', '--noEmit']],
  ['types of tests', 'node_modules/typescript/bin/tsc', ['-p', 'tsconfig.test.json']],
  ['lint', 'node_modules/eslint/bin/eslint.js', ['.']],
  ['unused files, exports and packages', 'node_modules/knip/bin/knip.js', []],
  ['tests', 'node_modules/vitest/vitest.mjs', ['run']],
]
const failed = steps.filter(([name, script, args]) => {
  console.log(`- ${name}`)
  return tryNode(script, args) !== 0
})
if (failed.length > 0) {
  console.error(`Failed: ${failed.map(([name]) => name).join(', ')}`)
  process.exitCode = 1
}
