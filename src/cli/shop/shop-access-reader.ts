import type { Shop } from '../../shop/client/shop.js'
import { openShop } from '../../shop/checked/open-shop.js'
import type { Arguments } from '../terminal/arguments.js'
import type { Output } from '../terminal/output.js'

/** The variable with the token of the buyer's account; without it a guest buys. */
const ACCOUNT_VARIABLE = 'BACKTAPE_SHOP_TOKEN'

/** The shop of `--shop`, or of the environment. Throws OPTION_INVALID where neither names one. */
export function shopOf(args: Arguments, output: Output): Shop {
  const url = args.text('shop')
  const accountToken = process.env[ACCOUNT_VARIABLE] ?? ''
  return openShop({
    ...(url === undefined ? {} : { url }), ...(accountToken === '' ? {} : { accountToken }),
    onNote: (sentence) => { output.note(sentence) },
  })
}
