import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedFolder } from '../support/shared-data.ts'

/**
 * Every row of spec 1's realtime tables, errors and limits, and the test that is its case: a file of this folder or of
 * `test/protocol`, and words of its title. The rows of the specification itself are compared with these where it is there.
 */
const CASES: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'message: login (client to server)': ['protocol/feed-json-codec', '%s is written, and read with its defaults'],
  'message: login response': ['protocol/feed-json-codec', 'a login response has its capabilities at index 4'],
  'message: subscribe (client to server)': ['protocol/feed-json-codec', '%s is written, and read with its defaults'],
  'message: state event (server to client)': ['protocol/feed-json-codec', 'come back as they were, times beyond 2^53 too'],
  'state: Realtime instrument, listed': ['feed/instrument-directory', 'lists it as CSV: one header line'],
  'state: Realtime subscription, connected': ['feed/feed-server', 'nothing before the login; then the response'],
  'state: Realtime subscription, logged in': ['feed/feed-server', 'READY, the current state, live lines'],
  'state: Realtime subscription, subscribed': ['feed/feed-server', 'unsubscribing is answered'],
  'endpoint: first-exchange perpetual': ['feed/feed-server', 'says who, what and where, without a key'],
  'endpoint: first-exchange spot': ['feed/feed-server', 'says who, what and where, without a key'],
  'route: `http://{feed_host}:<port>/api/info?all=true`': ['feed/feed-server', 'says who, what and where, without a key'],
  'route: `{base_url}/api/realtime/instruments?market=<code>`': ['feed/instrument-directory', 'lists a market as JSON'],
  ...Object.fromEntries([
    'instrument_id', 'code', 'type', 'base_underlying', 'counter_underlying', 'state', 'ticksize', 'lot_size', 'contract_value', 'multiplier', 'min_order', 'max_order', 'exchange_id', 'exchange_code',
  ].map((column) => [`column: ${column}`, ['feed/instrument-directory', 'lists a market as JSON: columns in their order'] as const])),
  'credential: Realtime feed': ['feed/feed-server', '\'a key in another place\''],
  'credential: Realtime instrument directory': ['feed/instrument-directory', 'an unknown market and every rejected key are answered alike'],
  'credential: Feed `/api/info`': ['feed/feed-server', 'says who, what and where, without a key'],
  'rule 3': ['feed/feed-access', 'rotation keeps the days'],
  'rule 4': ['feed/feed-server', 'what a login says is logged'],
  'rule 5': ['feed/feed-server', 'a key that is gone ends the connection at the next look'],
  'rule 6': ['feed/feed-access', '\'a market by one of its instruments\''],
  'rule 7': ['feed/instrument-directory', 'an unknown market and every rejected key are answered alike'],
  'reason: unknown api key': ['feed/feed-server', 'api key rejected: unknown api key'],
  'reason: no active realtime subscription for this market today (UTC)': ['feed/feed-server', '\'a key without this market\''],
  'reason: market not configured': ['feed/feed-server', 'a market that is not configured comes before the key'],
  'reason: invalid request': ['feed/feed-server', '\'a query that does not parse\''],
  'notice: api key expired or revoked': ['feed/feed-server', 'a key that is gone ends the connection at the next look'],
  'notice: not logged in': ['protocol/feed-session', '\'subscribe before login\''],
  'notice: already logged in': ['protocol/feed-session', '\'a second login\''],
  'notice: protocol violation: <detail>': ['protocol/feed-session', '\'junk after login\''],
  'notice: pong check failed': ['feed/feed-server', 'a connection that never answers is closed'],
  'notice: service shutdown': ['feed/feed-server', 'a server that closes says so'],
  'instrument error: instrument not available on this endpoint': ['feed/feed-server', 'instruments of another market and forbidden ones are errors without a close'],
  'instrument error: instrument not permitted for this api key': ['feed/feed-server', 'instruments of another market and forbidden ones are errors without a close'],
  'instrument error: instrument permission expired or revoked': ['feed/feed-server', 'a key that is gone ends the connection at the next look, an instrument its subscription'],
  'instrument error: instrument unsubscribed': ['feed/feed-server', 'unsubscribing is answered'],
  'directory: 200': ['feed/instrument-directory', 'lists a market as JSON'],
  'directory: 404': ['feed/instrument-directory', 'an unknown market and every rejected key are answered alike'],
  'directory: 503': ['feed/instrument-directory', 'a check that is not available'],
  'limit: feed connections': ['feed/feed-server', 'five connections of a key and market'],
  'limit: feed ping': ['protocol/feed-session', 'no pong within 30 s of the first'],
  'limit: directory refresh': ['feed/instrument-directory', 'since: what has changed after it'],
  'limit: access re-check': ['feed/feed-server', 'a key that is gone ends the connection at the next look'],
}

const specification = join(sharedFolder, 'spec/1-market-data-shop-and-feed.md')

/** The text of a part, from its heading to the next one of the same level or a higher one. */
function part(page: string, heading: string): string {
  const level = heading.indexOf(' ')
  const [, rest = ''] = page.split(`\n${heading}\n`)
  return rest.split(new RegExp(`\n#{1,${level}} `))[0]!
}

/** Rows of every table of a text, without their headers. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const isRow = line.startsWith('|') && !line.startsWith('|-') && !(lines[at + 1] ?? '').startsWith('|-')
    return isRow ? [line.slice(1, -1).split('|').map((cell) => cell.trim())] : []
  })
}

const quoted = (line: string): string[] => [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

function specificationRows(): string[] {
  const page = readFileSync(specification, 'utf8')
  const realtime = part(page, '### Realtime feed endpoints')
  const errors = part(page, '## Errors')
  const line = (text: string, begin: string): string => text.split('\n').find((one) => one.startsWith(begin)) ?? ''
  return [
    ...rowsOf(part(page, '### Realtime feed messages')).map(([name]) => `message: ${name!}`),
    ...rowsOf(part(page, '## States and transitions')).filter(([name]) => name!.startsWith('Realtime')).map(([name, state]) => `state: ${name!}, ${state!}`),
    ...rowsOf(realtime).map(([first, second]) => (first === 'GET' ? `route: ${second!}` : `endpoint: ${first!}`)),
    ...rowsOf(part(page, '### Realtime instrument directory')).map(([column]) => `column: ${column!}`),
    ...rowsOf(part(page, '## Authentication')).filter(([name]) => /^(Realtime|Feed)/.test(name!)).map(([name]) => `credential: ${name!}`),
    ...[...part(page, '## Authentication').matchAll(/^(\d)\. .*(realtime|feed|market|master-data|paid)/gim)].map((match) => `rule ${match[1]!}`),
    ...rowsOf(errors.slice(errors.indexOf('Realtime handshake'))).map(([reason]) => `reason: ${quoted(reason!)[0]!}`),
    ...quoted(line(errors, 'Plain-text notices').split('. A missing')[0]!).map((notice) => `notice: ${notice}`),
    ...quoted(line(errors, 'Instrument-level errors').split('Texts:')[1]!).map((text) => `instrument error: ${text}`),
    ...[...line(errors, 'Directory route').matchAll(/\b\d{3}\b/g)].map(([status]) => `directory: ${status}`),
    ...rowsOf(part(page, '## Limits')).filter(([limit]) => /^(feed|directory|access)/.test(limit!)).map(([limit]) => `limit: ${limit!}`),
  ]
}

describe('rows of spec 1', () => {
  test.skipIf(!existsSync(specification))('are those that have a case', () => {
    expect([...specificationRows()].sort()).toEqual(Object.keys(CASES).sort())
  })

  test.each(Object.entries(CASES))('%s has its case', (_row, [file, title]) => {
    expect(readFileSync(join(import.meta.dirname, `../${file}.test.ts`), 'utf8')).toContain(title)
  })
})
