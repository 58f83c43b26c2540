import { shopFileName } from '../../model/shop-file-name.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { shownState } from '../../protocol/shop/shop-states.js'
import type { ShopGoods } from './shop-goods.js'
import { json, refusal } from './shop-replies.js'
import type { ShopReply } from './shop-reply.js'

/** The ending of a tick file's name. */
const TICK_ENDING = 'txt.zst'

/** An instrument as its files are named. */
export interface NamedInstrument {
  readonly id: number
  readonly code: string
  readonly exchangeCode: string
}

/** The name of the tick file of a day, as it is sold. */
export function tickFileName({ code, exchangeCode }: Omit<NamedInstrument, 'id'>, date: string): string {
  return shopFileName(exchangeCode, code, date, TICK_ENDING)
}

/** The tick file of a day that is ready; 404 where it is gone. */
export async function dayFileReply(goods: ShopGoods, instrument: NamedInstrument, date: string): Promise<ShopReply> {
  const segments = await goods.dayFile(instrument.id, date)
  if (segments === null) return refusal('notFound')
  return { kind: 'bytes', segments, media: 'application/zstd', fileName: tickFileName(instrument, date) }
}

/** An export of a day that is ready: it is made on the first request. */
export async function exportReply(
  goods: ShopGoods, instrument: NamedInstrument, date: string, format: Sent<'ExportFormat'>,
): Promise<ShopReply> {
  const { state, segments, reason } = await goods.dayExport(instrument.id, date, format, 'request')
  if (segments !== null) {
    const fileName = shopFileName(instrument.exchangeCode, instrument.code, date, format)
    return { kind: 'bytes', segments, media: 'application/octet-stream', fileName }
  }
  if (state === 'empty') return refusal('notFound')
  if (state === 'failed') {
    const message = `The export ${format} cannot be made: ${reason ?? 'the log of the server says why'}`
    return { kind: 'refusal', error: 'failed', message }
  }
  return json('Preparing', { state: 'pending', reason: 'converting' }, 202)
}

/** The state of an export of a day that is ready: a probe starts it too. */
export async function exportState(
  goods: ShopGoods, instrument: NamedInstrument, date: string, format: Sent<'ExportFormat'>,
): Promise<ShopReply> {
  const { state } = await goods.dayExport(instrument.id, date, format, 'probe')
  return json('ExportState', { state: exportWord(shownState('export', state)) })
}

function exportWord(word: string): Sent<'ExportState'>['state'] {
  return word === 'ready' || word === 'empty' || word === 'failed' ? word : 'pending'
}
