import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../files/folder-writer.js'
import { existsError, outputError, systemCode } from '../files/output-fault.js'
import { createWholeFile, type WholeFile } from '../files/whole-file-writer.js'
import { checkFonts, pagePngs } from '../report/plots/page-pngs.js'

/** The folder of the pictures of a report, beside its page. */
export interface ReportPictures {
  readonly folder: string
  /** Writes the pictures of a page, which have no names yet: the caller commits them, or aborts. */
  prepare(page: string): Promise<readonly WholeFile[]>
  /** Takes the folder away where nothing stands in it; harmless later. */
  abort(): Promise<void>
}

/** Names of pictures, as {@link pagePngs} gives them: the place in two digits, from 100 on in three, and the title. */
const PICTURE_NAME = /^(?:\d\d|[1-9]\d\d)(?:-[a-z0-9]+)+\.png$/

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    if (systemCode(error) === 'ENOTDIR') throw existsError(folder)
    throw outputError(folder, error)
  }
}

/**
 * The folder for the pictures of a report, looked at before the work: one with contents is refused without `force`, and
 * with it the pictures of an earlier report in it go. Throws OUTPUT_EXISTS; OUTPUT_FAILED where there is no font to
 * draw with.
 */
export async function openReportPictures(
  folder: string, { force = false }: { readonly force?: boolean } = {},
): Promise<ReportPictures> {
  const standing = await namesIn(folder)
  if (standing.length > 0 && !force) throw existsError(folder)
  checkFonts()
  let isMade = false
  const prepare = async (page: string): Promise<readonly WholeFile[]> => {
    isMade = (await makeFolder(folder)) !== null
    const pngs = pagePngs(page)
    const names = new Set(pngs.map(({ name }) => name))
    const files: WholeFile[] = []
    try {
      for (const { name, png } of pngs) {
        const file = await createWholeFile(join(folder, name), { force })
        files.push(file)
        await file.write(png())
      }
    } catch (error) {
      for (const file of files) await file.abort()
      throw error
    }
    for (const name of standing) if (PICTURE_NAME.test(name) && !names.has(name)) await rm(join(folder, name))
    return files
  }
  const abort = async (): Promise<void> => {
    if (isMade) await rmdir(folder).catch(() => undefined)
  }
  return { folder, prepare, abort }
}
