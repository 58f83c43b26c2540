import { expect, test } from 'vitest'
import { foreignRequest, hostAndPort, isLoopback } from '../../src/web/http-hosts.js'

const isTaken = (hosts: 'address' | 'loopback', host: string | undefined, origin?: string): boolean => foreignRequest({ host, origin }, hosts) === null

test.each<[string | undefined, string?]>([
  [undefined], [''], ['evil.example'], ['evil.example:8080'], ['127.0.0.1.evil.example:8080'], ['localhost.evil.example'], ['localhost.:8080'],
  ['127.0.0.1.:8080'], ['127.1:8080'], ['0x7f.0.0.1'], ['2130706433'], ['127.0.0.01'], ['127.0.0.256'], ['a@127.0.0.1'], ['127.0.0.1:port'], ['127.0.0.1:'], ['127.0.0.1:8080/x'],
  ['127.0.0.1, evil.example'], ['127.0.0.1 evil.example'], ['::1'], ['[::1'], ['[::g]'], ['[::1%25lo]:1'], ['[localhost]'], ['*.localhost'], ['x.localhost:1'],
  ['127.0.0.1:8080', 'null'], ['127.0.0.1:8080', ''], ['127.0.0.1:8080', 'http://evil.example'], ['127.0.0.1:8080', 'http://127.0.0.1@evil.example'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080@evil.example'], ['127.0.0.1:8080', 'http://evil@127.0.0.1:8080'], ['127.0.0.1:8080', 'http://127.0.0.1'], ['127.0.0.1:8080', 'http://127.0.0.1:8081'],
  ['127.0.0.1:8080', 'https://127.0.0.1:8080'], ['127.0.0.1', 'https://127.0.0.1'], ['127.0.0.1:8080', 'http://localhost:8080'], ['127.0.0.1:8080', 'file://'],
  ['127.0.0.1:8080', 'http://127.0.0.1.:8081'], ['[::1]:8080', 'http://[::1]:8081'], ['[::1]:8080', 'http://127.0.0.1:8080'], ['127.0.0.1:8080', 'chrome-extension://abcdef'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080, http://evil.example'], ['EVIL.EXAMPLE:8080', 'http://evil.example:8080'], ['rebound.evil.example.:8080'], ['LOCALHOST.'], ['localhost', 'http://localhost.'],
  ['[::1]', 'http://[::1]:8080'], ['[::1]:8080', 'http://[::2]:8080'], ['[::1].evil.example'], ['[::1]evil.example'], ['127.0.0.1:8080', 'http://127.0.0.1:8080/'.replace('http', 'HTTPS')], ['127.0.0.1:80', 'http://127.0.0.1:8080'],
  ['127.0.0.1:8080', 'http://127.0.0.2:8080'], ['localhost:8080', 'http://127.0.0.1:8080'], ['127.0.0.1:123456'], ['127.0.0.1:8080 '], ['\u0661.0.0.1'], ['127。0。0。1'], ['%31%32%37.0.0.1'],
])('a Host %j with the Origin %j is refused everywhere', (host, origin) => {
  expect([isTaken('address', host, origin), isTaken('loopback', host, origin)]).toEqual([false, false])
})

test.each<[string, string?]>([
  ['127.0.0.1'], ['127.0.0.1:8080'], ['127.8.9.1:1'], ['localhost'], ['LocalHost:8080'], ['[::1]:8080'], ['[0:0:0:0:0:0:0:1]:8080'], ['[::FFFF:127.0.0.1]:80'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'], ['127.0.0.1:80', 'http://127.0.0.1'], ['localhost:8080', 'HTTP://LOCALHOST:8080'], ['[::1]:8080', 'http://[::1]:8080'], ['127.0.0.1:8080', 'ws://127.0.0.1:8080'],
])('a Host %j of this machine with the Origin %j is taken', (host, origin) => {
  expect([isTaken('address', host, origin), isTaken('loopback', host, origin)]).toEqual([true, true])
})

test.each(['10.0.0.2:8080', '192.168.1.5', '0.0.0.0:8080', '[fe80::1]:8080', '[::]:8080', '[::ffff:10.0.0.1]:1'])('a Host %j is no host of this machine alone', (host) => {
  expect([isTaken('address', host), isTaken('loopback', host), isTaken('address', host, `http://${host}`), isTaken('address', host, 'http://evil.example')]).toEqual([true, false, true, false])
})

test.each<[string, boolean]>([
  ['127.0.0.1', true], ['127.255.0.9', true], ['::1', true], ['::ffff:127.0.0.1', true], ['localhost', true], ['LOCALHOST', true],
  ['0.0.0.0', false], ['::', false], ['10.127.0.1', false], ['::ffff:10.127.0.1', false], ['127.0.0.1.evil.example', false], ['127.0.0', false], ['fe80::1', false], ['', false], ['evil.example', false],
])('%j is an address of this machine alone: %s', (address, is) => {
  expect(isLoopback(address)).toBe(is)
})

test.each<[string, number, string]>([['127.0.0.1', 1, '127.0.0.1:1'], ['::1', 8080, '[::1]:8080'], ['localhost', 0, 'localhost:0']])('%s and %d are %s', (host, port, text) => {
  expect(hostAndPort(host, port)).toBe(text)
})
