import { readFile } from 'node:fs/promises'

/** The script of the viewer, as the build made it of `main-page.ts`. */
export function readPageScript(): Promise<string> {
  return readFile(new URL('page-script.txt', import.meta.url), 'utf8')
}
