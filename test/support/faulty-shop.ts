import { createHash } from 'node:crypto'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A fault of one answer, at a byte of its body where it has one. */
export type ShopFault =
  | { readonly kind: 'cut' | 'stall' | 'reset', readonly at: number }
  | { readonly kind: Exclude<typeof FAULT_KINDS[number], 'cut' | 'stall' | 'reset'> }

/** The faults of an answer; `none` is an honest one. */
export const FAULT_KINDS = [
  'none', 'cut', 'stall', 'reset', 'whole for part', 'ignores If-Range', 'wrong begin', 'wrong total', 'wrong length', 'gzip', 'login page', 'lying login page',
  'JSON', 'changed', 'status 500', 'status 429', 'status 404', 'status 202', 'no validators', 'no length', 'echo', 'dropped', 'longer',
] as const

/** A file of the shop: its bytes make out its ETag. */
export interface FaultyFile {
  bytes: Uint8Array
  /** The bytes that it has after `changed`. */
  readonly next: Uint8Array
  /** Faults of its answers in order; behind them `last`. */
  readonly faults: ShopFault[]
  readonly last: ShopFault
}

/** A shop over TCP whose answers break at bytes that the test names. Files lie under the last part of the path. */
export class FaultyShop {
  readonly files: Map<string, FaultyFile> = new Map()
  /** Heads of the requests so far. */
  readonly requests: string[] = []
  readonly #sockets: Set<Socket> = new Set()

  private constructor(private readonly server: Server) {}

  static async started(): Promise<FaultyShop> {
    const server = createServer()
    const shop = new FaultyShop(server)
    server.on('connection', (socket) => {
      shop.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => shop.#sockets.delete(socket))
      let head = ''
      socket.on('data', (chunk: Buffer) => {
        head += chunk.toString('latin1')
        if (!head.includes('\r\n\r\n')) return
        shop.requests.push(head)
        shop.#answer(socket, head)
        head = ''
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return shop
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.server.close()
  }

  #answer(socket: Socket, head: string): void {
    const target = head.split(' ', 2)[1]!
    const file = this.files.get(target.split('?')[0]!.split('/').at(-1)!)!
    const fault = file.faults.shift() ?? file.last
    if (fault.kind === 'changed') file.bytes = file.next
    const { lines, body } = answered(head, file, fault, target)
    const text = `HTTP/1.1 ${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`
    if (!('at' in fault)) {
      if (fault.kind === 'dropped') socket.destroy()
      else socket.end(Buffer.concat([Buffer.from(text, 'latin1'), body]))
      return
    }
    const sent = Buffer.concat([Buffer.from(text, 'latin1'), body.subarray(0, fault.at)])
    if (fault.kind === 'cut') socket.end(sent)
    else socket.write(sent, () => { if (fault.kind === 'reset') socket.resetAndDestroy() })
  }
}

/** The ETag of bytes. */
export function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha1').update(bytes).digest('hex').slice(0, 12)}"`
}

function answered(head: string, file: FaultyFile, { kind }: ShopFault, target: string): { lines: string[], body: Uint8Array } {
  const { bytes } = file
  const text = (status: string, media: string, body: string): { lines: string[], body: Uint8Array } =>
    ({ lines: [status, `content-type: ${media}`, `content-length: ${String(body.length)}`], body: Buffer.from(body) })
  if (kind.startsWith('status ')) return text(`${kind.slice(7)} X`, 'application/json', JSON.stringify({ error: { message: `no ${target}` } }))
  if (kind === 'JSON') return text('200 OK', 'application/json', '{"state":"pending"}')
  if (kind === 'login page') return text('200 OK', 'text/html; charset=utf-8', '<!doctype html><title>Log in</title>')
  if (kind === 'lying login page') return text('200 OK', 'application/octet-stream', '<!doctype html><title>Log in</title>')
  const headerOf = (name: string): string | null => new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(head)?.[1] ?? null
  const etag = kind === 'echo' ? `"${target}"` : etagOf(bytes)
  const lines = kind === 'no validators' ? [] : [`etag: ${etag}`, 'last-modified: Mon, 05 Jan 2026 00:00:00 GMT']
  if (kind === 'gzip') lines.push('content-encoding: gzip')
  lines.push('content-type: application/zstd')
  const from = Number(/^bytes=(\d+)-$/.exec(headerOf('range') ?? '')?.[1] ?? NaN)
  const condition = headerOf('if-range')
  const isPart = !Number.isNaN(from) && kind !== 'whole for part' && (condition === null || (condition === etag && kind !== 'ignores If-Range'))
  if (isPart && from >= bytes.length) return { lines: ['416 X', `content-range: bytes */${String(bytes.length)}`, 'content-length: 0'], body: new Uint8Array(0) }
  const sent = isPart ? bytes.subarray(from) : bytes
  const shift = kind === 'wrong begin' ? 1 : 0
  const total = bytes.length + (kind === 'wrong total' ? 1 : 0)
  if (isPart) lines.push(`content-range: bytes ${String(from + shift)}-${String(bytes.length - 1)}/${String(total)}`)
  if (kind !== 'no length') lines.push(`content-length: ${String(sent.length + (kind === 'wrong length' ? 3 : 0))}`)
  return { lines: [isPart ? '206 X' : '200 OK', ...lines], body: kind === 'longer' ? Buffer.concat([sent, Buffer.from('more')]) : sent }
}
