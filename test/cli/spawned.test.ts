import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { backtape, backtapeProcess } from '../support/command.ts'

test.each(Object.keys(COMMANDS))('%s: its help as a process of its own, and a flag that it does not have', async (name) => {
  const help = await backtapeProcess([name, '--help'])
  expect([help.code, help.err]).toEqual([0, ''])
  expect(help.out).toContain(`backtape ${name}`)
  const wrong = await backtape([name, 'x', '--no-such-flag'])
  expect([wrong.code, wrong.out]).toEqual([2, ''])
  expect(wrong.err).toContain('no-such-flag')
})
