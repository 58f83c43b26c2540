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
    ['Cannot read /home/Jo Doe/secret days/x.zst: no such file', 'Cannot read x.zst: no such file'],
    ['read /home/Jo Doe/secret days/my file.zst twice', 'read my file.zst twice'],
    ['read /home/Jo Doe/days/ twice', 'read days twice'],
    ['at run (/srv/my app/strategy.ts:12:3)', 'at run (strategy.ts:12:3)'],
    ['at run (file:///home/Jo Doe/my app/strategy.ts:12:3)', 'at run (strategy.ts:12:3)'],
    ['at file:///home/Jo%20Doe/strategy.ts:12:3', 'at strategy.ts:12:3'],
    ['at file:///C:/Users/Jo Doe/strategy.ts:12:3', 'at strategy.ts:12:3'],
    ['at file://server/share/Jo Doe/strategy.ts', 'at strategy.ts'],
    ['open C:\\Users\\Jo Doe\\secret days\\x.zst failed', 'open x.zst failed'],
    ['open C:\\x.zst failed', 'open x.zst failed'],
    ['open "C:\\\\Users\\\\Jo Doe\\\\x.zst" failed', 'open "x.zst" failed'],
    ['open C:/Users/Jo Doe/secret days/x.zst failed', 'open x.zst failed'],
    ['open C:\\Program Files (x86)\\Jo\\x.zst failed', 'open x.zst failed'],
    ['open D:/Program Files (x86)/Jo/x.zst failed', 'open x.zst failed'],
    ['open \\\\server\\Jo Doe\\secret days\\x.zst failed', 'open x.zst failed'],
    ['open \\\\?\\C:\\Users\\Jo Doe\\x.zst failed', 'open x.zst failed'],
    ['open //server/Jo Doe/secret days/x.zst failed', 'open x.zst failed'],
    ['open ~/secret days/Jo Doe/x.zst failed', 'open x.zst failed'],
    ['open ~jo/days/x.zst failed', 'open x.zst failed'],
    ["read '/home/Jo O'Brien/secret days/x.zst' again", "read 'x.zst' again"],
    ['from /home/Jo Doe/x to /mnt/My Disk/y', 'from x to y'],
    ['data=/home/Jo Doe/days/a.zst,/home/Jo Doe/days/b.zst', 'data=a.zst,b.zst'],
    ['model:/opt/Jo Doe/m.bin', 'model:m.bin'],
    ['first\n/home/Jo Doe/days/x.zst\nlast', 'first\nx.zst\nlast'],
    ['/home/Jo #1 Doe/days/a.tar#b.txt.zst', 'a.tar#b.txt.zst'],
    ['/home/Jo #1 Doe/days', 'days'],
  ])('%j has no absolute path: %j', (text, expected) => { expect(redactedText(text)).toBe(expected) })

  test.each([
    'binance_spot:BTC/USDT', 'BTC/USDT', '1/2 of it', 'a / b', '2024-07-18T00:00:00Z', 'days/one.txt.zst', './strategy.ts#Maker', '../../datasets/x.zst',
    'https://example.com/a/b', '<script>alert(1)</script>', 'and/or', 'maker 0.0002, taker 0.0005', 'tokens: ', 'bearer of news', 'queue: riskAverse', '0.5 BTC/ETH', 'use /help or a/b', 'in a/b or c/d', 'see https://example.com/a b/c', 'http://localhost:8080/a/b', '// a comment of and/or', 'a \\ b', 'n/a', '3 /s', 'E:5', 'ratio 1:2/3',
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
