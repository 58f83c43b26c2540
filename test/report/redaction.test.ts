import { describe, expect, test } from 'vitest'
import { isSecretName, LEFT_OUT, redacted, redactedText } from '../../src/report/redaction.js'

describe('a text of a report', () => {
  test.each([
    ['/home/ada/days/one.txt.zst', 'one.txt.zst'],
    ['/home/ada/days/', 'days'],
    ['/root/my days/a.tar#b.txt.zst', 'a.tar#b.txt.zst'],
    ['C:\\Users\\Ada\\days\\one.zst', 'one.zst'],
    ['C:/Users/Ada/one.zst', 'one.zst'],
    ['\\\\server\\share\\one.zst', 'one.zst'],
    ['file:///home/ada/one.zst', 'one.zst'],
    ['~/days/one.zst', 'one.zst'],
    ['Cannot read /home/ada/one.zst: no such file', 'Cannot read one.zst: no such file'],
    ['at run (/srv/x/strategy.ts:12:3)', 'at run (strategy.ts:12:3)'],
    ['model:/opt/models/m.bin', 'model:m.bin'],
    ['see "C:\\Users\\Ada\\x.json" there', 'see "x.json" there'],
    ['path=/var/lib/x/y, z', 'path=y, z'],
  ])('%j has no absolute path: %j', (text, expected) => { expect(redactedText(text)).toBe(expected) })

  test.each([
    'binance_spot:BTC/USDT', 'BTC/USDT', '1/2 of it', 'a / b', '2024-07-18T00:00:00Z', 'days/one.txt.zst', './strategy.ts#Maker', '../../datasets/x.zst',
    'https://example.com/a/b', '<script>alert(1)</script>', 'and/or', 'maker 0.0002, taker 0.0005', 'tokens: ', 'bearer of news', 'queue: riskAverse', '0.5 BTC/ETH',
  ])('%j stays', (text) => { expect(redactedText(text)).toBe(text) })

  test.each([
    'api key=ABC123secret', 'apiKey: ABC123secret', 'token=ABC123secret', 'password: "ABC123secret"', 'Authorization: Bearer ABC123secret', 'bearer ABC123secret',
    'https://user:ABC123secret@example.com/x', 'sk-ABC123secretABC123secret', 'ghp_ABC123secretABC123secret', 'AKIAABC123SECRETABC123', 'eyJABC123secret.eyJABC123secret.ABC123secret',
    '-----BEGIN RSA PRIVATE KEY-----\nABC123secret\n-----END RSA PRIVATE KEY-----', 'access_key=ABC123secret&x=1', 'secret=ABC123secret',
  ])('%j has no secret', (text) => {
    expect(redactedText(text)).not.toMatch(/abc123secret/i)
    expect(redactedText(text)).toContain(LEFT_OUT)
  })

  test.each(['apiKey', 'api_key', 'API-KEY', 'key', 'token', 'accessToken', 'auth_token', 'password', 'passphrase', 'clientSecret', 'privateKey', 'credentials', 'authorization'])('%j names a secret', (name) => {
    expect(isSecretName(name)).toBe(true)
    expect(redacted({ [name]: 'ABC', in: [{ [name]: 12 }] })).toEqual({ [name]: LEFT_OUT, in: [{ [name]: LEFT_OUT }] })
  })

  test.each(['monkey', 'keyboard', 'size', 'instrument', 'tokenCount', 'hockey', 'turnkeys'])('%j names none', (name) => { expect(isSecretName(name)).toBe(false) })

  test('data keep their numbers, nulls, empty secrets and shape', () => {
    const data = { a: [1, null, true, { b: '/home/x/y' }], token: null, '/home/x/k': 1 }
    expect(redacted(data)).toEqual({ a: [1, null, true, { b: 'y' }], token: null, k: 1 })
  })
})
