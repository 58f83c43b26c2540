import { lstat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { listenFailure } from '../web/listen-failure.js'

/** Longest path of a domain socket in bytes: the system's structure has 108 (104 on macOS), the last one is 0. */
const PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/**
 * Listens at a domain socket; the path becomes absolute. A file that a dead server left is removed. Throws
 * OPTION_INVALID for a path that is too long or cannot be listened at, ADDRESS_TAKEN where a server answers there, or
 * where a file lies that is no socket.
 */
export async function listenAtDomainSocket(
  named: string, onSocket: (socket: Socket) => void,
): Promise<{ readonly server: Server; readonly path: string }> {
  const path = resolve(named)
  const length = new TextEncoder().encode(path).length
  if (length > PATH_BYTES) {
    const place = { field: 'domainSocket', expected: `a path of at most ${PATH_BYTES} bytes`, found: `${length}` }
    throw new BacktapeError(
      'OPTION_INVALID',
      `Cannot listen at ${path}: the path of a domain socket must have at most ${PATH_BYTES} bytes, found ${length}; ` +
        'name one nearer to the root',
      place,
    )
  }
  await removeStale(path)
  const server = createServer(onSocket)
  await new Promise<void>((done, fail) => {
    server.once('error', (error) => { fail(listenFailure(error, path)) })
    server.listen(path, () => { done() })
  })
  return { server, path }
}

async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null) return
  if (!found.isSocket())
    throw new BacktapeError(
      'ADDRESS_TAKEN', `Cannot listen at ${path}: a file that is no socket lies there`, { found: path },
    )
  if (await answers(path))
    throw new BacktapeError(
      'ADDRESS_TAKEN', `Cannot listen at ${path}: another server listens there`, { found: path },
    )
  await unlink(path).catch((error: unknown) => { throw listenFailure(error, path) })
}

function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    // Only a refusal says that nobody is there: what cannot be asked is left alone.
    socket.once('error', (error: { readonly code?: string }) => { done(error.code !== 'ECONNREFUSED') })
  })
}
