// Each case of the rows of the shop (test/shop/rows.test.ts) against a server that lacks one field, status or header: of all that the case is the first
// to see, one after another. A case that passes without one of them is an error.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/shop/rows.test.ts'], { cwd: root, stdio: 'inherit', env: { ...process.env, BACKTAPE_TAKEN_OUT: '1' } })
process.exit(status ?? 1)
