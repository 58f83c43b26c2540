/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let previous: number[] = []
  let current = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1
      let least = Math.min((current[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (current[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, (previous[j - 2] ?? 0) + 1)
      next.push(least)
    }
    previous = current
    current = next
  }
  return current[to.length] ?? 0
}

/** The names nearest to a wanted one, the nearest first; of equals the first. */
export function nearestNames(wanted: string, names: readonly string[], count: number): string[] {
  const letters = wanted.toLowerCase().slice(0, 200)
  const ranked = names.map((name, at) => ({
    name, at, distance: editDistance(letters, name.toLowerCase().slice(0, 200)),
  }))
  return ranked
    .sort((a, b) => a.distance - b.distance || a.at - b.at)
    .slice(0, count)
    .map(({ name }) => name)
}
