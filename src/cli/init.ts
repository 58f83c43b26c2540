import { chmod, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkGolden } from '../backtest/golden-check.js'
import { makeFolder } from '../files/folder-writer.js'
import { outputError, systemCode } from '../files/output-fault.js'
import { writeWholeText } from '../files/whole-file-writer.js'
import { BacktapeError } from '../model/error.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import { writeDays } from '../synthetic/made-days-writer.js'
import type { Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'
import { checkProjectName, PROJECT_DAY, PROJECT_RUN_FILE, projectFiles } from './project-files.js'

/** Throws OUTPUT_EXISTS where something stands in the way, OUTPUT_FAILED where nobody can look. */
async function checkPlace(name: string): Promise<void> {
  const entries = await readdir(name).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return []
    if (systemCode(error) === 'ENOTDIR') return ['']
    throw outputError(name, error)
  })
  if (entries.length === 0) return
  const words = entries[0] === '' ? 'it is a file' : 'the folder exists and is not empty'
  const advice = 'choose another name, or write into it with --force'
  throw new BacktapeError('OUTPUT_EXISTS', `Cannot make the project ${name}: ${words}; ${advice}`, { file: name })
}

interface WriteOptions {
  readonly force: boolean
  readonly spec: string | undefined
  readonly signal: StopSignal
}

async function writeProject(name: string, { force, spec, signal }: WriteOptions): Promise<void> {
  for (const { path, text } of await projectFiles(name, name, spec)) {
    refuseStopped(signal, name)
    await makeFolder(dirname(join(name, path)))
    await writeWholeText(join(name, path), text, { force })
    if (path.endsWith('.sh')) await chmod(join(name, path), 0o755)
  }
  await writeDays(join(name, 'data'), PROJECT_DAY, { force, signal })
  // The golden is what the run does here; it does the same on every machine.
  await checkGolden(join(name, PROJECT_RUN_FILE), { update: true, signal })
}

/** The work of `backtape init`. */
export async function runInit(args: Arguments, output: Output): Promise<number> {
  const [name = ''] = args.words
  checkProjectName(name)
  const force = args.flag('force')
  if (!force) await checkPlace(name)
  const made = await makeFolder(name)
  try {
    await writeProject(name, { force, spec: args.text('package'), signal: args.signal })
  } catch (error) {
    // Half a project is none; a folder that was there stays.
    if (made !== null) await rm(name, { recursive: true, force: true })
    throw error
  }
  await output.line(name)
  output.note(`Next: cd ${name}, npm install, npm test; its README says more`)
  return 0
}
