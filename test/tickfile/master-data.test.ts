import { describe, expect, test } from 'vitest'
import { BacktapeError } from '../../src/model/error.js'
import { masterDataFromLine, scalesOfInstrument } from '../../src/tickfile/lines/master-data.js'

const line = (fields: string): string => `{"instrument":{"id":7,"code":"A","exchange_code":"e","type":"spot"${fields === '' ? '' : ','}${fields}},"underlyings":[]}`
const instrumentOf = (fields: string): ReturnType<typeof masterDataFromLine>['instrument'] => masterDataFromLine(line(fields), 'made').instrument

test('every field is read by name, numbers and texts alike, digits kept', () => {
  const text = `{"x":[1],"underlyings":[{"id":"100","code":"BTC","name":"Bitcoin","type":"coin","fx_rate":60000.0,"ts_fx":"2024-08-08T00:00:00Z","verified":true,"meta":{}}],
    "instrument":{"id":67924,"code":"BTCUSD","code_alias":"x\\u0041","native_code":{"default":"XBT","other":1},"exchange_id":"15","exchange_code":"e","type":"perpetual",
    "state":"open","active":false,"is_inverse":true,"is_quanto":true,"contract_value":"100.00","multiplier":1.0E-4,"strike_price":12345678901234567890.123456789,
    "start":null,"expiry":"2100-12-25T08:00:00Z","ticksize":5e-1,"tick_table":{"e":[{"p":"10","t":0.50},{"p":0,"t":"1.0E-3"}],"i":false},"significant_digits":5,"max_decimals":"6",
    "lot_size":0.001,"min_order":1,"max_order":1e3,"min_value":"","funding_interval":"28800","base_underlying_id":1,"counter_underlying_id":2,
    "valuation_underlying_id":3,"fee_underlying_id":4,"new_field":{"deep":[[[]]]}}}`
  const master = masterDataFromLine(text, 'made')
  expect(master.underlyings).toEqual([{ id: 100, code: 'BTC', name: 'Bitcoin', type: 'coin', fxRate: '60000', fxTime: '2024-08-08T00:00:00Z' }])
  expect(master.instrument).toEqual({
    id: 67924, code: 'BTCUSD', codeAlias: 'xA', nativeCode: 'XBT', exchangeId: 15, exchangeCode: 'e', type: 'perpetual', state: 'open', active: false,
    isInverse: true, isQuanto: true, contractValue: '100', multiplier: '0.0001', strikePrice: '12345678901234567890.123456789', start: null,
    expiry: '2100-12-25T08:00:00Z', tickSize: '0.5', tickBands: [{ floor: '0', tickSize: '0.001' }, { floor: '10', tickSize: '0.5' }],
    significantDigits: 5, maxDecimals: 6, lotSize: '0.001', minOrder: '1', maxOrder: '1000', minValue: null, fundingIntervalSeconds: 28800,
    baseUnderlyingId: 1, counterUnderlyingId: 2, valuationUnderlyingId: 3, feeUnderlyingId: 4,
  })
  expect(scalesOfInstrument(master.instrument)).toEqual({ price: 3, quantity: 3 })
})

test('what is absent is null', () => {
  const instrument = instrumentOf('')
  expect([instrument.tickSize, instrument.active, instrument.isInverse, instrument.tickBands, instrument.nativeCode]).toEqual([null, null, false, [], null])
})

test.each([
  ['', 0, 0],
  ['"ticksize":0.1,"lot_size":0.001', 1, 3],
  ['"ticksize":"1.0E-4","lot_size":"100"', 4, 0],
  ['"ticksize":null,"max_decimals":6', 6, 0],
  ['"ticksize":0.5,"max_decimals":6', 1, 0],
  ['"ticksize":1e-20,"lot_size":1e-18', 12, 12],
])('scales of %s', (fields, price, quantity) => {
  expect(scalesOfInstrument(instrumentOf(fields))).toEqual({ price, quantity })
})

describe('what is no master data', () => {
  test.each([
    ['', 'line'],
    ['x', 'line'],
    ['[1,7,"0","1",1,0,[]]', 'line'],
    ['{"instrument":', 'line'],
    ['{"instrument":{"id":01}}', 'line'],
    ['7', 'line'],
    ['{}', 'instrument'],
    ['{"instrument":null}', 'instrument'],
    ['{"instrument":[]}', 'instrument'],
    ['{"instrument":{}}', 'id'],
    ['{"instrument":{"id":-1,"code":"A"}}', 'id'],
    ['{"instrument":{"id":1.5,"code":"A"}}', 'id'],
    ['{"instrument":{"id":99999999999999999,"code":"A"}}', 'id'],
    ['{"instrument":{"id":1}}', 'code'],
    ['{"instrument":{"id":1,"code":{}}}', 'code'],
    [line('"ticksize":"abc"'), 'ticksize'],
    [line('"ticksize":true'), 'ticksize'],
    [line('"lot_size":"1e99999"'), 'lot_size'],
    [line('"lot_size":"1e9999"'), 'lot_size'],
    [line('"active":"yes"'), 'active'],
    [line('"is_inverse":1'), 'is_inverse'],
    [line('"funding_interval":"8h"'), 'funding_interval'],
    [line('"tick_table":[]'), 'tick_table'],
    [line('"tick_table":{"e":{}}'), 'e'],
    [line('"tick_table":{"e":[{"p":"1"}]}'), 't'],
    ['{"instrument":{"id":1,"code":"A"},"underlyings":{}}', 'underlyings'],
    ['{"instrument":{"id":1,"code":"A"},"underlyings":[{"id":1}]}', 'code'],
    [`{"instrument":{"id":1,"code":"A"},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'line'],
    [`{"instrument":{"id":1,"code":"A"},"x":"${'\\"'.repeat(100_000)}`, 'line'],
  ])('%#', (text, field) => {
    const problem = ((): unknown => {
      try {
        return masterDataFromLine(text, 'made')
      } catch (error) {
        return error
      }
    })()
    expect(problem).toBeInstanceOf(BacktapeError)
    expect([(problem as BacktapeError).code, (problem as BacktapeError).place.field]).toEqual(['MASTER_DATA_MALFORMED', field])
  })
})
