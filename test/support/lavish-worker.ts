// lavish-worker take FOLDER COUNT SEED: plays COUNT made-up runs, stops each once more at some step and keeps the checkpoint; prints the fingerprints.
// lavish-worker restore FOLDER COUNT SEED: goes on from each checkpoint and prints the same.
import fc from 'fast-check'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { lavishSettings, type LavishOptions } from './lavish-run.ts'

const [way, folder = '.', count = '1', seed = '1'] = process.argv.slice(2)
const STEPS = 250

/** The checkpoint after so many steps, or the last one of a run that ends before. */
async function taken(options: LavishOptions, steps: number): Promise<string> {
  let latest: Checkpoint | null = null
  let at = 0
  await runBacktest({ ...options, checkpoints: { everySteps: 1, take: (checkpoint) => {
    latest = checkpoint
    return ++at < steps
  } } })
  return JSON.stringify(latest)
}

for (const [number, setting] of fc.sample(lavishSettings, { seed: Number(seed), numRuns: Number(count) }).entries()) {
  const options: LavishOptions = { ...setting, parameters: [0, 1].map((world) => ({ instruments: ['TEST1', 'TEST2', 'TEST3'], seed: 2 * number + world })) }
  const path = join(folder, `${number}.json`)
  const resume = way === 'restore' ? { resume: JSON.parse(readFileSync(path, 'utf8')) as Checkpoint } : {}
  const results = await runBacktest({ ...options, ...resume })
  if (way === 'take') writeFileSync(path, await taken(options, 1 + (Number(seed) + 37 * number) % STEPS))
  console.log(`${number}: ${results.map(({ fingerprint }) => fingerprint).join(' ')}`)
}
