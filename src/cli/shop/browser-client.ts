import type { Output } from '../terminal/output.js'

/** Opens an address in the browser of the user; says so where there is none. */
export async function openInBrowser(url: string, output: Output): Promise<void> {
  const { default: open } = await import('open')
  try {
    const child = await open(url)
    child.on('error', () => { output.note('No browser could be opened') })
  } catch {
    output.note('No browser could be opened')
  }
}
