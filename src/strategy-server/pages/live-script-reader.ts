import { readFile } from 'node:fs/promises'

/** The script of the live view, as the build made it of `live-main-page.ts`. */
export function readLiveScript(): Promise<string> {
  return readFile(new URL('live-script.txt', import.meta.url), 'utf8')
}
