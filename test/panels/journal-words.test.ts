import { describe, expect, test } from 'vitest'
import { lineFacts, lineWords } from '../../src/panels/journal-words.js'

const HEAD = '"account":"a","client":"strategy","seq":3,"side":"local","time":"1782950101000000000"'
const PLACE = `{${HEAD},"kind":"place","entries":[{"clientOrderId":"c","instrumentId":7,"ownOrderId":"o","postOnly":true,"price":"1.10","side":"BID","timeInForce":"GOOD_TILL_CANCEL","totalQuantity":"100","type":"LIMIT"}]}`

describe('lines of a journal', () => {
  test('a request names its instrument, its order and its time', () => {
    expect(lineFacts(PLACE)).toEqual({ event: 'request', isLocal: true, timeEpochNs: 1782950101000000000n, instrumentId: 7, account: 'a', ownOrderId: 'o' })
    expect(lineWords(PLACE)).toBe('place BID 100 @ 1.10 postOnly')
  })

  test.each([
    [`{${HEAD},"kind":"placeResponse","results":[{"ownOrderId":"o","result":{"instrumentId":7,"state":"CONFIRMED","side":"BID","price":"1","totalQuantity":"5"}}]}`, 'answer', 'placeResponse BID 5 @ 1 accepted CONFIRMED'],
    [`{${HEAD},"kind":"placeResponse","results":[{"ownOrderId":"o","error":{"type":"POST_ONLY","message":"would match","source":"EXCHANGE"}}]}`, 'answer', 'placeResponse BID 1.10 refused: POST_ONLY would match'],
    [`{${HEAD},"kind":"cancel","entries":[{"ownOrderId":"o"}]}`, 'request', 'cancel BID 1.10'],
    [`{${HEAD},"kind":"log","text":"a  b\\n<b>c</b>"}`, 'log', 'a b <b>c</b>'],
    ['{"kind":"funding","side":"exchange","time":"5","amount":"-1.5","instrumentId":7,"rate":"0.0001"}', 'other', 'funding amount -1.5, rate 0.0001'],
    ['{"kind":"state","state":"ERROR","text":"gap","instrumentId":7}', 'other', 'state ERROR, gap'],
  ])('%s', (line, event, words) => {
    expect(lineFacts(line).event).toBe(event)
    expect(lineWords(line, (account, id) => (account === 'a' && id === 'o' ? 'BID 1.10' : ''))).toBe(words)
  })

  test('what is no line of a journal is shown as it stands, and cut', () => {
    expect(lineWords('no JSON')).toBe('no JSON')
    expect(lineWords('[1,2]')).toBe('[1,2]')
    expect(lineFacts('{"time":"x"}')).toMatchObject({ event: 'other', timeEpochNs: 0n, instrumentId: null, ownOrderId: null })
    expect(lineWords(`{"kind":"log","text":"${'x'.repeat(500)}"}`)).toBe(`${'x'.repeat(399)}…`)
  })
})
