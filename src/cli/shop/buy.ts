import { Decimal } from '../../model/decimal.js'
import { callPath } from '../../protocol/shop/shop-requests.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { Shop } from '../../shop/client/shop.js'
import type { ShopCheckout } from '../../shop/client/shop-checkout.js'
import type { ShopCheckoutOptions } from '../../shop/client/shop-options.js'
import type { ShopOrder } from '../../shop/client/shop-order.js'
import type { ShopQuote } from '../../shop/client/shop-quote.js'
import { optionError, type Arguments } from '../terminal/arguments.js'
import type { Output } from '../terminal/output.js'
import { counted } from '../terminal/text-table.js'
import { begunDays } from './begun-days.js'
import { openInBrowser } from './browser-client.js'
import { eurText } from './find.js'
import { chosenDays, daysOf, daysText, goodsOf, itemsOf, type ChosenDays } from './goods-choice.js'
import { holdingsOf, openCheckouts, type HeldDays, type UnknownDays } from './held-days.js'
import { isAgreed } from './question-client.js'
import { shopOf } from './shop-access-reader.js'

/** Missing days that are named; more are counted. */
const NAMED_MAX = 20

/** The work of `backtape shop quote`. */
export async function runQuote(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const chosen = await chosenDays(shop, args.words, { signal: args.signal })
  const quote = await shop.quote(itemsOf(chosen), { signal: args.signal })
  if (args.flag('json')) await output.line(JSON.stringify(quoteFields(quote), null, 2))
  else for (const line of quoteLines(quote, chosen)) await output.line(line)
  return 0
}

function quoteFields(quote: ShopQuote): object {
  const { items, missing, totalCents, totalEur, currency, vatNote, termsUrl, baskets } = quote
  return { items, missing, totalCents, totalEur, currency, vatNote, termsUrl, payments: baskets.length }
}

/** A quote in lines: the price, the payments, what is missing. */
function quoteLines(quote: ShopQuote, chosen: readonly ChosenDays[]): string[] {
  const { items, missing, totalCents, currency, vatNote, baskets } = quote
  const payments = baskets.length <= 1 ? '' : `, in ${counted(baskets.length, 'payment')}`
  return [
    `${counted(items.length, 'day')}: ${eurText(totalCents)} ${currency}${payments}. ${vatNote}`,
    ...missingLines(missing, chosen),
  ]
}

function missingLines(missing: ShopQuote['missing'], chosen: readonly ChosenDays[]): string[] {
  const names = new Map(chosen.map(({ goods: { id, kind, name } }) => [`${kind} ${String(id)}`, name]))
  const lines = missing.slice(0, NAMED_MAX).map(({ instrumentId, date, kind, reason }) => (
    `missing: ${names.get(`${kind} ${String(instrumentId)}`) ?? String(instrumentId)} ${date} (${reason})`))
  return missing.length > NAMED_MAX ? [...lines, `missing: ${String(missing.length - NAMED_MAX)} more`] : lines
}

/** The work of `backtape shop buy`. */
export async function runBuy(args: Arguments, output: Output): Promise<number> {
  const isDry = args.flag('dryRun')
  const [email, most] = [args.text('email'), mostEur(args)]
  if (email === undefined && !isDry) throw optionError('email', 'followed by an address for the receipt', 'nothing')
  const shop = shopOf(args, output)
  const { signal } = args
  const chosen = await chosenDays(shop, args.words, { signal })
  const { held, unknown, others, unpaid } = await holdingsOf(shop, itemsOf(chosen), { signal })
  const owned = held.map(({ order }) => order)
  const again = args.flag('again')
  for (const line of [...heldLines(held), ...unknownLines(unknown, again)]) output.note(line)
  const wanted = again ? [...others, ...unknown.flatMap(({ items }) => items)] : others
  const isPart = !again && unknown.length > 0
  if (wanted.length === 0) {
    await sayOrders(owned, args, output)
    return isPart ? 1 : 0
  }
  const begun = begunDays(wanted, again ? [] : await openCheckouts(shop, unpaid, { signal }))
  for (const line of begun.lines) output.note(line)
  const quote = begun.others.length === 0 ? null : await shop.quote(begun.others, { signal })
  if (quote !== null) for (const line of quoteLines(quote, chosen)) output.note(line)
  const isSold = quote !== null && quote.items.length > 0
  if (!isSold && quote !== null) output.note('Nothing of it is sold')
  if (!isSold && begun.going.length === 0) return 1
  const cents = begun.going.reduce((sum, { totalCents }) => sum + totalCents, quote?.totalCents ?? 0)
  if (most !== null && most.times(100).lessThan(cents)) {
    output.note(`Nothing is bought: it costs ${eurText(cents)}, --max-eur is ${most.toFixed()}`)
    return 1
  }
  if (isDry) {
    const unpaidFields = begun.lines.length === 0 ? {} : { unpaid: [...begun.going, ...begun.blocked] }
    const fields = { ...(quote === null ? {} : quoteFields(quote)), ...unpaidFields }
    if (args.flag('json')) await output.line(JSON.stringify(fields, null, 2))
    return 0
  }
  if (isSold && !await mayBuy(quote, args, output)) return signal.aborted ? 130 : 1
  const options = { email: email ?? '', again, signal }
  const isPaid = await pay([
    ...begun.going.map((checkout) => (): Promise<ShopCheckout> => Promise.resolve(checkout)),
    ...(quote?.baskets ?? []).map((basket) => (): Promise<ShopCheckout | null> => begin(shop, basket, options)),
  ], owned, args, output)
  return isPart || !isPaid || begun.blocked.length > 0 ? 1 : 0
}

/** Of days that were bought before: how many each order has, and how they are fetched. */
function heldLines(held: readonly HeldDays[]): string[] {
  return held.map(({ order: { orderId }, items }) => (
    `${counted(items.length, 'day')} bought already; download: backtape shop get --order ${orderId}`))
}

/** Of days whose order the shop does not know now. */
function unknownLines(unknown: readonly UnknownDays[], again: boolean): string[] {
  return unknown.map(({ orderId, items }) => (
    `${counted(items.length, 'day')} bought already, ${daysText(items)}, by the order ${orderId}, ` +
    `which the shop does not know now${again ? '' : ': not asked for in another basket; --again does that'}`))
}

/** The orders that hold all of what was asked for. */
async function sayOrders(orders: readonly ShopOrder[], args: Arguments, output: Output): Promise<void> {
  if (args.flag('json')) await output.line(JSON.stringify({ orders }, null, 2))
  else for (const { orderId } of orders) await output.line(`order ${orderId}`)
}

function mostEur(args: Arguments): Decimal | null {
  const text = args.text('maxEur')
  if (text === undefined) return null
  if (/^\d{1,9}(?:\.\d{1,2})?$/.test(text)) return new Decimal(text)
  throw optionError('maxEur', 'an amount such as 20 or 19.50', JSON.stringify(text))
}

/** True where the buyer agrees: by `--yes`, or at the terminal. */
async function mayBuy(quote: ShopQuote, args: Arguments, output: Output): Promise<boolean> {
  if (args.flag('yes')) return true
  const without = quote.missing.length === 0 ? '' : ', without those that are missing'
  const price = `${eurText(quote.totalCents)} ${quote.currency}`
  const question = `Buy ${counted(quote.items.length, 'day')} for ${price}${without}?`
  const isYes = await isAgreed(question, args, output)
  if (isYes === null) output.note('Nothing is bought: without a terminal, --yes agrees to the price')
  return isYes === true
}

/**
 * The checkout of a basket, which is looked at once more: another command may have begun the same since the question.
 * Null: it has bought or begun a part of it.
 */
async function begin(
  shop: Shop, basket: ShopQuote, options: ShopCheckoutOptions & { readonly again: boolean },
): Promise<ShopCheckout | null> {
  if (options.again) return shop.checkout(basket, options)
  const { held, unknown, others, unpaid } = await holdingsOf(shop, basket.items, options)
  const { going: [other], blocked, others: left } = begunDays(others, await openCheckouts(shop, unpaid, options))
  const count = basket.items.length
  if (left.length === count) return shop.checkout(basket, options)
  const isOther = held.length + unknown.length + blocked.length + left.length > 0 || other?.items.length !== count
  return isOther ? null : other
}

/** Each basket is paid by itself, in its turn; false: one was left, as another command has days of it by now. */
async function pay(
  checkouts: readonly (() => Promise<ShopCheckout | null>)[], owned: readonly ShopOrder[], args: Arguments,
  output: Output,
): Promise<boolean> {
  const orders = [...owned]
  let isWhole = true
  for (const [at, next] of checkouts.entries()) {
    const checkout = await next()
    if (checkout === null) {
      output.note('Another command has bought or begun some of it meanwhile: the same command goes on with the rest')
      isWhole = false
      break
    }
    const turn = checkouts.length === 1 ? '' : ` (payment ${String(at + 1)} of ${String(checkouts.length)})`
    output.note(`Pay ${eurText(checkout.totalCents)} EUR${turn} here: ${checkout.checkoutUrl}`)
    if (args.flag('open')) await openInBrowser(checkout.checkoutUrl, output)
    output.note('Waiting for the payment; Ctrl-C keeps it, and the same command goes on')
    const order = await checkout.paid({ signal: args.signal })
    orders.push(order)
    if (!args.flag('json')) await output.line(`order ${order.orderId}`)
    output.note(`Paid: ${counted(order.items.length, 'day')}; download: backtape shop get --order ${order.orderId}`)
  }
  if (args.flag('json')) await output.line(JSON.stringify({ orders }, null, 2))
  return isWhole
}

/** The work of `backtape shop link`. */
export async function runLink(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const [word = '', days = ''] = args.words
  daysOf(days, SHOP.limits.linkSpan.value)
  const { id, kind, name } = await goodsOf(shop, word, { signal: args.signal })
  const isDay = kind === 'tick'
  const path = isDay ? callPath('cart', {}, { i: id, d: days }) : callPath('bundleCart', {}, { bundle: name, d: days })
  const url = `${shop.url}${path}`
  await output.line(args.flag('json') ? JSON.stringify({ url }) : url)
  return 0
}
