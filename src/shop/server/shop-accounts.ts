import { instrumentName } from '../../model/instrument.js'
import { BacktapeError } from '../../model/error.js'
import { dayText, epochDayFromNs, epochNsFromText } from '../../model/time.js'
import { bearerOf, isSameToken } from '../../web/bearer-token.js'
import { cookieOf } from '../../web/request-cookie.js'
import type { ShopStore } from '../store/shop-store-writer.js'
import { datedNames } from './dated-names.js'
import type { ShopRequest } from './shop-reply.js'
import type { ShopAccount } from './shop-settings.js'
import type { ShopTokens } from './shop-tokens.js'

/** The name of the session cookie of a buyer who is signed in. */
export const SHOP_COOKIE = 'backtape_shop'

/** A day that a buyer may have already. */
export interface OwnedDay {
  readonly kind: 'tick' | 'series_day'
  readonly instrumentId: number
  readonly exchangeCode: string
  readonly code: string
  readonly date: string
}

/** The accounts of a shop: who is signed in, the days and the realtime key that each has. */
export class ShopAccounts {
  /** As the settings have them. */
  readonly all: readonly ShopAccount[]
  readonly #store: ShopStore
  readonly #tokens: ShopTokens
  /** Days by `exchange:CODE 2024-08-08`, for each account's name. */
  readonly #owned: ReadonlyMap<string, ReadonlySet<string>>

  /** Throws OPTION_INVALID for names, tokens and keys that are not of their own, and for realtime days. */
  constructor(accounts: readonly ShopAccount[], store: ShopStore, tokens: ShopTokens) {
    checkAccounts(accounts)
    this.all = accounts
    this.#store = store
    this.#tokens = tokens
    this.#owned = new Map(accounts.map(({ name, owns = [] }) => [
      name, new Set(datedNames(owns, 'accounts.owns').map((one) => `${one.name} ${one.date}`)),
    ]))
  }

  /** The account of a token, or of a cookie's value; null: it is of none. */
  accountOf(given: string): ShopAccount | null {
    // Every account is asked, so that the time does not depend on which one it is.
    const found = this.all.filter((one) => {
      const isToken = isSameToken(given, one.token)
      return isSameToken(given, this.cookieOf(one)) || isToken
    })
    return found[0] ?? null
  }

  /** Who sent a request; null: a guest. `unknown`: the token of `Authorization` is of no account. */
  signedIn(headers: ShopRequest['headers']): ShopAccount | 'unknown' | null {
    const token = bearerOf({ authorization: headers['authorization'] })
    if (token !== null) return this.accountOf(token) ?? 'unknown'
    const cookie = cookieOf({ cookie: headers['cookie'] }, SHOP_COOKIE)
    return cookie === null ? null : this.accountOf(cookie)
  }

  /** The value of the session cookie: it says who is signed in, and is not the token. */
  cookieOf({ name, token }: ShopAccount): string {
    return this.#tokens.tokenOf({ signedIn: name, token })
  }

  /** True where an account has a day: by the settings, or by an order of its own. */
  isOwned({ name }: Pick<ShopAccount, 'name'>, { kind, instrumentId, exchangeCode, code, date }: OwnedDay): boolean {
    const isStated = kind === 'tick' &&
      this.#owned.get(name)?.has(`${instrumentName({ exchangeCode, code })} ${date}`) === true
    return isStated || this.#store.isOwned(name, kind, instrumentId, date)
  }

  /** The account of a key of the realtime feed; null: it is of none. */
  accountOfKey(key: string): ShopAccount | null {
    return this.all.filter((one) => isSameToken(key, this.realtimeKey(one) ?? ''))[0] ?? null
  }

  /**
   * The key of an account for the realtime feed: that of the settings, until it was rotated. Null: its first realtime
   * day makes it.
   */
  realtimeKey({ name, realtimeKey, realtimeDays = [] }: ShopAccount): string | null {
    if (realtimeKey === undefined && realtimeDays.length === 0) return null
    const rotation = this.#store.rotation(name)
    const isStated = rotation === 0 && realtimeKey !== undefined
    return isStated ? realtimeKey : this.#tokens.tokenOf({ account: name, rotation })
  }

  /** Makes the key of an account anew, where it has one; the days stay. */
  rotateKey(account: ShopAccount): string | null {
    const { name } = account
    this.#store.together(() => { this.#store.changeRotation(name, this.#store.rotation(name) + 1) })
    return this.realtimeKey(account)
  }
}

function checkAccounts(accounts: readonly ShopAccount[]): void {
  for (const field of ['name', 'token', 'realtimeKey'] as const) {
    const values = accounts.flatMap((one) => one[field] ?? [])
    if (values.includes('') || new Set(values).size < values.length) throw invalid(field, `a ${field} of its own`)
  }
  for (const { bought, days } of accounts.flatMap(({ realtimeDays = [] }) => realtimeDays)) {
    const today = dayText(epochDayFromNs(epochNsFromText(bought, null)))
    // Paid days start on the next UTC day: the rest of the day of the purchase is free.
    const early = days.find((day) => day <= today)
    if (early !== undefined) throw invalid('realtimeDays', `after the day of its purchase, ${today}`, early)
  }
}

/** Names and tokens are not said: they may be secrets. */
function invalid(name: string, expected: string, found?: string): BacktapeError {
  const field = `accounts.${name}`
  const end = found === undefined ? '' : `, found ${found}`
  return new BacktapeError('OPTION_INVALID', `Cannot open the shop: ${field} must be ${expected}${end}`, {
    field, expected, ...found === undefined ? {} : { found },
  })
}
