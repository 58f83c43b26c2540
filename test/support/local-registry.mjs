// A registry for the tarballs of this build: `npm install backtape` and `backtape@npm:backtape-core` work before
// anything is published. Every other package is asked of the registry that npm knows.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename } from 'node:path'

function manifestOf(tarball) {
  const done = spawnSync('tar', ['xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return JSON.parse(done.stdout)
}

/** Opens it on a free port: its address, and `close`. */
export async function openRegistry(tarballs) {
  const known = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim().replace(/\/$/, '')
  const files = new Map(tarballs.map((path) => [`/${basename(path)}`, readFileSync(path)]))
  let address = ''
  const documents = new Map(tarballs.map((path) => {
    const manifest = manifestOf(path)
    const integrity = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`
    const version = () => ({ ...manifest, dist: { tarball: `${address}/${basename(path)}`, integrity } })
    return [`/${manifest.name}`, () => ({
      name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version() },
    })]
  }))
  const server = createServer(({ url = '' }, response) => {
    const [file, document] = [files.get(url), documents.get(url)]
    if (file !== undefined) response.end(file)
    else if (document === undefined) response.writeHead(302, { location: `${known}${url}` }).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document()))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${server.address().port}`
  return { address, close: () => server.close() }
}
