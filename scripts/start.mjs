// npm start: from nothing but Node to a first result. Installs and builds when something changed, then runs the main job.
import { build } from './build.mjs'
import { install } from './install.mjs'

install()
build()
