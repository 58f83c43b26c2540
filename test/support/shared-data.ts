import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { repeated } from './repetitions.ts'

/** The folder of recorded material: `BACKTAPE_SHARED`, or `../shared` beside the project. */
export const sharedFolder: string = resolve(import.meta.dirname, '../..', process.env['BACKTAPE_SHARED'] ?? '../shared')

/** True when recorded data is at hand; tests over it say `describe.skipIf(!hasSharedData)`. With `CI` set they must run, so a missing folder is an error. */
export const hasSharedData: boolean = existsSync(join(sharedFolder, 'data'))

if (!hasSharedData && process.env['CI'] !== undefined) {
  throw new Error(`Cannot test in CI without recorded data: wanted the folder ${join(sharedFolder, 'data')}; set BACKTAPE_SHARED`)
}

/** The path of a recorded file: `sharedData('days/binance_spot-ETHUSDT-2024-08-08.txt.zst')`. */
export function sharedData(path: string): string {
  return join(sharedFolder, 'data', path)
}

function filesOf(folder: string, ending: RegExp): readonly string[] {
  if (!hasSharedData) return []
  return readdirSync(sharedData(folder)).filter((name) => ending.test(name)).sort().map((name) => sharedData(`${folder}/${name}`))
}

/** Recorded day files, sorted by name, by day the first of each pair of days; empty without recorded data. */
export const dayFiles: readonly string[] = repeated(filesOf('days', /\.txt\.zst$/), (path) => statSync(path).size < 1_700_000)

/** Every recorded bundle (tar and zip), sorted by name; empty without recorded data. */
export const bundleFiles: readonly string[] = filesOf('bundles', /\.(tar|zip)$/)
