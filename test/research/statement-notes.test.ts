import { expect, test } from 'vitest'
import { unknownInstrumentNotes } from '../../src/research/statement-notes.js'

const NAMES = ['binance_swap:BTCUSDT', 'binance_spot:ETHUSDT', "odd:it's"]

test.each<[where: string, notes: readonly string[]]>([
  ["instrument = 'binance_swap:BTCUSDTT'", ['No file is of the instrument "binance_swap:BTCUSDTT"; did you mean binance_swap:BTCUSDT?']],
  ["instrument='BTCUSDT'", ['No file is of the instrument "BTCUSDT"; did you mean binance_swap:BTCUSDT?']],
  ["t.\"instrument\" == 'x'", ['No file is of the instrument "x"']],
  ["INSTRUMENT IN ('ETHUSDT', 'binance_spot:ETHUSDT', 'y', 'y')", ['No file is of the instrument "ETHUSDT"; did you mean binance_spot:ETHUSDT?', 'No file is of the instrument "y"']],
  ["instrument = 'it''s not'", ['No file is of the instrument "it\'s not"']],
  ["instrument = 'a' or instrument = 'b'", ['No file is of the instrument "a"', 'No file is of the instrument "b"']],
  ["instrument = 'odd:it''s'", []], ["instrument = 'binance_swap:BTCUSDT'", []], ["instrument in ('binance_swap:BTCUSDT','binance_spot:ETHUSDT')", []],
  ["instrument like '%BTC%'", []], ["instrument <> 'x'", []], ["my_instrument = 'x'", []], ["side = 'BID'", []], ['instrument = other', []], ['', []],
])('of %s', (where, notes) => {
  expect(unknownInstrumentNotes(`select * from trades t where ${where}`, NAMES)).toEqual(notes)
})
