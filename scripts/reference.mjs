// npm run reference: writes the generated pages of docs/reference.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { root } from './project.mjs'
import { referencePages } from './reference-pages.mjs'

install()
build()
for (const { path, text } of await referencePages()) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(path)
}
