import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { writeDays } from '../../src/columns.js'
import { userCacheFolder, type UserSystem } from '../../src/files/user-folder-reader.js'
import { backtape } from '../support/command.js'

const root = mkdtempSync(join(tmpdir(), 'backtape-user-cache-'))
afterAll(() => { rmSync(root, { recursive: true, force: true }) })

describe('the folder for caches', () => {
  test.each<[string, Partial<UserSystem>, string]>([
    ['of Linux', {}, '/home/ada/.cache/backtape'],
    ['where XDG says', { env: { XDG_CACHE_HOME: '/var/caches' } }, '/var/caches/backtape'],
    ['a relative path of XDG is ignored', { env: { XDG_CACHE_HOME: 'caches' } }, '/home/ada/.cache/backtape'],
    ['an empty one too', { env: { XDG_CACHE_HOME: '' } }, '/home/ada/.cache/backtape'],
    ['of macOS', { platform: 'darwin', env: { XDG_CACHE_HOME: '/var/caches' } }, '/home/ada/Library/Caches/backtape'],
    ['of Windows', { platform: 'win32', env: { LOCALAPPDATA: '/local' } }, '/local/backtape'],
    ['of Windows without a variable', { platform: 'win32' }, '/home/ada/AppData/Local/backtape'],
    ['as the variable has it', { env: { BACKTAPE_CACHE: '/fast/disk', XDG_CACHE_HOME: '/var/caches' } }, '/fast/disk'],
    ['as the variable has it, from here', { env: { BACKTAPE_CACHE: 'own' } }, resolve('own')],
    ['an empty variable says nothing', { env: { BACKTAPE_CACHE: '' } }, '/home/ada/.cache/backtape'],
    ['as XDG says, without a home', { home: '', env: { XDG_CACHE_HOME: '/var/caches' } }, '/var/caches/backtape'],
  ])('%s', (_, system, wanted) => {
    expect(userCacheFolder({ platform: 'linux', env: {}, home: '/home/ada', ...system })).toBe(wanted)
  })

  test.each<[string, Partial<UserSystem>]>([
    ['without a home', { home: '' }], ['with a home that is none', { home: 'ada' }], ['on macOS', { home: '', platform: 'darwin' }],
  ])('is refused %s', (_, system) => {
    expect(() => userCacheFolder({ platform: 'linux', env: {}, home: '/home/ada', ...system })).toThrow(/the user has no home; name one with BACKTAPE_CACHE/)
  })
})

test('commands write nothing beside the data', { timeout: 60_000 }, async () => {
  const [days, cache, home] = [join(root, 'days'), join(root, 'cache'), join(root, 'home')]
  await writeDays(days, { seed: 5, kind: 'perpetual', minutes: 1, days: 1, day: '2026-07-01' })
  const before = readdirSync(days)
  for (const env of [{ BACKTAPE_CACHE: cache, HOME: home }, { BACKTAPE_CACHE: '', XDG_CACHE_HOME: '', HOME: home }])
    for (const args of [['catalog', days, '--audit'], ['sql', 'select count(*) from trades', '--data', days]]) {
      const { code, err } = await backtape(args, { env })
      expect([code, err]).toEqual([0, ''])
    }
  expect(readdirSync(days)).toEqual(before)
  expect(readdirSync(join(cache, 'catalog')).sort()).toEqual(['indexes', 'tables'])
  if (process.platform === 'linux') expect(readdirSync(join(home, '.cache/backtape/catalog')).sort()).toEqual(['indexes', 'tables'])
})
