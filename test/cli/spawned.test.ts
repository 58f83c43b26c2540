import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { backtapeProcess } from '../support/command.ts'

test.each(Object.keys(COMMANDS))('%s as a process of its own: its help, and a flag that it does not have', async (name) => {
  const help = await backtapeProcess([name, '--help'])
  expect([help.code, help.err]).toEqual([0, ''])
  expect(help.out).toContain(`backtape ${name}`)
  const wrong = await backtapeProcess([name, 'x', '--no-such-flag'])
  expect([wrong.code, wrong.out]).toEqual([2, ''])
  expect(wrong.err).toContain('no-such-flag')
})
