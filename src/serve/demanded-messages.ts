import { plannedActions } from '../configuration/corporate-action-options.js'
import { checkOptions } from '../configuration/run-check.js'
import { demandAction } from '../exchange/demands.js'
import { plainDecimal } from '../model/decimal.js'
import type { Fault } from '../model/fault.js'
import { ControlRefusal, type ControlBody } from './control-body.js'
import type { ControlParts } from './control-parts.js'

const EXCHANGE_INTERNAL = 2
const ACTION = 'corporateActions[0]'

/** Publishes a fill again with `update` (spec 2, "States and transitions"); the account's money stays as it is. */
export function correctFill({ replay, fills }: ControlParts, body: ControlBody): object {
  const account = body.account()
  const ownFillId = body.has('ownFillId') ? body.text('ownFillId', 'the id of a fill') : null
  const isMeant = (one: ControlParts['fills'][number]): boolean =>
    (account === null || one.accountId === account) && (ownFillId === null || one.fill.ownFillId === ownFillId)
  const found = fills.filter(isMeant).at(-1)
  if (found === undefined) throw new ControlRefusal(409, 'ownFillId', 'one of the last fills', 'none')
  const { accountId, instrumentId, fill } = found
  const fees = body.has('fees') ? plainDecimal(body.text('fees', 'a decimal in quotes')) : fill.fees
  if (fees === null) return body.refuse('fees', 'a decimal in quotes')
  replay.world.send(replay.clock.nowNs(), EXCHANGE_INTERNAL, instrumentId, {
    way: 'late', accountId, instrumentId, message: { kind: 'fill', fills: [{ ...fill, fees, update: true }] },
  })
  return { ownFillId: fill.ownFillId }
}

/** A split or a dividend at this moment, checked as those of a run file are. */
export async function act({ replay }: ControlParts, body: ControlBody): Promise<object> {
  const { clock, world } = replay
  const nowNs = clock.nowNs()
  const fields = Object.fromEntries(
    ['split', 'dividend', 'comment'].flatMap((name) => (body.has(name) ? [[name, body.value(name)] as const] : [])),
  )
  const options = { at: String(clock.now()), instrument: String(body.instrumentId()), ...fields }
  const checked = await checkOptions({ data: ['-'], corporateActions: [options] })
  const faults: Fault[] = checked.faults.filter(({ path }) => path.startsWith(ACTION))
  refuseFirst(faults)
  const span = { fromNs: replay.fromNs, toNs: Infinity, latestNs: Infinity }
  const [planned] = plannedActions([options], {
    epochDay: clock.epochDay, span, instruments: world.config.instruments, underlyings: world.config.underlyings,
  }, faults)
  refuseFirst(faults)
  if (planned !== undefined) demandAction(world, { ...planned, timeNs: nowNs })
  return {}
}

function refuseFirst([first]: readonly Fault[]): void {
  if (first === undefined) return
  throw new ControlRefusal(400, first.path.slice(ACTION.length).replace(/^\./, ''), first.expected, first.found)
}
