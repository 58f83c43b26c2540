import { BacktapeError } from '../../model/error.js'
import { keptValue } from '../../model/kept-value.js'
import type { Shop } from '../../shop/client/shop.js'
import type { ShopItem } from '../../shop/client/shop-baskets.js'
import type { ShopFile, ShopFileOptions, ShopProgress } from '../../shop/client/shop-download.js'
import type { ShopOrder } from '../../shop/client/shop-order.js'
import { optionError, type Arguments } from '../terminal/arguments.js'
import type { Output } from '../terminal/output.js'
import { ProgressLine } from '../terminal/progress-line.js'
import { alignedLines, counted } from '../terminal/text-table.js'
import { eurText } from './find.js'
import { chosenDays, daysText, itemsOf, refused, type ChosenDays } from './goods-choice.js'
import { dayKey, holdingsOf, isRefusal, openCheckouts } from './held-days.js'
import { firstLine } from './question-client.js'
import { shopOf } from './shop-access-reader.js'

/** The exit code of days that are not ready, with `--no-wait`. */
const NOT_READY = 3

/** Days of one order, or free ones. */
interface Owned {
  readonly order: ShopOrder | null
  readonly items: readonly ShopItem[]
  /** Of free days: their addresses. */
  readonly hrefs: readonly string[]
}

/** The work of `backtape shop get`. */
export async function runGet(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const line = new DownloadLines(output)
  const options: ShopFileOptions = {
    out: args.text('out') ?? '.', force: args.flag('force'), wait: !args.flag('noWait'), signal: args.signal,
    onProgress: (progress) => { line.show(progress) }, ...formOf(args),
  }
  const jobs = args.count('jobs')
  const files: ShopFile[] = []
  const take = async (file: ShopFile): Promise<void> => {
    line.end()
    files.push(file)
    if (file.state === 'empty') output.note(`Without rows: ${file.items.map(({ date }) => date).join(', ')}; no file`)
    else if (!args.flag('json')) await output.line(file.path)
    if (file.state === 'kept') output.note(`${file.path}: already there, whole`)
  }
  try {
    for (const { order, items, hrefs } of await ownedOf(shop, args)) {
      for (const href of hrefs) await take(await shop.downloadSample({ href }, options))
      if (order === null) continue
      const all = shop.download(order, { ...options, items, ...(jobs === undefined ? {} : { jobs }) })
      for await (const file of all) await take(file)
    }
  } catch (error) {
    line.end()
    if (!(error instanceof BacktapeError) || error.code !== 'SHOP_NOT_READY') throw error
    output.note(error.message)
    return NOT_READY
  }
  if (args.flag('json')) await output.line(JSON.stringify({ files }, null, 2))
  return 0
}

function formOf(args: Arguments): Partial<ShopFileOptions> {
  const [format, check] = [args.text('format'), args.text('check')]
  return {
    ...(format === undefined ? {} : { format }),
    ...(check === 'whole' || check === 'audit' || check === 'none' ? { check } : {}),
  }
}

/** The orders and free days that hold what is asked for. Throws OPTION_INVALID where a day is owned in none. */
async function ownedOf(shop: Shop, args: Arguments): Promise<readonly Owned[]> {
  const { signal } = args
  const orderId = args.text('order')
  const chosen = await chosenDays(shop, args.words, { signal })
  if (orderId !== undefined) {
    const token = args.flag('token') ? await firstLine() : undefined
    const order = await shop.order(orderId, { signal, ...(token === undefined ? {} : { token }) })
      .catch(async (error: unknown) => { throw await expiredAdvice(shop, orderId, error) })
    return [{ order, items: chosen.length === 0 ? order.items : itemsOf(chosen), hrefs: [] }]
  }
  if (args.flag('token')) throw optionError('token', 'given with --order', 'without')
  if (chosen.length === 0) throw optionError('order', 'followed by an order, or an instrument and days', 'nothing')
  return ownedDays(shop, chosen, args)
}

/** Days by the newest order that holds each; a free day needs none. */
async function ownedDays(
  shop: Shop, chosen: readonly ChosenDays[], { signal }: Arguments,
): Promise<readonly Owned[]> {
  const { held, unknown: [unknown], others, refusal } = await holdingsOf(shop, itemsOf(chosen), { signal })
  if (unknown !== undefined) throw unknown.refusal
  const wanted = new Map(others.map((item) => [dayKey(item), item]))
  const owned: Owned[] = held.map((one) => ({ ...one, hrefs: [] }))
  if (wanted.size > 0) owned.push(await freeDays(shop, wanted, signal))
  const [missing] = wanted.values()
  if (missing === undefined) return owned
  const meant = chosen.find(({ goods: { id, kind } }) => id === missing.instrumentId && kind === missing.kind)
  const word = `${meant?.goods.name ?? String(missing.instrumentId)} ${missing.date}`
  if (refusal !== null) throw boughtAgain(refusal, word)
  const advice = `neither; to buy it: backtape shop buy ${word}`
  throw refused(word, 'a free day, or one of an order that is kept here', advice)
}

/** A refusal with the command that buys days again. */
function boughtAgain({ code, message, place }: BacktapeError, words: string): BacktapeError {
  const sentence = `${message.replace(/\.$/, '')}; to buy again: backtape shop buy ${words}`
  return new BacktapeError(code, sentence, place)
}

/** The refusal of an order that has expired, with the command that buys its days again; another error as it is. */
async function expiredAdvice(shop: Shop, orderId: string, error: unknown): Promise<unknown> {
  if (!isRefusal(error) || error.refusal.status !== 410) return error
  const order = (await shop.orders()).find((one) => orderId === 'last' || one.orderId === orderId)
  const days = new Map<number, string[]>()
  for (const { instrumentId, date, kind } of order?.items ?? []) {
    // The id of a bundle is no word of a command.
    if (kind !== 'series_day') keptValue(days, instrumentId, (): string[] => []).push(date)
  }
  const words = [...days].map(([id, dates]) => `${String(id)} ${dates.join(',')}`).join(' ')
  return words === '' ? error : boughtAgain(error, words)
}

/** The free ones among wanted days, which are taken out. */
async function freeDays(shop: Shop, wanted: Map<string, ShopItem>, signal: AbortSignal): Promise<Owned> {
  const hrefs: string[] = []
  for await (const { href } of shop.samples({ signal })) {
    const [, id = '', date = ''] = /\/sample\/(\d+)\/(\d{4}-\d{2}-\d{2})$/.exec(href) ?? []
    if (wanted.delete(dayKey({ instrumentId: Number(id), date }))) hrefs.push(href)
  }
  return { order: null, items: [], hrefs }
}

/** Progress: a line that is written over on a terminal, else a plain line now and then. */
class DownloadLines {
  readonly #line: ProgressLine
  readonly #begun = new Map<string, number>()

  constructor(private readonly output: Output) {
    this.#line = new ProgressLine(output)
  }

  show({ name, state, doneBytes, sizeBytes }: ShopProgress): void {
    const nowMs = performance.now()
    const begun = this.#begun.get(name) ?? nowMs
    if (!this.#begun.has(name)) {
      this.#begun.set(name, begun)
      if (!this.output.notesToTerminal) this.output.note(`${name}: ${state}`)
    }
    const elapsedSeconds = (nowMs - begun) / 1000
    const rate = elapsedSeconds > 0 ? doneBytes / elapsedSeconds : 0
    this.#line.show({
      name, phase: state, bytesDone: doneBytes, bytesTotal: sizeBytes, elapsedSeconds,
      secondsLeft: sizeBytes === null || rate === 0 ? null : (sizeBytes - doneBytes) / rate,
    })
  }

  end(): void {
    this.#line.clear()
  }
}

/** The work of `backtape shop orders`. */
export async function runOrders(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const { signal } = args
  const open = await openCheckouts(shop, await shop.unpaid({ signal }), { signal })
  const orders = await shop.orders()
  // One with days that are owned by now is not offered.
  const unpaid = open.flatMap(({ checkout, ownedCount }) => (ownedCount === 0 ? [checkout] : []))
  if (args.flag('json')) {
    await output.line(JSON.stringify({ orders, unpaid }, null, 2))
    return 0
  }
  const rows = orders.map(({ orderId, paidAt, items }) => (
    [orderId, paidAt, counted(items.length, 'day'), daysText(items)]))
  for (const line of alignedLines(rows, new Set(), output.width)) await output.line(line)
  for (const { checkoutUrl, items, totalCents, isKnown } of unpaid) {
    const state = isKnown ? '' : ' (the shop does not know it now)'
    await output.line(`not paid: ${counted(items.length, 'day')}, ${eurText(totalCents)} EUR: ${checkoutUrl}${state}`)
  }
  for (const { checkout: { items }, ownedCount } of open) {
    if (ownedCount === 0) continue
    const days = `${counted(items.length, 'day')}, ${daysText(items)}`
    await output.line(`not to be paid: ${days}, of which ${String(ownedCount)} bought already by another order`)
  }
  if (orders.length + open.length === 0) output.note('No order of this shop is kept here')
  return 0
}

/** The work of `backtape shop restore`. */
export async function runRestore(args: Arguments, output: Output): Promise<number> {
  const shop = shopOf(args, output)
  const order = await shop.order(args.words[0] ?? '', { signal: args.signal })
  const states = await shop.restore(order, { signal: args.signal })
  if (args.flag('json')) {
    await output.line(JSON.stringify({ orderId: order.orderId, states }, null, 2))
    return 0
  }
  for (const line of alignedLines(states.map(({ name, state }) => [name, state]))) await output.line(line)
  const restoring = states.filter(({ state }) => state !== 'ready').length
  if (restoring > 0) output.note(`${counted(restoring, 'day')} come back from the archive; \`shop get\` waits for them`)
  return 0
}
