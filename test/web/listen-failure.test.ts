import { expect, test } from 'vitest'
import { listenFailure } from '../../src/web/listen-failure.js'

const failed = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code })

test.each<[unknown, string, string]>([
  [failed('EADDRINUSE'), 'ADDRESS_TAKEN', 'another program does'],
  [failed('EACCES'), 'OPTION_INVALID', 'permission denied'],
  [failed('EADDRNOTAVAIL'), 'OPTION_INVALID', 'this machine does not have that address'],
  [failed('ENOENT'), 'OPTION_INVALID', 'its folder does not exist'],
  [failed('ENOTDIR'), 'OPTION_INVALID', 'a part of its path is a file, not a folder'],
  [failed('ENOTFOUND'), 'OPTION_INVALID', 'the name of the host is not known'],
  [failed('EOTHER'), 'OPTION_INVALID', 'listen EOTHER'],
  [new Error('no code'), 'OPTION_INVALID', 'no code'],
  ['a text', 'OPTION_INVALID', 'a text'],
])('%s', (cause, code, words) => {
  expect(listenFailure(cause, 'there')).toMatchObject({ code, message: `Cannot listen at there: ${words}`, place: { found: 'there' }, cause })
})
