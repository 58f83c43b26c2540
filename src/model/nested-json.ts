/** The greatest depth of JSON in files: run files, profiles, goldens, manifests. */
export const JSON_DEPTH_LIMIT = 64

/** Checkpoints hold what strategies save, which may be nested deeper. */
export const CHECKPOINT_DEPTH_LIMIT = 1000

const [QUOTE, BACKSLASH] = [34, 92]

/**
 * The value of a JSON text. Throws a SyntaxError where it is no JSON or nested deeper than the limit: whoever walks
 * through a value of any depth would end without stack.
 */
export function parseNestedJson(text: string, depthLimit: number = JSON_DEPTH_LIMIT): unknown {
  let [depth, isText] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isText = !isText
    else if (isText) {
      if (code === BACKSLASH) at++
    } else if (code === 91 || code === 123) {
      if (++depth > depthLimit) throw new SyntaxError(`brackets nested more than ${depthLimit} deep`)
    } else if (code === 93 || code === 125) depth--
  }
  return JSON.parse(text)
}
