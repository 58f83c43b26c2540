import type { Socket } from 'node:net'
import { frameOf } from '../protocol/domain-socket-frames.js'
import type { OrderEntryTransport } from './served-connection.js'

/** The server's end of a domain socket. */
export class DomainSocketTransport implements OrderEntryTransport {
  readonly kind = 'domainSocket'

  constructor(private readonly socket: Socket) {}

  get unsentBytes(): number {
    return this.socket.writableLength
  }

  send(text: string): void {
    if (this.socket.writable) this.socket.write(frameOf(text))
  }

  ping(): Promise<boolean> {
    return Promise.resolve(false)
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  end(): void {
    this.socket.destroySoon()
  }

  destroy(): void {
    this.socket.destroy()
  }
}
