import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { FrameReader, frameOf } from '../protocol/domain-socket-frames.js'
import { failure, type FoundAdapter } from './adapter-lookup-client.js'

/** A connection to an adapter, client side. */
export interface AdapterSocket {
  readonly transport: 'websocket' | 'domainSocket'
  send(text: string): void
  pause(): void
  resume(): void
  /** Closes it when everything is written. */
  end(): void
  destroy(): void
}

/** Receives what a connection brings. */
export interface AdapterSocketListener {
  onText(text: string): void
  /** Once, also where it never opened. */
  onClose(reason: string): void
}

/** Longest message of an adapter, bytes: a login result has every open order. */
const MESSAGE_LIMIT_BYTES = 268_435_456
/** Most bytes that wait to be sent; an adapter that reads more slowly is left. */
const UNSENT_LIMIT_BYTES = 67_108_864
const OPEN_MS = 10_000

/** Opens a connection. Throws CONNECTION_FAILED. */
export function openAdapterSocket(
  { webSocket, domainSocket }: FoundAdapter, transport: 'auto' | 'websocket' | 'domainSocket',
  listener: AdapterSocketListener,
): Promise<AdapterSocket> {
  if (transport === 'websocket' || (transport === 'auto' && domainSocket === null))
    return openWebSocket(webSocket, listener)
  if (domainSocket === null)
    throw failure('connect to the adapter', 'a domain socket in its /api/info', 'none: is it on this machine?')
  return openDomainSocket(domainSocket, listener)
}

function openWebSocket(url: string, listener: AdapterSocketListener): Promise<AdapterSocket> {
  const socket = new WebSocket(url, {
    perMessageDeflate: false, maxPayload: MESSAGE_LIMIT_BYTES, handshakeTimeout: OPEN_MS,
  })
  const made: AdapterSocket = {
    transport: 'websocket',
    send(text) {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount > UNSENT_LIMIT_BYTES) socket.terminate()
      else socket.send(text)
    },
    pause: () => { socket.pause() },
    resume: () => { socket.resume() },
    end: () => { socket.close(1000) },
    destroy: () => { socket.terminate() },
  }
  return new Promise((done, fail) => {
    let reason = ''
    socket.on('unexpected-response', (_request, response) => {
      reason = `status ${response.statusCode ?? 0} instead of a WebSocket`
      socket.terminate()
    })
    socket.on('error', (error) => { reason ||= error.message })
    socket.on('open', () => { done(made) })
    socket.on('message', (data: Uint8Array, isBinary: boolean) => {
      if (!isBinary) listener.onText(new TextDecoder().decode(data))
    })
    socket.on('close', (code, words) => {
      const text = reason || words.toString('utf8') || `code ${code}`
      fail(failure('connect to the adapter', 'a WebSocket', text))
      listener.onClose(text)
    })
  })
}

function openDomainSocket(path: string, listener: AdapterSocketListener): Promise<AdapterSocket> {
  const socket = connect(path)
  const made: AdapterSocket = {
    transport: 'domainSocket',
    send(text) {
      if (!socket.writable) return
      if (socket.writableLength > UNSENT_LIMIT_BYTES) socket.destroy()
      else socket.write(frameOf(text))
    },
    pause: () => { socket.pause() },
    resume: () => { socket.resume() },
    end: () => { socket.destroySoon() },
    destroy: () => { socket.destroy() },
  }
  const frames = new FrameReader(MESSAGE_LIMIT_BYTES)
  return new Promise((done, fail) => {
    let reason = 'closed by the adapter'
    socket.on('connect', () => { done(made) })
    socket.on('error', (error) => { reason = error.message })
    socket.on('data', (chunk: Uint8Array) => {
      frames.push(chunk)
      for (let frame = frames.next(); frame !== null && !socket.destroyed; frame = frames.next()) {
        if ('text' in frame) listener.onText(frame.text)
        else {
          reason = `a message that cannot be read (${frame.fault})`
          socket.destroy()
        }
      }
    })
    socket.on('close', () => {
      fail(failure('connect to the adapter', 'a domain socket', reason))
      listener.onClose(reason)
    })
  })
}
