/** Work that takes an unfinished output away without waiting. */
type Removal = () => void

const unfinished: Set<Removal> = new Set()

/** Names work for {@link removeUnfinished}, until the returned function is called: the output is whole, or gone. */
export function whileUnfinished(removal: Removal): () => void {
  unfinished.add(removal)
  return () => {
    unfinished.delete(removal)
  }
}

/**
 * Takes away every unfinished output of this process, the newest first: for a process that ends at once. What cannot be
 * taken away stays, a leftover for the next run.
 */
export function removeUnfinished(): void {
  for (const removal of [...unfinished].reverse()) {
    try {
      removal()
    } catch {
      // Its unfinished name says what it is.
    }
  }
  unfinished.clear()
}
