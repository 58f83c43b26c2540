import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { StrategyFolder, strategyNamed } from '../../src/strategy-server/strategy-folder-reader.js'
import { newFolder } from '../support/new-folder.ts'
import { MODULES, writeModules } from '../support/strategy-modules.ts'

const DAY = join(import.meta.dirname, '../../datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const RUN = { data: [DAY], account: { balances: { USDT: '1000' } } }

describe('the strategies of a folder', () => {
  test('all of them with their parameters, and modules that cannot be used with their errors', async () => {
    const path = newFolder()
    writeModules(path)
    const folder = new StrategyFolder(path, null)
    const all = await folder.list()
    expect(all.map(({ module, strategyName, error }) => [module, strategyName ?? null, error === undefined])).toEqual([
      ['broken.ts', null, false], ['exits.mjs', null, false], ['makers.ts', 'Idle', true], ['makers.ts', 'TouchMaker', true],
      ['more/idle.mjs', 'Idle', true], ['more/idle.mjs', 'Other', true], ['throws.mjs', 'Thrower', false],
    ])
    expect(all[0]?.error).toContain('broken.ts')
    expect(all[3]?.parameters).toEqual([
      { name: 'instrument', type: 'TradingInstrument', optional: false },
      { name: 'size', type: 'Quantity', optional: false },
      { name: 'floor', type: 'Price', optional: true, default: '0.1' },
      { name: 'levels', type: 'List<Integer>', optional: true, default: [1, 2] },
      { name: 'offset', type: 'TwoSides<Integer>', optional: true, default: { bid: 1, ask: 2 } },
      { name: 'limits', type: 'Limits', optional: true, parameters: [{ name: 'most', type: 'Integer', optional: true, default: 5, min: '1' }] },
    ])
    expect(await folder.find('TouchMaker')).toEqual({ module: 'makers.ts', strategyName: 'TouchMaker' })
    expect(['TouchMaker', 'more/idle.mjs#Idle', 'Idle', 'Nobody', 'Thrower', 'helper.ts#half', 'broken.ts#A', ''].map((name) => strategyNamed(name, all))).toMatchObject([
      { module: 'makers.ts', strategyName: 'TouchMaker' }, { module: 'more/idle.mjs', strategyName: 'Idle' },
      { path: 'strategyName', expected: 'one of makers.ts#Idle, more/idle.mjs#Idle' }, { path: 'strategyName', found: '"Nobody"' },
      { path: 'strategyName' }, { path: 'strategyName' }, { path: 'strategyName' }, { path: 'strategyName' },
    ])
  })

  test('it is read anew, a module that never ends is named, and a folder that is not there refused', async () => {
    const path = newFolder()
    const folder = new StrategyFolder(path, null, { lookMs: 3_000 })
    expect(await folder.list()).toEqual([])
    writeModules(path, { 'idle.mjs': MODULES['more/idle.mjs']!, 'loop.mjs': 'for (;;) {}\n' })
    expect((await folder.list()).map(({ module, strategyName, error }) => [module, strategyName ?? error])).toEqual([
      ['idle.mjs', 'Idle'], ['idle.mjs', 'Other'], ['loop.mjs', 'the module was not loaded after 3 s'],
    ])
    await expect(new StrategyFolder(join(path, 'none'), null).list()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  test('a run is compared with its data, all faults at once', async () => {
    const path = newFolder()
    writeModules(path, { 'makers.ts': MODULES['makers.ts']! })
    const folder = new StrategyFolder(path, null)
    const maker = { module: 'makers.ts', strategyName: 'TouchMaker' }
    const faultsOf = async (parameters: object, more: object = {}): Promise<unknown[]> => (await folder.faults(maker, { ...RUN, ...more, parameters: { ...parameters } })).map((one) => one.path)
    expect(await faultsOf({ instrument: 'XRPUSDT', size: '10' })).toEqual([])
    expect(await faultsOf({ instrument: 'BTCUSDT', size: 0.5, levels: ['a'], more: 1, limits: { most: 0 } })).toEqual([
      'parameters.instrument', 'parameters.size', 'parameters.levels[0]', 'parameters.limits.most', 'parameters.more',
    ])
    expect(await faultsOf({ size: '1' }, { from: 'soon', seed: -1 })).toEqual(['seed', 'from', 'parameters.instrument'])
    expect(await folder.faults(maker, { ...RUN, data: [join(path, 'none.txt.zst')], parameters: {} })).toMatchObject([{ path: 'venue' }])
    writeFileSync(join(path, 'makers.ts'), 'export class {')
    expect(await folder.faults(maker, RUN)).toMatchObject([{ path: 'strategyName' }])
  })
})
