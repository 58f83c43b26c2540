import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { outputError } from '../../files/output-fault.js'
import { terminalCell, terminalText } from '../../files/terminal-text.js'

/** Thrown by a write after the reader of a pipe has gone; the command ends quietly. */
export class PipeClosed extends Error {
  override readonly name: string = 'PipeClosed'
}

/** Rows gather to this many characters before they are written. */
const CHUNK_LENGTH = 1 << 16

type Environment = Readonly<Record<string, string | undefined>>

const RED = 31
const YELLOW = 33

/**
 * True where text may have colours: a terminal that knows them. `NO_COLOR` with any value turns them off
 * (https://no-color.org); `FORCE_COLOR` turns them on elsewhere too, and off where it is 0 or false.
 */
function wantsColours(isTerminal: boolean, env: Environment): boolean {
  const { NO_COLOR: no = '', FORCE_COLOR: force } = env
  if (no !== '') return false
  if (force !== undefined) return force !== '0' && force !== 'false'
  return isTerminal && env['TERM'] !== 'dumb'
}

/**
 * Standard output, one chunk at a time: a write waits until the reader has taken what came before, so that memory stays
 * bounded, and throws {@link PipeClosed} once the reader has gone.
 */
export class Output {
  /** True where a person looks at it. */
  readonly isTerminal: boolean
  /** True where a person looks at standard error, and how wide it is there. */
  readonly notesToTerminal: boolean
  readonly notesWidth: number
  /** Columns of a terminal behind standard output; null where there is none, and nothing needs to fit. */
  readonly width: number | null
  /** True where standard output goes into a pipe. */
  readonly isPiped: boolean
  private readonly hasColours: boolean
  private readonly stream: Writable
  private readonly notes: Writable
  private readonly decoder = new TextDecoder()
  private gathered = ''
  private failure: Error | null = null

  constructor(stream: Writable, notes: Writable, env: Environment = process.env) {
    this.stream = stream
    this.notes = notes
    this.isTerminal = (stream as { isTTY?: boolean }).isTTY === true
    this.notesToTerminal = (notes as { isTTY?: boolean }).isTTY === true
    this.notesWidth = (notes as { columns?: number }).columns ?? 80
    this.width = this.isTerminal ? (stream as { columns?: number }).columns || 80 : null
    // Not fstat of its descriptor: on Node 20.20 packages behind links are not found any more after that.
    this.isPiped = stream === process.stdout && !this.isTerminal && stream instanceof Socket
    this.hasColours = wantsColours(this.notesToTerminal, env)
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

  /** A line for people on standard error: everything that is not data. A warning is yellow. */
  note(text: string): void {
    this.notes.write(`${this.coloured(text, text.startsWith('Warning') ? YELLOW : null)}\n`)
  }

  /** The sentence on standard error with which a command fails; red. */
  fail(text: string): void {
    this.notes.write(`${this.coloured(text, RED)}\n`)
  }

  /** Writes over the line of standard error on which the cursor stands. */
  noteOver(text: string): void {
    this.notes.write(`\r${terminalCell(text)}\r`)
  }

  /** Escaped, and only then coloured: no text brings colours of its own. */
  private coloured(text: string, colour: number | null): string {
    const plain = terminalText(text)
    return colour === null || !this.hasColours ? plain : `\u001b[${String(colour)}m${plain}\u001b[39m`
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
