import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A client of the channels that is logged in and has subscribed `signals`. */
export async function signalsClient(url: string, origin: string, options: object = {}): Promise<{ socket: WebSocket, taken: unknown[], until: (count: number) => Promise<void> }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`, options)
  const taken: unknown[] = []
  socket.on('message', (data: Buffer) => { taken.push(JSON.parse(data.toString('utf8'))) })
  await once(socket, 'open')
  socket.send(JSON.stringify({ op: 'login', origin }))
  socket.send(JSON.stringify({ op: 'subscribe', channel: 'signals' }))
  const until = async (count: number): Promise<void> => { while (taken.length < count) await once(socket, 'message') }
  await until(2)
  return { socket, taken, until }
}
