import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backtape, backtapeProcess, type CommandOptions, type CommandResult } from '../support/command.ts'
import { newFolder } from '../support/new-folder.ts'
import { servedScene } from '../support/served-shop.ts'
import { folderWith, SWAP_DAYS } from '../support/shop-folder.ts'
import { startCommand, type StartedCommand, until } from '../support/started-command.ts'

const NAME = 'synthetic_swap:XRPUSDT'
const [DAY, NEXT] = ['2026-07-01', '2026-07-02']
const ACCOUNT_TOKEN = 'sentinel-account-token-77aa00ff'
const SETTINGS = {
  now: '2026-07-04T00:00:00Z', samples: [`${NAME} ${DAY}`],
  accounts: [{ name: 'ann', token: ACCOUNT_TOKEN, owns: [`${NAME} ${DAY}`] }],
}

const secrets: string[] = [ACCOUNT_TOKEN]
const words: string[] = []
/** The words of every process since the beginning, each once. */
const processes = new Set<string>()
let looking: ReturnType<typeof setInterval>
beforeAll(() => { looking = setInterval(lookAtProcesses, 40) })
afterAll(() => { clearInterval(looking) })

function lookAtProcesses(): void {
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      processes.add(readFileSync(`/proc/${id}/cmdline`, 'latin1'))
    } catch {
      // It has ended.
    }
  }
}

/** Forms in which a secret may be written. */
const formsOf = (secret: string): string[] => [
  secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]
const namesSecret = (text: string): boolean => secrets.flatMap(formsOf).some((form) => text.includes(form))

/** Every file of a folder and of those in it that holds a secret. */
function filesWithSecrets(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && namesSecret(readFileSync(path, 'latin1')))
}

const SENTENCE = 'no token is in an output, a log, an error, the process list or a file but its own'

test.skipIf(process.platform !== 'linux')(SENTENCE, async () => {
  const home = newFolder()
  const folder = folderWith(...SWAP_DAYS)
  const shop = await servedScene(folder, SETTINGS)
  const config = (buyer: string): string => join(home, `config-${buyer}`)
  const at = (buyer: string, options: CommandOptions = {}): CommandOptions => ({
    cwd: home, ...options,
    env: {
      BACKTAPE_SHOP: shop.url, BACKTAPE_CONFIG: config(buyer),
      BACKTAPE_SHOP_TOKEN: buyer === 'ann' ? ACCOUNT_TOKEN : '', ...options.env,
    },
  })
  const kept = (result: CommandResult): CommandResult => {
    words.push(result.out, result.err)
    return result
  }
  /** Runs a command, and again with `--json`. */
  const run = async (buyer: string, args: readonly string[], options: CommandOptions = {}): Promise<number | null> => {
    const { code } = kept(await backtape(['shop', ...args], at(buyer, options)))
    kept(await backtape(['shop', ...args, '--json'], at(buyer, options)))
    return code
  }
  const unpaid = async (buyer: string): Promise<string[]> => {
    const { out } = kept(await backtape(['shop', 'orders', '--json'], at(buyer)))
    return (JSON.parse(out) as { unpaid: { sessionId: string }[] }).unpaid.map(({ sessionId }) => sessionId)
  }
  /** Buys a day, and remembers the token of the order. */
  const buy = async (buyer: string, ...more: readonly string[]): Promise<string> => {
    const words = ['shop', 'buy', NAME, NEXT, '--email', 'me@example.org', '--yes', ...more]
    const buying = backtapeProcess(words, at(buyer))
    let sessions: string[] = []
    while (sessions.length === 0) sessions = await unpaid(buyer)
    const { orderId } = shop.serving.shop!.service.purchases.session(sessions[0]!)!
    secrets.push(shop.serving.shop!.service.purchases.downloadToken(orderId))
    for (const id of sessions) shop.pay(id)
    expect(kept(await buying).code).toBe(0)
    return orderId
  }

  const found = [
    'search xrp', `days ${NAME}`, `coverage ${NAME}`, `calendar ${NAME} 2026-07`, 'bundles', 'samples',
    `quote ${NAME} ${NEXT}`, `link ${NAME} ${NEXT}`,
  ]
  for (const line of found) expect([line, await run('ann', line.split(' '))]).toEqual([line, 0])
  kept(await backtape(['shop', 'stats', NAME], at('ann')))

  // A crash while it waits for the payment: what is kept has no token yet.
  const crashed = started(['shop', 'buy', NAME, NEXT, '--email', 'me@example.org', '--yes'], at('crashed'))
  await until(() => crashed.errors().includes('/shop/pay/'))
  crashed.child.kill('SIGKILL')
  const { err, out } = await crashed.end
  words.push(err, out)

  const [ofAnn, ofGuest] = await Promise.all([buy('ann'), buy('guest', '--json'), buy('crashed')])
  for (const buyer of ['ann', 'guest', 'crashed']) {
    for (const args of [['orders'], ['restore', 'last'], ['get', NAME, NEXT, '--out', `files-${buyer}`]])
      expect([buyer, args[0], await run(buyer, args)]).toEqual([buyer, args[0], 0])
  }
  expect(await run('ann', ['get', '--order', 'last', '--format', 'trades.parquet', '--out', 'tables'])).toBe(0)

  // An order that was bought elsewhere: its token comes by standard input.
  const tokens = secrets.slice(1)
  const right = tokens.find((token) => shop.serving.shop!.service.purchases.orderOfToken(ofGuest, token) !== null)!
  const withToken = ['get', '--order', ofGuest, '--token', '--out', 'moved']
  expect(await run('moved', withToken, { input: Buffer.from(`${right}\n`) })).toBe(0)

  // Failures.
  const fails = async (buyer: string, args: readonly string[], options: CommandOptions = {}): Promise<void> => {
    expect([args.join(' '), await run(buyer, args, options)]).not.toEqual([args.join(' '), 0])
  }
  await fails('moved', ['get', '--order', 'ord_none', '--token', '--out', 'x'], { input: Buffer.from(`${right}\n`) })
  await fails('other', ['get', '--order', ofAnn, '--token', '--out', 'x'], { input: Buffer.from(`${right}\n`) })
  await fails('ann', ['buy', NAME, DAY, '--email', 'me@example.org', '--yes'])
  await fails('ann', ['get', NAME, '2026-07-03', '--out', 'x'])
  const bytes = readFileSync(join(folder, SWAP_DAYS[1]))
  writeFileSync(join(folder, SWAP_DAYS[1]), Buffer.concat([bytes.subarray(0, 1000), Buffer.alloc(bytes.length - 1000)]))
  await fails('guest', ['get', '--order', 'last', '--out', 'damaged'])
  rmSync(join(folder, SWAP_DAYS[1]))
  await fails('guest', ['get', '--order', 'last', '--out', 'gone'])
  expect(await shop.act('expire-order', { order: ofGuest })).toBe(200)
  await fails('guest', ['get', '--order', 'last', '--out', 'expired'])
  // The store fails: the server writes why.
  shop.serving.shop!.service.close()
  const file = `${shop.url}/api/download/order/${ofAnn}/9100001/${NEXT}`
  const answers = await Promise.all(tokens.map((token) => fetch(`${file}?t=${token}`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([404, 404, 500])
  for (const one of answers) words.push(await one.text(), JSON.stringify([...one.headers]))
  words.push(...shop.notes)
  await shop.close()
  // An order is read with its token in a header: the shop is gone.
  words.push(...await wordsOfGone(['shop', 'get', '--order', 'last', '--out', 'x'], at('ann')))

  lookAtProcesses()
  expect([...processes].some((line) => line.includes('\0shop\0'))).toBe(true)
  expect(secrets).toHaveLength(4)
  expect(words.filter(namesSecret)).toEqual([])
  expect([...processes].filter(namesSecret)).toEqual([])
  const places = [home, shop.state, process.env['BACKTAPE_CACHE'] ?? newFolder()]
  const owned = ['ann', 'crashed', 'guest', 'moved'].map((buyer) => join(config(buyer), 'shops.json'))
  expect(places.flatMap(filesWithSecrets).sort()).toEqual(owned)
  // Only the tokens of orders are kept there, that of the account is not.
  const keptText = readFileSync(join(config('ann'), 'shops.json'), 'utf8')
  expect(secrets.filter((secret) => keptText.includes(secret))).toHaveLength(1)
}, 120_000)

/** A command against a shop that is gone, which is ended while it tries again: what it wrote. */
async function wordsOfGone(args: readonly string[], options: CommandOptions): Promise<string[]> {
  const command = started(args, options)
  await until(() => command.errors() !== '' || command.child.exitCode !== null)
  command.child.kill('SIGINT')
  const { out, err } = await command.end
  return [out, err]
}

/** Starts a command with its surroundings. */
function started(args: readonly string[], { cwd = '.', env = {} }: CommandOptions): StartedCommand {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  try {
    return startCommand(args, cwd)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  }
}
