import { describe, expect, test } from 'vitest'
import { baseNameOf, epochDayFromFileName } from '../../src/tickfile/archive/file-day.js'
import { dayText } from '../../src/model/time.js'

describe('the day of a file', () => {
  test.each([
    ['67824_2025-01-03.txt.zst', '2025-01-03'],
    ['binance_swap-BTCUSDT-2024-08-08.txt.zst', '2024-08-08'],
    ['deribit-BTC-24JUN22-15000-C-2021-07-22.txt.zst', '2021-07-22'],
    ['kalshi-KX-2025-01-01-2025-02-28.txt.zst', '2025-02-28'],
    ['67824_2024-02-29_0815_perpetual-master-a.txt.zst', '2024-02-29'],
    ['67824_2024-02-29_x_y-z_spot-master-b.txt.zst', '2024-02-29'],
    ['a/folder/67824_2025-01-03.txt.zst', '2025-01-03'],
    ['a\\folder\\67824_2025-01-03.txt.zst', '2025-01-03'],
  ])('%s is of %s', (name, day) => {
    const found = epochDayFromFileName(name)
    expect(found === null ? null : dayText(found)).toBe(day)
  })

  test.each([
    '',
    'day.txt.zst',
    '2024-08-08.txt.zst',
    'BTCUSDT-2024-08-08.txt.zst',
    'binance_swap-BTCUSDT-2024-02-30.txt.zst',
    '67824_2025-02-29.txt.zst',
    '67824_2025-13-01.txt.zst',
    '67824_2025-1-3.txt.zst',
    '67824_20250103.txt.zst',
    'x67824_2025-01-03.txt.zst',
    '67824_2025-01-03_x_spot-master-c.txt.zst',
    '67824_2025-01-03_x.txt.zst',
    '67824_2025-01-03.txt.gz',
    'binance_swap-BTCUSDT-2024-08-08.parquet',
    'binance_swap-BTCUSDT-2024-08-08.txt.zst.part',
    'binance_swap-BTCUSDT-2024-08-08/day.txt.zst',
  ])('%j has no day', (name) => {
    expect(epochDayFromFileName(name)).toBe(null)
  })

  test.each([
    ['a/b', 'b'],
    ['a\\b', 'b'],
    ['../../b', 'b'],
    ['a/', ''],
    ['b', 'b'],
  ])('the base name of %s is %j', (path, base) => {
    expect(baseNameOf(path)).toBe(base)
  })
})
