import { editDistance } from './word-distance.js'

/** The word that was probably meant, or undefined where none is near. */
function nearestWord(typed: string, words: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  let nearest: string | undefined
  // Two letters of four are no likeness: at most a third of the word may differ, one letter of short ones.
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const word of words) {
    const lower = word.toLowerCase()
    const distance = wanted.length > 1 && lower.startsWith(wanted) ? 1 : editDistance(wanted, lower)
    if (distance < least) [nearest, least] = [word, distance]
  }
  return nearest
}

/** `; did you mean trades?`, or "" where no word is near. */
export function suggestion(typed: string, words: readonly string[], prefix = ''): string {
  const word = nearestWord(typed, words)
  return word === undefined ? '' : `; did you mean ${prefix}${word}?`
}
