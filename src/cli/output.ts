import { writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { outputError } from '../files/output-fault.js'
import { terminalCell, terminalText } from '../files/terminal-text.js'

/** Thrown by a write after the reader of a pipe has gone; the command ends quietly. */
export class PipeClosed extends Error {
  override readonly name: string = 'PipeClosed'
}

/** Rows gather to this many characters before they are written. */
const CHUNK_LENGTH = 1 << 16

/**
 * Standard output, one chunk at a time: a write waits until the reader has taken what came before, so that memory stays
 * bounded, and throws {@link PipeClosed} once the reader has gone.
 */
export class Output {
  /** True where a person looks at it. */
  readonly isTerminal: boolean
  /** Characters in a line of that terminal. */
  readonly width: number
  /** True where a person looks at standard error, and how wide it is there. */
  readonly notesToTerminal: boolean
  readonly notesWidth: number
  private readonly stream: Writable
  private readonly notes: Writable
  private readonly decoder = new TextDecoder()
  private gathered = ''
  private failure: Error | null = null

  constructor(stream: Writable, notes: Writable) {
    this.stream = stream
    this.notes = notes
    this.isTerminal = (stream as { isTTY?: boolean }).isTTY === true
    const { columns = 0 } = stream as { columns?: number }
    this.width = columns > 0 ? columns : 80
    this.notesToTerminal = (notes as { isTTY?: boolean }).isTTY === true
    this.notesWidth = (notes as { columns?: number }).columns ?? 80
    stream.on('error', (error) => (this.failure = error))
    // Nobody is left to tell when standard error goes.
    notes.on('error', () => undefined)
  }

  /**
   * Appends text for people, or JSON, which stays the same value: control characters are escaped also into a pipe,
   * behind which a terminal may be. Waits only when a chunk is full.
   */
  async text(text: string): Promise<void> {
    this.gathered += text
    if (this.gathered.length >= CHUNK_LENGTH || this.isTerminal) await this.flush()
  }

  async line(text: string): Promise<void> {
    await this.text(`${text}\n`)
  }

  /** Writes a line that nobody can wait for, as the process is ending: it is out when this returns. */
  lineNow(text: string): void {
    if (this.stream === process.stdout) writeSync(process.stdout.fd, `${terminalText(text)}\n`)
    else this.stream.write(`${terminalText(text)}\n`)
  }

  /** Appends data as they stand, such as CSV; on a terminal with control characters escaped, as all text is. */
  async bytes(bytes: Uint8Array): Promise<void> {
    await this.flush()
    await this.put(this.isTerminal ? terminalText(this.decoder.decode(bytes, { stream: true })) : bytes)
  }

  /** Writes what has gathered. */
  async flush(): Promise<void> {
    const text = this.gathered
    this.gathered = ''
    if (text !== '') await this.put(terminalText(text))
  }

  /** A line for people on standard error: everything that is not data. */
  note(text: string): void {
    this.notes.write(`${terminalText(text)}\n`)
  }

  /** Writes over the line of standard error on which the cursor stands. */
  noteOver(text: string): void {
    this.notes.write(`\r${terminalCell(text)}\r`)
  }

  private put(chunk: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        reject(
          (error as { code?: string }).code === 'EPIPE'
            ? new PipeClosed('the reader has gone')
            : outputError('standard output', error),
        )
      }
      if (this.failure !== null) fail(this.failure)
      else this.stream.write(chunk, (error) => (error ? fail(error) : resolve()))
    })
  }
}
