// The big input of the benches: made by the recorded data's own tool where it is missing (two minutes; needs python3
// and zstd).
import { spawnSync } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from './project.mjs'

/** Path of the 5-million-event day of 2024-08-08: `BACKTAPE_BIG_DAY`, else in the system's temporary folder. */
export function bigDay() {
  const path = process.env.BACKTAPE_BIG_DAY ?? join(tmpdir(), 'big5.txt.zst')
  if (existsSync(path)) return path
  const tool = resolve(root, process.env.BACKTAPE_SHARED ?? '../shared', 'data/tools/big_day.py')
  if (!existsSync(tool))
    throw new Error(`the benches need ${path}, which ${tool} makes; set BACKTAPE_SHARED or BACKTAPE_BIG_DAY`)
  console.error(`Making ${path} ...`)
  const part = `${path}.part`
  const { status } = spawnSync('python3', [tool, part, '5000000'], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${tool} failed`)
  renameSync(part, path)
  return path
}

/** A line of the table that `npm run bench` prints: what, what was found, what was wanted, peak memory in MB. */
export function tableRow(what, found, target, peakMb) {
  console.log(`| ${what} | ${found} | ${target} | ${typeof peakMb === 'number' ? `${peakMb.toFixed(0)} MB` : '-'} |`)
}
