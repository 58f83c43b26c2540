import { createInterface } from 'node:readline/promises'
import type { Arguments } from '../terminal/arguments.js'
import type { Output } from '../terminal/output.js'

/** The answer to a question that a terminal asks; null: no terminal is there, and nothing is asked. */
export async function isAgreed(question: string, { signal }: Arguments, output: Output): Promise<boolean | null> {
  if (!process.stdin.isTTY || !output.notesToTerminal) return null
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} y/N `, { signal })).trim())
  } catch (error) {
    if (signal.aborted) return false
    throw error
  } finally {
    lines.close()
  }
}

/** The first line of standard input without its end: a secret that is no argument. */
export async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line.trim()
  return ''
}
