import type { WebSocket } from 'ws'
import type { OrderEntryTransport } from './served-connection.js'

/** Closes with which a server says that it ends (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001

/** The server's end of a WebSocket. */
export class WebSocketTransport implements OrderEntryTransport {
  readonly kind = 'websocket'
  readonly #pings: Map<string, (isAnswered: boolean) => void> = new Map()
  #pingCount = 0

  constructor(private readonly socket: WebSocket) {
    socket.on('pong', (data: Uint8Array) => {
      const name = new TextDecoder().decode(data)
      this.#pings.get(name)?.(true)
      this.#pings.delete(name)
    })
    socket.on('close', () => {
      for (const answer of this.#pings.values()) answer(false)
      this.#pings.clear()
    })
  }

  get unsentBytes(): number {
    return this.socket.bufferedAmount
  }

  send(text: string): void {
    this.socket.send(text)
  }

  ping(): Promise<boolean> {
    const { socket } = this
    if (socket.readyState !== socket.OPEN) return Promise.resolve(false)
    const name = String(++this.#pingCount)
    return new Promise((resolve) => {
      this.#pings.set(name, resolve)
      socket.ping(name)
    })
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  end(): void {
    this.socket.close(GOING_AWAY, 'service shutdown')
  }

  destroy(): void {
    this.socket.terminate()
  }
}
