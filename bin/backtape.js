#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/cli/main.js', import.meta.url)
if (existsSync(main)) {
  const cli = await import(main.href)
  process.exitCode = await cli.main(process.argv.slice(2))
} else {
  console.error('Cannot run backtape: it is not built yet; run `npm start` in its folder once.')
  process.exitCode = 2
}
