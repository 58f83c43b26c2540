import { connect, type Socket } from 'node:net'

/** A frame of a client, masked with zeros; payload below 64 KiB. */
function clientFrame(payload: Uint8Array, opcode: number): Uint8Array {
  const { length } = payload
  const lengths = length < 126 ? [0x80 | length] : [0xfe, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...lengths, 0, 0, 0, 0]), payload])
}

/** A raw WebSocket client that reads so many bytes as it is told to, and answers a ping when it has read up to it. */
export class SlowReader {
  /** Texts that have been read whole. */
  readonly texts: string[] = []
  byteCount = 0
  closeCode: number | null = null
  isEnded = false
  #rest: Buffer = Buffer.alloc(0)
  #isShaken = false

  private constructor(private readonly socket: Socket, private readonly answersPings: boolean) {
    socket.on('error', () => undefined)
    socket.on('close', () => { this.isEnded = true })
    socket.on('end', () => { this.isEnded = true })
  }

  static async connect(url: string, texts: readonly string[], answersPings = true): Promise<SlowReader> {
    const { hostname, port, pathname, search } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    socket.pause()
    const reader = new SlowReader(socket, answersPings)
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
    for (let head = -1; head < 0;) {
      await reader.#take()
      head = reader.#rest.indexOf('\r\n\r\n')
      if (head >= 0) reader.#rest = Buffer.from(reader.#rest.subarray(head + 4))
    }
    reader.#isShaken = true
    for (const text of texts) socket.write(clientFrame(Buffer.from(text), 1))
    reader.#parse()
    return reader
  }

  /** Reads at least so many bytes more, or to the end. */
  async read(bytes: number): Promise<void> {
    const until = this.byteCount + bytes
    while (this.byteCount < until && !this.isEnded) await this.#take()
  }

  destroy(): void {
    this.socket.destroy()
  }

  async #take(): Promise<void> {
    const chunk = this.socket.read() as Buffer | null
    if (chunk === null) {
      if (this.isEnded) return
      await new Promise<void>((resolve) => {
        const done = (): void => {
          for (const name of ['readable', 'end', 'close']) this.socket.off(name, done)
          resolve()
        }
        for (const name of ['readable', 'end', 'close']) this.socket.on(name, done)
      })
      return
    }
    this.byteCount += chunk.length
    this.#rest = Buffer.concat([this.#rest, chunk])
    if (this.#isShaken) this.#parse()
  }

  #parse(): void {
    let at = 0
    for (let left = this.#rest.length; left >= 2; left = this.#rest.length - at) {
      const short = this.#rest[at + 1]! & 127
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (left < head) break
      const length = short < 126 ? short : short === 126 ? this.#rest.readUInt16BE(at + 2) : Number(this.#rest.readBigUInt64BE(at + 2))
      if (left < head + length) break
      this.#meet(this.#rest[at]! & 15, Buffer.from(this.#rest.subarray(at + head, at + head + length)))
      at += head + length
    }
    this.#rest = Buffer.from(this.#rest.subarray(at))
  }

  #meet(opcode: number, payload: Buffer): void {
    if (opcode === 1) this.texts.push(payload.toString('utf8'))
    else if (opcode === 9 && this.answersPings) this.socket.write(clientFrame(payload, 10))
    else if (opcode === 8) {
      this.closeCode = payload.readUInt16BE(0)
      this.socket.end(clientFrame(payload, 8))
    }
  }
}
