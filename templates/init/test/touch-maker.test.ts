import { test } from 'vitest'
import { expectRun } from 'backtape/testing'

test('the maker trades as it did', () => expectRun('strategies/touch-maker.run.json').toMatchGolden(), 60_000)
