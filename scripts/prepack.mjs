// Before npm packs: a package from a fresh clone has its code.
import { build } from './build.mjs'
import { install } from './install.mjs'

install()
build()
