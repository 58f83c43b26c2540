import { connect, type Socket } from 'node:net'

/** A connection whose bytes are written by hand, and everything that came over it. */
export class RawHttp {
  text = ''
  /** Milliseconds from the connection to its end; null: it is open. */
  endedMs: number | null = null
  #wake: (() => void)[] = []

  private constructor(private readonly socket: Socket) {
    const began = performance.now()
    socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1')
      this.#stir()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.endedMs = performance.now() - began
      this.#stir()
    })
  }

  static async to(port: number): Promise<RawHttp> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const raw = new RawHttp(socket)
    await new Promise<void>((done) => {
      socket.once('connect', () => { done() })
      socket.once('close', () => { done() })
    })
    return raw
  }

  /** Writes lines with their ends, then a body. */
  send(lines: readonly string[], body = ''): void {
    this.socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')
  }

  write(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /** The statuses of the answers so far. */
  get statuses(): readonly number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)).filter((status) => status !== 100)
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds() && this.endedMs === null) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  /** The statuses of the answers up to the end of the connection. */
  async ended(): Promise<readonly number[]> {
    await this.until(() => false)
    return this.statuses
  }

  end(): void {
    this.socket.destroy()
  }

  #stir(): void {
    for (const resolve of this.#wake.splice(0)) resolve()
  }
}
