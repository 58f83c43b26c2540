/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let previous: number[] = []
  let current = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1
      let least = Math.min((current[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (current[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) least = Math.min(least, (previous[j - 2] ?? 0) + 1)
      next.push(least)
    }
    previous = current
    current = next
  }
  return current[to.length] ?? 0
}

/** The word that was probably meant, or undefined where none is near. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(wanted.length / 3)) + 1
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
