import type { WebSocket } from 'ws'
import { afterMs, steadyMs } from '../model/wall-client.js'
import { PongWatch } from '../protocol/pong-watch.js'
import { SOCKET_BYTES } from '../protocol/write-queue.js'
import type { Farewell, OrderEntryTransport } from './served-connection.js'

/** The server's end of a WebSocket. */
export class WebSocketTransport implements OrderEntryTransport {
  readonly kind = 'websocket'
  readonly #pongs: PongWatch
  #waiters: { readonly number: number; readonly resolve: (isAnswered: boolean) => void }[] = []

  onReady = (): void => undefined

  /** `pongMs`: most time without a pong, milliseconds. */
  constructor(private readonly socket: WebSocket, pongMs: number) {
    this.#pongs = new PongWatch(pongMs)
    socket.on('pong', (data: Uint8Array) => {
      const number = Number(new TextDecoder().decode(data))
      this.#pongs.pong(steadyMs(), number)
      this.#answer((waiter) => waiter.number <= number, true)
      this.onReady()
    })
    socket.on('close', () => { this.#answer(() => true, false) })
  }

  get unsentBytes(): number {
    return this.socket.bufferedAmount
  }

  readBytes(): number {
    return this.#pongs.readBytes
  }

  isReady(givenBytes: number): boolean {
    return this.unsentBytes < SOCKET_BYTES && this.#pongs.mayBeGiven(givenBytes)
  }

  send(text: string, onTaken: () => void): void {
    this.socket.send(text, onTaken)
  }

  sendPing(givenBytes: number): boolean {
    return this.#ping(givenBytes) !== null
  }

  ping(givenBytes: number): Promise<boolean> {
    const number = this.#ping(givenBytes) ?? 0
    if (number === 0) return Promise.resolve(false)
    return new Promise((resolve) => this.#waiters.push({ number, resolve }))
  }

  /** The number of the ping; 0 where the socket closes, null where no pong has come for too long. */
  #ping(givenBytes: number): number | null {
    const { socket } = this
    if (socket.readyState !== socket.OPEN) return 0
    const number = this.#pongs.ping(steadyMs(), givenBytes)
    if (number !== null) socket.ping(String(number))
    return number
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  end({ code, reason, withinMs }: Farewell): void {
    const { socket } = this
    socket.resume()
    socket.close(code, reason)
    if (withinMs !== undefined) socket.once('close', afterMs(withinMs, () => { socket.terminate() }))
  }

  destroy(): void {
    this.socket.terminate()
  }

  #answer(isMeant: (waiter: { readonly number: number }) => boolean, isAnswered: boolean): void {
    const waiters = this.#waiters
    this.#waiters = waiters.filter((waiter) => !isMeant(waiter))
    for (const waiter of waiters) if (isMeant(waiter)) waiter.resolve(isAnswered)
  }
}
