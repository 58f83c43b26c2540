import { afterEach, expect, test } from 'vitest'
import { STRATEGIES } from '../../src/protocol/strategies/strategy-tables.js'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'

let opened: OpenedStrategies | null = null
afterEach(async () => { await opened?.server.close() })

test('is a page without a script of its own, of files of this server alone', async () => {
  opened = await openedStrategies()
  const { url } = opened.server
  const page = await fetch(`${url}/`)
  const text = await page.text()
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toBe('default-src \'none\'; script-src \'self\'; style-src \'self\'; img-src \'self\' data:; connect-src \'self\'; font-src data:; base-uri \'none\'; form-action \'none\'; frame-ancestors \'none\'')
  expect(text.match(/<script(?![^>]* src=)|<style| on\w+=|https?:/g)).toBe(null)
  const files = [...text.matchAll(/(?:src|href)="(\/explorer\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(files).toEqual(['/explorer/swagger-ui.css', '/explorer/explorer.css', '/explorer/swagger-ui-bundle.js', '/explorer/explorer.js'])
  for (const path of files) {
    const file = await fetch(url + path)
    expect([path, file.status, file.headers.get('content-type')]).toEqual([path, 200, path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'])
    expect(Number(file.headers.get('content-length'))).toBe((await file.arrayBuffer()).byteLength)
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test.each([
  ['GET', '/explorer/', 404], ['GET', '/explorer/../package.json', 404], ['GET', '/explorer/%2e%2e/x', 404], ['GET', '/explorer/toString', 404], ['GET', '/explorer/swagger-ui-bundle.gz', 404],
  ['POST', '/', 405], ['DELETE', '/explorer/explorer.js', 405],
] as const)('%s %s is %i', async (method, path, status) => {
  opened = await openedStrategies()
  expect((await fetch(opened.server.url + path, { method })).status).toBe(status)
})

test('pages of another origin do not get it', async () => {
  opened = await openedStrategies()
  for (const path of ['/', '/explorer/explorer.js']) expect((await fetch(opened.server.url + path, { headers: { origin: 'http://evil.example' } })).status).toBe(403)
})

test('every request of the description has an example of all that it needs', async () => {
  opened = await openedStrategies()
  const { body } = await opened.ask('GET', '/openapi.json')
  type Operation = { readonly operationId: string, readonly parameters?: readonly { readonly name: string, readonly required?: boolean, readonly example?: unknown }[], readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> } }
  const { paths } = body as { readonly paths: Record<string, Record<string, Operation>> }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  // The routes of a login are those of a server with a token.
  expect(operations.length).toBe(Object.values(STRATEGIES.routes).filter(({ path }) => !/^\/log(?:in|out)$/.test(path)).length)
  const lacking = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters.filter(({ required, example }) => required === true && example === undefined).map(({ name }) => `${operationId} ${name}`),
    ...Object.values(requestBody?.content ?? {}).filter(({ example }) => example === undefined).map(() => `${operationId} body`),
  ])
  expect(lacking).toEqual([])
})
