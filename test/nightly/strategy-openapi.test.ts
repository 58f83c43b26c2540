import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder } from '../support/new-folder.ts'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'
import { done, installTools, redoclyFaults, schemathesisProgram } from '../support/openapi-tools.ts'
import { isNight } from '../support/repetitions.ts'

// The document that a strategy server serves, by tools that others use, as that of the shop.
let opened: OpenedStrategies
beforeAll(async () => {
  await installTools()
  // Calls a minute are counted by a clock that runs a thousand times as fast.
  opened = await openedStrategies({}, () => performance.now() * 1_000)
  await opened.made('maker')
})
afterAll(() => opened.server.close())

describe('the document of a strategy server', () => {
  test('has no fault that redocly knows', async () => {
    expect(await redoclyFaults(JSON.stringify((await opened.ask('GET', '/openapi.json')).body))).toBeNull()
  })

  test('is what the server does, whatever is asked', async () => {
    const folder = newFolder()
    const config = join(folder, 'schemathesis.toml')
    const accepted = '[checks]\nnegative_data_rejection.expected-statuses = ["4xx", "5xx"]\npositive_data_acceptance.expected-statuses = ["1xx", "2xx", "401", "404", "409", "422", "426", "429"]'
    writeFileSync(config, accepted)
    await done(schemathesisProgram, [
      '--config-file', config, 'run', `${opened.server.url}/openapi.json`, '--checks', 'all', '--exclude-checks', 'unsupported_method,ignored_auth', '--max-examples', String(isNight ? 200 : 12), '--generation-deterministic', '--request-timeout', '10', '--no-color',
    ], folder)
    expect(opened.notes.filter((note) => note.includes('failed'))).toEqual([])
  })
})
