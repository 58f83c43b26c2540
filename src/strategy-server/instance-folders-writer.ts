import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { outputError } from '../files/output-fault.js'

/** The folders of instances, by their ids: journal, checkpoint and result of the last run of each. */
export class InstanceFolders {
  constructor(private readonly path: string) {}

  /** The folder of an instance. */
  of(instanceId: string): string {
    return join(this.path, instanceId)
  }

  /** Makes the folder of an instance for its next run: empty, unless that goes on from its checkpoint. */
  prepare(instanceId: string, isResumed: boolean): string {
    const folder = this.of(instanceId)
    try {
      if (!isResumed) rmSync(folder, { recursive: true, force: true })
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
