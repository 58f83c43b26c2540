import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

type Content = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Content
  readonly result?: Content
  readonly error?: Content
}

/** The text of the first whole frame and the bytes behind it; null where there is none yet. */
function firstFrame(bytes: Buffer): { readonly text: string; readonly rest: Buffer } | null {
  const short = bytes.length < 2 ? 0 : bytes.readUInt8(1)
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < head) return null
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  if (bytes.length < head + size) return null
  return { text: bytes.toString('utf8', head, head + size), rest: bytes.subarray(head + size) }
}

/** A text as a frame of a client, which is masked: by zeros here. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text)
  const head = Buffer.alloc(8)
  head.writeUInt8(0x81, 0)
  head.writeUInt8(0x80 | 126, 1)
  head.writeUInt16BE(body.length, 2)
  return Buffer.concat([head, body])
}

/** A debugger that speaks Node's inspector protocol: Node 20 has no WebSocket of its own. */
export class InspectorClient {
  readonly #socket: Socket
  readonly #messages: Message[] = []
  #waiting: (() => void)[] = []
  #sent = 0

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Connects to an address as Node prints it, `ws://127.0.0.1:PORT/ID`. */
  static async open(address: string): Promise<InspectorClient> {
    const { hostname, port, pathname } = new URL(address)
    const socket = connect(Number(port), hostname)
    const client = new InspectorClient(socket)
    socket.write([
      `GET ${pathname} HTTP/1.1`, `Host: ${hostname}:${port}`, 'Upgrade: websocket', 'Connection: Upgrade',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`, 'Sec-WebSocket-Version: 13', '', '',
    ].join('\r\n'))
    await new Promise<void>((done, fail) => {
      socket.on('error', fail)
      client.#listen(done)
    })
    return client
  }

  /** The result of a method. */
  async send(method: string, params: Content = {}): Promise<Content> {
    const id = ++this.#sent
    this.#socket.write(frameOf(JSON.stringify({ id, method, params })))
    const { result, error } = await this.#next((message) => message.id === id)
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result ?? {}
  }

  /** The parameters of the next event of a name that fits. */
  async event(name: string, fits: (params: Content) => boolean = () => true): Promise<Content> {
    const { params = {} } = await this.#next(({ method, params = {} }) => method === name && fits(params))
    return params
  }

  close(): void {
    this.#socket.destroy()
  }

  #listen(onOpen: () => void): void {
    let bytes = Buffer.alloc(0)
    let isOpen = false
    this.#socket.on('data', (more) => {
      bytes = Buffer.concat([bytes, more])
      const end = bytes.indexOf('\r\n\r\n')
      if (!isOpen && end < 0) return
      if (!isOpen) bytes = bytes.subarray(end + 4)
      if (!isOpen) onOpen()
      isOpen = true
      for (let frame = firstFrame(bytes); frame !== null; frame = firstFrame(bytes)) {
        bytes = Buffer.from(frame.rest)
        this.#messages.push(JSON.parse(frame.text) as Message)
      }
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  async #next(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const at = this.#messages.findIndex(fits)
      if (at >= 0) return this.#messages.splice(at, 1)[0] as Message
      await new Promise<void>((done) => this.#waiting.push(done))
    }
  }
}
