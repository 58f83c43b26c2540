import type { Socket } from 'node:net'
import { frameOf } from '../protocol/domain-socket-frames.js'
import { SOCKET_BYTES } from '../protocol/write-queue.js'
import type { Farewell, OrderEntryTransport } from './served-connection.js'

/** The server's end of a domain socket. */
export class DomainSocketTransport implements OrderEntryTransport {
  readonly kind = 'domainSocket'

  onReady = (): void => undefined

  constructor(private readonly socket: Socket) {}

  get unsentBytes(): number {
    return this.socket.writableLength
  }

  readBytes(givenBytes: number): number {
    return givenBytes - this.socket.writableLength
  }

  isReady(): boolean {
    return this.socket.writableLength < SOCKET_BYTES
  }

  send(text: string, onTaken: () => void): void {
    if (this.socket.writable) this.socket.write(frameOf(text), onTaken)
  }

  sendPing(): boolean {
    return true
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

  end({ withinMs }: Farewell): void {
    // There is no close frame: one that reads nothing is ended at once.
    if (withinMs === undefined) this.socket.destroySoon()
    else this.socket.destroy()
  }

  destroy(): void {
    this.socket.destroy()
  }
}
