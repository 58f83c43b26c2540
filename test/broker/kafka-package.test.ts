import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFault } from '../../src/files/package-reader.js'

test('the client that is missing is installed by the version that is tested', () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as Record<string, Record<string, string>>
  const version = manifest['peerDependencies']!['@platformatic/kafka']!
  expect(manifest['devDependencies']!['@platformatic/kafka']).toBe(version)
  const fault = packageFault('@platformatic/kafka', Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }))
  expect(fault).toMatchObject({ code: 'PACKAGE_MISSING' })
  expect((fault as Error).message).toBe(`Cannot do this without the package @platformatic/kafka (part kafka), which is not installed here for ${process.platform}-${process.arch}: npm install @platformatic/kafka@${version}`)
})
