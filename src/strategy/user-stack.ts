/**
 * Where this package's own modules lie, as an address and as a path; stacks with source maps name the sources beside
 * them.
 */
const OWN_PLACES: readonly string[] = ['../', '../../src/'].flatMap((folder) => {
  const { href, pathname } = new URL(folder, import.meta.url)
  return [href, decodeURIComponent(pathname)]
})

const isFrame = (line: string): boolean => /^\s+at /.test(line)

function isUserFrame(line: string): boolean {
  return !OWN_PLACES.some((place) => line.includes(place)) && !/[( ]node:|<anonymous>\)?$/.test(line)
}

/**
 * A stack as the author of a strategy needs it: what was thrown, and the lines of the author's own code and packages.
 */
export function userStack(stack: string): string {
  return stack.split('\n').filter((line) => !isFrame(line) || isUserFrame(line)).join('\n')
}

/**
 * The place of the author's own code from which a call came: `file:///maker.ts:12:5`; null where none of its lines is
 * one.
 */
export function userPlace(stack: string): string | null {
  const line = stack.split('\n').find((one) => isFrame(one) && isUserFrame(one))
  return line === undefined ? null : line.trim().replace(/^at (?:.* \((.*)\)|(.*))$/, '$1$2')
}
