import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The build that this process plays with: the first word of its command line names the checkout. */
export const build = await import(pathToFileURL(resolve(process.argv[2], 'dist/index.js')).href)
