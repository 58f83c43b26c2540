import { epochDayFromText } from '../model/time.js'
import type { ShopService } from '../shop/server/shop-service.js'
import type { ControlAction } from './control-action.js'
import { ControlRefusal, type ControlBody } from './control-body.js'
import type { ShopControlParts } from './control-parts.js'

type ShopAction = ControlAction<ShopControlParts>

const GOODS = 'needed; `exchange:CODE` or id of an instrument that is sold'
const DAY = 'a day, YYYY-MM-DD; default all'

/** The shop of a server. Throws ControlRefusal where there is none. */
function shopOf({ shop }: ShopControlParts): ShopService {
  if (shop !== null) return shop.service
  throw new ControlRefusal(409, '', 'a server with a shop', 'none')
}

/** A day that is named; null: all. */
export function shopDayOf(body: ControlBody): string | null {
  if (!body.has('day')) return null
  const day = body.text('day', 'a day, YYYY-MM-DD')
  return epochDayFromText(day) === null ? body.refuse('day', 'a day, YYYY-MM-DD') : day
}

/** An instrument that is sold, by its id or `exchange:CODE`. */
export function goodsOf(body: ControlBody): number | string {
  const value = body.value('goods')
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  const text = body.text('goods', '`exchange:CODE` or the id of an instrument that is sold')
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}

/** Refuses what the shop does not have. */
function found<T>(value: T | null, field: string, expected: string): T {
  if (value === null) throw new ControlRefusal(404, field, expected, 'none')
  return value
}

function ofOrder(change: 'refund' | 'expire'): ShopAction['perform'] {
  return (parts, body) => {
    const id = body.text('order', 'an order')
    const order = found(shopOf(parts).purchases[change](id), 'order', 'an order of the shop')
    return { state: order.record.state }
  }
}

function ofDays(change: 'freeze' | 'thaw'): ShopAction['perform'] {
  return async (parts, body) => {
    const [goods, day] = [goodsOf(body), shopDayOf(body)]
    const days = await shopOf(parts).control[change](goods, day)
    return { days: found(days, 'goods', 'days of an instrument that is sold') }
  }
}

/** Actions on the shop by name. */
export const SHOP_ACTIONS: Readonly<Record<string, ShopAction>> = {
  'refund': {
    fields: { order: 'needed; an order of the shop' }, does: 'An order is refunded: its files are served no longer.',
    receives: '`status: refunded` in the order, 404 for its files', ends: 'never', perform: ofOrder('refund'),
  },
  'expire-order': {
    fields: { order: 'needed; an order of the shop' }, does: 'An order has expired before its 30 days.',
    receives: '410 `ORDER_EXPIRED`', ends: 'never', perform: ofOrder('expire'),
  },
  'cold': {
    fields: { goods: GOODS, day: DAY }, does: 'Days are in the archive, whatever their age.',
    receives: '`state: cold`, 202 for bytes', ends: '`thaw`, or a restore', perform: ofDays('freeze'),
  },
  'thaw': {
    fields: { goods: GOODS, day: DAY }, does: 'Days are ready at once.', receives: '`state: ready`, the bytes',
    ends: '`cold`', perform: ofDays('thaw'),
  },
  'hide': {
    fields: { goods: GOODS, on: 'false: shows it again; default true' },
    does: 'An instrument is sold no longer; what was bought of it is still served.',
    receives: 'what an unknown instrument gets', ends: '`on` false',
    perform: async (parts, body) => {
      const goods = goodsOf(body)
      const id = await shopOf(parts).control.setHidden(goods, body.flag('on', true))
      return { instrument: found(id, 'goods', 'an instrument that lies there') }
    },
  },
}

/** Actions on a server that serves a shop alone, by name; one of a replay has them too. */
export const ALONE_ACTIONS: Readonly<Record<string, ShopAction>> = {
  shutdown: {
    isOfPace: true, fields: {}, does: 'Ends the server as Ctrl-C does.',
    receives: 'the notice `service shutdown`, close', ends: 'done at once',
    perform: (parts) => {
      parts.stop()
      return {}
    },
  },
  ...SHOP_ACTIONS,
}
