import { chmod } from 'node:fs/promises'
import { BacktapeError } from '../model/error.js'
import { FaultsError } from '../model/fault.js'
import { createWholeFile } from '../files/whole-file-writer.js'
import { isLoopback } from '../web/http-hosts.js'
import { defaultAccounts } from '../serve/default-accounts.js'
import { readServeConfig, type ServeFile } from '../serve/serve-config-reader.js'
import type { ReplaySpeed, ReplayStart, ServeAddresses, ServeOptions } from '../serve/serve-options.js'
import { openServing, type Serving } from '../serve/serving-server.js'
import { openShopAlone } from '../serve/shop-alone-server.js'
import { dataFromText } from '../tickfile/data-input.js'
import { CONNECTIONS_MAX } from '../strategy-server/venue-replay.js'
import { openServedStrategies, type ServedStrategies } from './served-strategies.js'
import { optionError, portOf, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'
import { ServeStatus } from './serve-status.js'

const DEFAULT_ACCOUNT = 'paper'
/** The owner alone reads keys and token. */
const SECRET_MODE = 0o600

function speedOf(args: Arguments): ReplaySpeed | undefined {
  const text = args.text('speed')
  if (text === undefined || text === 'max' || text === 'lockstep') return text
  const factor = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0
  if (factor > 0) return factor
  throw optionError('speed', 'max, lockstep or a factor above 0 such as 60', JSON.stringify(text))
}

/** Options that are of a replay. */
const OF_REPLAY = ['from', 'to', 'prefer', 'speed', 'start', 'loop', 'step', 'holes', 'patience', 'socket'] as const

/** True for days that one replay cannot have: of several exchanges without an account of one, or too many. */
function isNoReplay(error: unknown): error is BacktapeError {
  if (!(error instanceof BacktapeError)) return false
  const { code, place: { field } } = error
  return (code === 'LIMIT_EXCEEDED' && field === 'data') || (code === 'OPTION_INVALID' && field === 'account')
}

interface Configured extends ServeFile {
  /** Sentences about what it assumes. */
  readonly sentences: readonly string[]
}

/**
 * The configuration of the file, or of `--data` and `--account`, with the sentences about what it assumes. Where a shop
 * is all that is asked for, and the days make no replay, it is of a shop alone.
 */
async function configured(args: Arguments): Promise<Configured> {
  const config = args.text('config')
  const data = [...(args.list('data') ?? []), ...args.words].map(dataFromText)
  const names = args.list('account')
  if (config !== undefined) {
    if (data.length > 0) throw optionError('data', 'left out where --config is given', 'both')
    if (names !== undefined) throw optionError('account', 'left out where --config is given', 'both')
    return { ...await readServeConfig(config), sentences: [] }
  }
  if (data.length === 0)
    throw optionError('data', 'followed by tick files or folders, or --config by a file', 'nothing')
  const [prefer, from, to] = [args.text('prefer'), args.text('from'), args.text('to')]
  const run = {
    data, ...(prefer === undefined ? {} : { prefer }), ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  const isShopAsked = args.flag('shop') && names === undefined && OF_REPLAY.every((name) => !args.has(name))
  try {
    const { accounts, sentences } = await defaultAccounts(names ?? [DEFAULT_ACCOUNT], run)
    return { options: { ...run, accounts }, strategyServer: null, sentences }
  } catch (error) {
    if (!isShopAsked || !isNoReplay(error)) throw error
    const sentence = `The shop is served alone, without feed and adapter: ${error.message}`
    return { options: { data, replay: false }, strategyServer: null, sentences: [sentence] }
  }
}

/** The shop: that of the configuration, with the options of the command line in place. Throws OPTION_INVALID. */
function shopOf(stated: ServeOptions['shop'], args: Arguments): ServeOptions['shop'] {
  const [stateFolder, now, restoreTime, samples] = [
    args.text('state'), args.text('now'), args.text('restoreTime'), args.list('samples'),
  ]
  const own = {
    ...(stateFolder === undefined ? {} : { stateFolder }), ...(now === undefined ? {} : { now }),
    ...(restoreTime === undefined ? {} : { restoreTime }), ...(samples === undefined ? {} : { samples }),
    ...(args.flag('cold') ? { cold: true } : {}),
  }
  const isOn = args.flag('shop') || (stated !== undefined && stated !== false)
  const [name] = Object.keys(own)
  if (!isOn && name !== undefined) throw optionError(name, 'given with --shop', 'without')
  if (!isOn) return stated
  return { ...(typeof stated === 'object' ? stated : {}), ...own }
}

/** Options of the command line in the place of those of the configuration. */
function overridden(options: ServeOptions, args: Arguments): ServeOptions {
  const [speed, from, to] = [speedOf(args), args.text('from'), args.text('to')]
  const start = args.text('start') as ReplayStart | undefined
  const holes = args.text('holes') as 'play' | 'skip' | undefined
  const patience = args.text('patience')
  const [httpPort, controlPort, domainSocket] = [portOf(args, 'port'), portOf(args, 'controlPort'), args.text('socket')]
  const replay = {
    ...(typeof options.replay === 'object' ? options.replay : {}),
    ...(speed === undefined ? {} : { speed }), ...(start === undefined ? {} : { start }),
    ...(holes === undefined ? {} : { holes }),
    ...(args.flag('loop') ? { loop: true } : {}), ...(args.flag('step') ? { step: 'post' as const } : {}),
  }
  const shop = shopOf(options.shop, args)
  const foreign = options.replay === false ? OF_REPLAY.find((name) => args.has(name)) : undefined
  if (foreign !== undefined) throw optionError(foreign, 'left out where replay is false', 'both')
  const whole: ServeOptions = {
    ...options, replay: options.replay === false ? false : replay, ...(shop === undefined ? {} : { shop }),
    ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }),
    ...(patience === undefined ? {} : { patience }),
    ...(httpPort === undefined ? {} : { httpPort }), ...(controlPort === undefined ? {} : { controlPort }),
    ...(domainSocket === undefined ? {} : { domainSocket }),
  }
  const isLockStep = replay.speed === 'lockstep'
  if (isLockStep && replay.loop === true) throw optionError('loop', 'left out in lock-step', 'both')
  if (replay.step === 'post' && (!isLockStep || whole.controlPort === undefined))
    throw optionError('step', 'with --speed lockstep and --control-port', 'without')
  return whole
}

/** All addresses, keys and the token, for programs: whole or absent, and for the owner alone. */
async function writeAddresses(path: string, { addresses }: Pick<Serving, 'addresses'>): Promise<void> {
  const file = await createWholeFile(path, { force: true })
  try {
    await chmod(file.temporaryPath, SECRET_MODE)
    await file.write(new TextEncoder().encode(`${JSON.stringify(addresses, null, 2)}\n`))
    await file.commit()
  } catch (error) {
    await file.abort()
    throw error
  }
}

async function sayAddresses({ addresses, shop }: Serving, isKeyNew: boolean, output: Output): Promise<void> {
  const { http, feeds, domainSocket, accounts, keys, control } = addresses
  output.note(`Adapter, lookup and directory: ${http}; accounts: ${accounts.join(', ')}`)
  if (shop !== null) output.note(`Shop: ${http}/shop`)
  const host = new URL(http).hostname.replace(/^\[|\]$/g, '')
  if (!isLoopback(host)) {
    const where = host === '0.0.0.0' || host === '::' ? `${host}, every address of this machine` : host
    output.note(`Warning: it listens at ${where}: order entry has no password, whatever reaches it can trade`)
  }
  for (const { market, json } of feeds) output.note(`Feed of ${market}: ${json}, ${json}/sbe`)
  if (domainSocket !== null) output.note(`Domain socket: ${domainSocket}`)
  if (isKeyNew) await output.line(`key ${keys[0] ?? ''}`)
  await sayControl(control, output)
}

async function sayControl(control: ServeAddresses['control'], output: Output): Promise<void> {
  if (control !== null) {
    output.note(`Control: ${control.url}`)
    await output.line(`token ${control.token}`)
  }
  await output.flush()
}

/** The work of `backtape serve`. */
export async function runServe(args: Arguments, output: Output): Promise<number> {
  const { options: stated, strategyServer, sentences } = await configured(args)
  const isForInstances = strategyServer !== null || args.has('strategies')
  // Instances that join the clock have one key.
  const options = { ...isForInstances ? { connectionsPerKey: CONNECTIONS_MAX } : {}, ...overridden(stated, args) }
  const status = new ServeStatus(output, args.flag('log'))
  const served = { ...options, signal: args.signal, onNote: (text: string) => { status.note(text) } }
  const open = (serving: Serving | null): Promise<ServedStrategies | null> => (
    openServedStrategies(strategyServer, { options, serving }, args, output))
  if (served.replay !== false) return runReplay(served, { sentences, status, open }, args, output)
  const strategies = await open(null)
  try {
    return await runAlone(served, sentences, args, output)
  } finally {
    await strategies?.server.close()
  }
}

/** The parts of a command that serves. */
interface ServeParts {
  readonly sentences: readonly string[]
  readonly status: ServeStatus
  /** Opens the strategy server beside it; null: there is none. */
  readonly open: (serving: Serving) => Promise<ServedStrategies | null>
}

async function runReplay(
  served: ServeOptions, { sentences, status, open }: ServeParts, args: Arguments, output: Output,
): Promise<number> {
  const serving = await openServing(served)
    .catch((error: unknown) => { throw asServeError(error) })
  let strategies: ServedStrategies | null = null
  // Instances cancel their orders while there is an adapter.
  const stop = (): void => {
    void (strategies?.server.close() ?? Promise.resolve()).finally(() => { serving.pacer.stop() })
  }
  try {
    for (const sentence of [...sentences, ...serving.sentences]) output.note(sentence)
    strategies = await open(serving)
    await sayAddresses(serving, served.keys === undefined, output)
    const path = args.text('addresses')
    if (path !== undefined) await writeAddresses(path, serving)
    args.signal.addEventListener('abort', stop, { once: true })
    if (args.signal.aborted) stop()
    status.begin(serving)
    const end = await serving.run()
    status.end()
    output.note(end === 'ended' ? 'The data have ended' : 'Closing')
    if (strategies !== null && end === 'ended') {
      // Its instances are informed that the data have ended; the strategy server goes on.
      if (strategies.hasJoined) await serving.close()
      await aborted(args.signal)
    }
    for (const sentence of serving.replay.warnings) output.note(`Warning: ${sentence}`)
    const { lateCount } = serving.pacer.lockStep
    if (lateCount > 0)
      output.note(`Warning: ${String(lateCount)} requests came after their step had closed: not reproducible`)
  } finally {
    status.end()
    args.signal.removeEventListener('abort', stop)
    await strategies?.server.close()
    await serving.close()
  }
  return 0
}

/** Resolves when a signal has come. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => { resolve() }, { once: true })
  })
}

/** A shop alone, until Ctrl-C. */
async function runAlone(
  options: ServeOptions, sentences: readonly string[], args: Arguments, output: Output,
): Promise<number> {
  const alone = await openShopAlone(options)
  try {
    for (const sentence of sentences) output.note(sentence)
    output.note(`Shop: ${alone.addresses.http}/shop`)
    await sayControl(alone.addresses.control, output)
    const path = args.text('addresses')
    if (path !== undefined) await writeAddresses(path, alone)
    args.signal.addEventListener('abort', alone.stop, { once: true })
    if (args.signal.aborted) alone.stop()
    await alone.run()
    output.note('Closing')
  } finally {
    args.signal.removeEventListener('abort', alone.stop)
    await alone.close()
  }
  return 0
}

/** Faults of a server are not those of a run. */
function asServeError(error: unknown): unknown {
  return error instanceof FaultsError && error.code === 'OPTION_INVALID'
    ? new FaultsError('OPTION_INVALID', 'Cannot serve', error.faults, 'the options')
    : error
}
