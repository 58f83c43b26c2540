import { expect, test } from 'vitest'
import { hostOf, isPrivateAddress, isPrivateHost } from '../../../src/shop/client/private-address-client.js'

test.each([
  '0.0.0.0', '10.0.0.1', '10.255.255.255', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8',
  '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::7f00:1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fec0::1', 'ff02::1',
  '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', '2002:7f00:1::',
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each([
  '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0', '192.167.1.1', '198.20.0.1', '223.255.255.255',
  '2606:4700::1111', '::ffff:1.1.1.1', 'a.name', '',
])('%s is not', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

test.each([
  ['localhost', 'some', true], ['a.localhost', 'some', true], ['mixed.example', 'some', true], ['mixed.example', 'every', false],
  ['inside.example', 'every', true], ['outside.example', 'some', false], ['nowhere.example', 'every', false], ['nowhere.example', 'some', false],
] as const)('%s leads to %s private address: %s', async (host, quantity, expected) => {
  const names: Record<string, string[]> = { 'mixed.example': ['1.1.1.1', '10.0.0.1'], 'inside.example': ['10.0.0.1', '::1'], 'outside.example': ['1.1.1.1'] }
  expect(await isPrivateHost(host, quantity, async (name) => names[name] ?? [])).toBe(expected)
})

test.each([
  ['http://[::1]:80/', '::1'], ['http://0x7f.1/', '127.0.0.1'], ['http://2130706433/', '127.0.0.1'], ['https://shop.example./', 'shop.example'],
])('the host of %s is %s', (url, host) => {
  expect(hostOf(new URL(url))).toBe(host)
})
