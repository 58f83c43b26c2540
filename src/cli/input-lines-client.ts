import { createInterface } from 'node:readline'

/** Hands over the lines of standard input as they come, without their ends; the function returned ends that. */
export function inputLines(take: (line: string) => void): () => void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', take)
  return () => {
    lines.close()
    process.stdin.on('error', () => undefined).destroy()
  }
}
