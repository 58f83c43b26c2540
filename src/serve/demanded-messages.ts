import { plannedActions, type CorporateActionOptions } from '../configuration/corporate-action-options.js'
import { checkOptions } from '../configuration/run-check.js'
import type { PlannedAction } from '../exchange/accounts/corporate-actions.js'
import { demandAction } from '../exchange/demands.js'
import { correctedFill } from '../exchange/executions.js'
import type { Fault } from '../model/fault.js'
import { ControlRefusal, type ControlBody } from './control-body.js'
import { feesOf } from './control-fields.js'
import type { ControlParts } from './control-parts.js'

const EXCHANGE_INTERNAL = 2
const ACTION = 'corporateActions[0]'

/** A served world is not recorded: its fills keep no rows. */
const NO_ROW = -1

/** Publishes a fill again with `update` (spec 2, "States and transitions"); the account's money stays as it is. */
export function correctFill({ replay, fills }: ControlParts, body: ControlBody): object {
  const account = body.account()
  const ownFillId = body.has('ownFillId') ? body.text('ownFillId', 'the id of a fill') : null
  const isMeant = (one: ControlParts['fills'][number]): boolean =>
    (account === null || one.accountId === account) && (ownFillId === null || String(one.fill.ownFillId) === ownFillId)
  const found = fills.filter(isMeant).at(-1)
  if (found === undefined)
    throw new ControlRefusal(ownFillId === null ? 409 : 404, 'ownFillId', 'one of the last fills', 'none')
  const { accountId, instrumentId, fill } = found
  const { world, clock } = replay
  const again = body.has('fees') ? correctedFill(fill, feesOf(body), world.config) : { ...fill, update: true }
  const message = { way: 'late', accountId, instrumentId, fill: again, row: NO_ROW } as const
  world.send(clock.nowNs(), EXCHANGE_INTERNAL, instrumentId, message)
  return { ownFillId: fill.ownFillId }
}

/** Checks a split or a dividend as those of a run file are. */
export async function checkAction(parts: ControlParts, body: ControlBody): Promise<void> {
  const { faults } = await checkOptions({ data: ['-'], corporateActions: [actionOf(parts, body)] })
  refuseFirst(faults.filter(({ path }) => path.startsWith(ACTION)))
  planned(parts, body)
}

/** A split or a dividend, which {@link checkAction} has checked, at this moment: the replay may not move meanwhile. */
export function act(parts: ControlParts, body: ControlBody): object {
  const { clock, world } = parts.replay
  const nowNs = clock.nowNs()
  demandAction(world, { ...planned(parts, body), timeNs: nowNs }, nowNs)
  return {}
}

/** The fields of a body, as one of `corporateActions` of a run file. */
function actionOf({ replay: { clock } }: ControlParts, body: ControlBody): CorporateActionOptions {
  const fields = Object.fromEntries(
    ['split', 'dividend', 'comment'].flatMap((name) => (body.has(name) ? [[name, body.value(name)] as const] : [])),
  )
  return { at: String(clock.now()), instrument: String(body.instrumentId()), ...fields }
}

function planned(parts: ControlParts, body: ControlBody): PlannedAction {
  const { clock, fromNs, world: { config: { instruments, underlyings } } } = parts.replay
  const span = { fromNs, toNs: Infinity, latestNs: Infinity }
  const faults: Fault[] = []
  const [one] = plannedActions(
    [actionOf(parts, body)], { epochDay: clock.epochDay, span, instruments, underlyings }, faults,
  )
  refuseFirst(faults)
  if (one === undefined) return body.refuse('instrument', 'one that the replay has')
  return one
}

function refuseFirst([first]: readonly Fault[]): void {
  if (first === undefined) return
  throw new ControlRefusal(400, first.path.slice(ACTION.length).replace(/^\./, ''), first.expected, first.found)
}
