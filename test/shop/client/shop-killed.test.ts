import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { RandomNumbers } from '../../../src/model/random.js'
import { newFolder } from '../../support/new-folder.ts'
import { repeated } from '../../support/repetitions.ts'
import { listeningShop, ScriptedShop, SHOP_SECRET } from '../../support/scripted-shop.ts'
import { timeLimitMs } from '../../support/time-limit.ts'

const KILLS = 3
const script = join(import.meta.dirname, '../../support/shop-buyer.mjs')
const closes: (() => void)[] = []
afterAll(() => { for (const close of closes) close() })

/** Runs the buyer to its end, or kills it after so many requests and milliseconds; the exit code, null: killed. */
async function buyer(shop: ScriptedShop, args: readonly string[], kill: { readonly requests: number, readonly ms: number } | null): Promise<{ readonly code: number | null, readonly words: string }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let words = ''
  child.stdout.on('data', (chunk: Buffer) => { words += chunk.toString() })
  child.stderr.on('data', (chunk: Buffer) => { words += chunk.toString() })
  let left = kill?.requests ?? Infinity
  shop.before = (_, path) => {
    if (--left === 0) setTimeout(() => child.kill('SIGKILL'), kill?.ms)
    if (path.includes('/session/') && left % 2 === 0) shop.pay()
    return null
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, words }
}

/** Everything below a folder. */
function textsBelow(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'latin1')])
}

const SEEDS = Array.from({ length: 10 }, (_, at) => at)

test.each(repeated(SEEDS, (seed) => seed < 3))('a buyer that is killed goes on: one order, one key, the token kept, the file whole (%s)', async (seed) => {
  const random = new RandomNumbers(seed, 'kill', 0)
  const shop = new ScriptedShop('http://127.0.0.1')
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => [0x28, 0xb5, 0x2f, 0xfd][at] ?? (at * 31 + seed) & 255)
  shop.files.set('7 2024-08-08', { bytes, states: ['cold', 'pending', 'ready'] })
  const { url, close } = await listeningShop(shop)
  closes.push(close)
  const folder = newFolder()
  const [config, out] = [join(folder, 'config'), join(folder, 'out')]
  const said: string[] = []
  for (let at = 0; at < KILLS; at++) said.push((await buyer(shop, [url, config, out], { requests: 1 + random.below(7, 2 * at), ms: random.below(30, 2 * at + 1) })).words)
  const last = await buyer(shop, [url, config, out], null)
  said.push(last.words)
  expect([last.code, shop.sessions.size, new Set(shop.keys).size], last.words).toEqual([0, 1, 1])
  const [file] = textsBelow(out).filter(([name]) => name.endsWith('.zst'))
  expect([file?.[0], Buffer.from(file![1], 'latin1').equals(bytes)]).toEqual(['a_spot-BTC_u002fUSDT-2024-08-08.txt.zst', true])
  const holders = textsBelow(folder).filter(([, text]) => text.includes(SHOP_SECRET) || text.includes(encodeURIComponent(SHOP_SECRET))).map(([name]) => name)
  expect(holders).toEqual(['shops.json'])
  expect(said.join().includes(SHOP_SECRET)).toBe(false)
  expect(textsBelow(config).map(([name]) => name)).toEqual(['shops.json'])
}, timeLimitMs(60_000))
