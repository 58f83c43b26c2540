import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compareRuns } from '../support/conformance-report.ts'
import { repeated } from '../support/repetitions.ts'
import { hasSharedData, sharedFolder } from '../support/shared-data.ts'

const folder = join(sharedFolder, 'conformance/hftbacktest')
const files = hasSharedData ? readdirSync(folder).filter((name) => name.endsWith('.json.gz')).sort() : []
const findDay = (name: string): string => join(name.startsWith('synth') ? join(folder, 'days') : join(sharedFolder, 'data/days'), name)

const GROUPS: readonly (readonly [title: string, isMember: (name: string) => boolean, areEqual: boolean])[] = [
  ['whole fills on recorded days: every order equal', (name) => !name.startsWith('synth') && !name.includes('-partial'), true],
  ['whole fills on the made-up day: every difference reproduced', (name) => name.startsWith('synth') && !name.includes('-partial'), false],
  ['the partial exchange: every difference in a named class', (name) => name.includes('-partial'), false],
]

describe.skipIf(!hasSharedData)('recorded hftbacktest runs', () => {
  test.each(GROUPS)('%s', { timeout: 600_000 }, async (_title, isMember, areEqual) => {
    const reports = await compareRuns(repeated(files.filter(isMember), (_, at) => at % 6 === 0).map((name) => join(folder, name)), findDay)
    expect(reports.length).toBeGreaterThan(0)
    expect(reports.flatMap(({ path, unexplained, moneyDifference }) => [unexplained, moneyDifference].filter((text) => text !== null).map((text) => `${path}: ${text}`))).toEqual([])
    if (areEqual) expect(reports.filter(({ classes }) => Object.keys(classes).length > 0)).toEqual([])
  })
})
