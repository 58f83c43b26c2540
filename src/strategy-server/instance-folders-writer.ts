import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { outputError } from '../files/output-fault.js'
import { SENT_FILE } from './instance-files-writer.js'

/** The folders of instances, by their ids: journal, checkpoint and result of the last run of each. */
export class InstanceFolders {
  constructor(private readonly path: string) {}

  /** The folder of an instance. */
  of(instanceId: string): string {
    return join(this.path, instanceId)
  }

  /**
   * Makes the folder of an instance for its next run: empty, unless that goes on from the run before. `isKept`: the
   * files of the run before, which cannot be played again, go to `earlier/NUMBER` in it; the ids of its orders stay, as
   * the next run takes over those that are open.
   */
  prepare(instanceId: string, isResumed: boolean, isKept: boolean): string {
    const folder = this.of(instanceId)
    try {
      if (isKept) keepEarlier(folder)
      else if (!isResumed) rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    } catch (error) {
      throw outputError(folder, error)
    }
  }

  /** Removes the folder of an instance. One that cannot be removed now is when the server opens again. */
  remove(instanceId: string): void {
    try {
      rmSync(this.of(instanceId), { recursive: true, force: true })
    } catch {
      // Its row has gone: nothing reads it any more.
    }
  }

  /** Removes the folders of instances that are not there any more. */
  keepOnly(instanceIds: ReadonlySet<string>): void {
    let names: readonly string[] = []
    try {
      names = readdirSync(this.path)
    } catch {
      // There is none yet.
    }
    for (const name of names) if (!instanceIds.has(name)) this.remove(name)
  }
}

/** Moves the files of a run to a folder of their own. */
function keepEarlier(folder: string): void {
  if (!existsSync(folder)) return
  const earlier = join(folder, 'earlier')
  const names = readdirSync(folder).filter((name) => name !== 'earlier' && name !== SENT_FILE)
  if (names.length === 0) return
  mkdirSync(earlier, { recursive: true, mode: 0o700 })
  const to = join(earlier, String(readdirSync(earlier).length + 1))
  mkdirSync(to, { mode: 0o700 })
  for (const name of names) renameSync(join(folder, name), join(to, name))
}
