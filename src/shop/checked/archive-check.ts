import { isSkippedMember, openSources } from '../../tickfile/archive/source-reader.js'
import type { TickInput } from '../../tickfile/archive/tick-source.js'
import type { ExpectedMember } from '../client/byte-checks.js'
import { wrongFile } from '../client/shop-failure.js'
import { checkTickSource, type CheckDepth } from './tick-check.js'

/**
 * Reads the files of an archive one by one: each must be whole, of its instrument and its length, and every one of the
 * manifest must be there once. Throws as `checkTickSource` does, ARCHIVE_*, and SHOP_FILE_WRONG.
 */
export async function checkArchive(
  input: TickInput, name: string, members: readonly ExpectedMember[] | null, depth: CheckDepth,
): Promise<void> {
  const missing = new Map((members ?? []).map((one) => [one.name, one]))
  for await (const found of openSources(input)) {
    const member = found.name.slice(found.name.indexOf('#') + 1)
    const wanted = missing.get(member)
    missing.delete(member)
    if (isSkippedMember(found)) {
      // Whatever else an archive has beside tick files is not what was bought.
      if (wanted === undefined && !member.endsWith('.zst')) continue
      throw wrongFile(`${name}#${member}`, 'a tick file', found.skippedBecause)
    }
    if (members !== null && wanted === undefined) throw wrongFile(name, 'files of its manifest, each once', member)
    if (wanted !== undefined && found.sizeBytes !== null && found.sizeBytes !== wanted.sizeBytes)
      throw wrongFile(`${name}#${member}`, `${wanted.sizeBytes} bytes`, `${found.sizeBytes}`)
    const day = wanted === undefined ? null : { ...wanted, code: null, exchangeCode: null }
    await checkTickSource({ ...found, name: `${name}#${member}` }, day, depth)
  }
  const [first] = missing.keys()
  if (first !== undefined) throw wrongFile(name, `the file ${first}`, 'an archive without it')
}
