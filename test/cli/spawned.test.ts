import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { backtape, backtapeProcess } from '../support/command.ts'

/** Of commands behind one word the first: the others are started alike. */
const NAMES = Object.entries(COMMANDS).map(([name, listed]) => (
  'load' in listed ? name : `${name} ${Object.keys(listed.commands)[0] ?? ''}`))

test.each(NAMES)('%s: its help as a process of its own, and a flag that it does not have', async (name) => {
  const help = await backtapeProcess([...name.split(' '), '--help'])
  expect([help.code, help.err]).toEqual([0, ''])
  expect(help.out).toContain(`backtape ${name}`)
  const wrong = await backtape([...name.split(' '), 'x', '--no-such-flag'])
  expect([wrong.code, wrong.out]).toEqual([2, ''])
  expect(wrong.err).toContain('no-such-flag')
})
