// checkpoint-runs.mjs take RUNFILE FOLDER COUNT SEED: runs once, then stops COUNT runs at random steps and keeps their checkpoints; prints the fingerprint.
// checkpoint-runs.mjs restore RUNFILE FOLDER: goes on from each and prints `STEP steps: FINGERPRINT`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRunFile } from '../../dist/configuration/run-file-reader.js'
import { RandomNumbers } from '../../dist/model/random.js'
import { runBacktest } from '../../dist/index.js'

const [job, path, folder, count, seed] = process.argv.slice(2)
const { options } = await readRunFile(path)
const fingerprintsOf = (results) => [results].flat().map(({ fingerprint }) => fingerprint).join(' ')

async function countedRun() {
  let pauses = 0
  const results = await runBacktest({ ...options, checkpoints: { everySteps: 100, take: () => void pauses++ } })
  return { stepCount: pauses * 100, fingerprints: fingerprintsOf(results) }
}

async function stoppedAfter(everySteps) {
  let taken = null
  const take = (checkpoint) => {
    taken = JSON.stringify(checkpoint)
    return false
  }
  await runBacktest({ ...options, checkpoints: { everySteps, take } })
  return taken
}

if (job === 'take') {
  const { stepCount, fingerprints } = await countedRun()
  const random = new RandomNumbers(Number(seed), path, 0)
  const steps = new Set()
  for (let draw = 0; steps.size < Number(count); draw++) steps.add(1 + random.bits(draw, 0) % stepCount)
  for (const step of steps) writeFileSync(join(folder, `${step}.json`), await stoppedAfter(step))
  console.log(fingerprints)
} else {
  for (const name of readdirSync(folder)) {
    const results = await runBacktest({ ...options, resume: JSON.parse(readFileSync(join(folder, name), 'utf8')) })
    console.log(`${name.slice(0, -5)} steps: ${fingerprintsOf(results)}`)
  }
}
