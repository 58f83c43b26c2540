import { afterEach, expect, test } from 'vitest'
import { gzipSync } from 'node:zlib'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'

let opened: OpenedStrategies | null = null
afterEach(async () => {
  await opened?.server.close()
  opened = null
})

test('the page of the live view loads its own files alone, no page may frame it, and it is small', async () => {
  const { ask } = (opened = await openedStrategies())
  const [page, script, style] = await Promise.all(['/live', '/live/script.js', '/live/style.css'].map((path) => ask('GET', path)))
  expect([page, script, style].map((one) => one!.headers.get('content-type'))).toEqual(['text/html', 'text/javascript', 'text/css'].map((media) => `${media}; charset=utf-8`))
  expect(page!.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; .*frame-ancestors 'none'$/)
  const text = page!.body as string
  expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path)).toEqual(['data:,', '/live/style.css', '/live/script.js'])
  expect(text).not.toMatch(/<script>|style=|onclick/)
  expect(gzipSync(script!.body as string).length).toBeLessThan(60_000)
})

test.each([['POST', '/live'], ['GET', '/live/'], ['GET', '/live/none.js'], ['GET', '/live/../live-script.txt']])('%s %s is not there', async (method, path) => {
  opened = await openedStrategies()
  expect([404, 405]).toContain((await opened.ask(method as 'GET', path)).status)
})

test('a page of another origin does not get it', async () => {
  opened = await openedStrategies()
  const foreign = await opened.ask('GET', '/live', undefined, { origin: 'http://elsewhere.example' })
  expect(foreign.status).toBe(403)
})
