import { checkTopicType } from '../broker/topic-access.js'
import type { LiveOptions } from '../live/live-options.js'
import type { LiveOutside } from '../live/live-outside.js'
import type { LiveRun } from '../live/live-run.js'
import { playLive } from '../live/run-live.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { Strategy } from '../strategy/strategy.js'
import { laterMs } from '../model/wall-client.js'
import { frozenMessage } from '../venue/channels.js'
import { failedEnd, type InstanceEnd, type SocketVenue } from './instance-run.js'
import {
  callbacks, endWith, files, knowFailed, order, port, PROGRESS_MS, say, sayMuch, sayProgress, tookMessages,
} from './instance-thread-worker.js'
import type { InstanceMail } from './instance-thread.js'
import { LookTurns } from './look-turns.js'

/** So often what is open of the journal is written: a run by the wall's time may have few lines. */
const JOURNAL_MS = 2_000

/** Says a sentence about the run itself. */
function note(text: string): void {
  sayMuch({ type: 'logged', timeNs: 0n, level: 'warning', text })
}

/** The program around a run over sockets. */
const OUTSIDE: LiveOutside = {
  callbacks,
  begun: () => { say({ type: 'running' }) },
  opened: (channel, type) => {
    checkTopicType(order.topics ?? {}, channel, type)
    sayMuch({ type: 'opened', channel })
  },
  published: (channel, message, record) => { sayMuch({ type: 'published', channel, message, record }) },
  logged: (timeNs, level, text) => { sayMuch({ type: 'logged', timeNs, level, text }) },
  requested: (request) => {
    // They are on the disk before they are sent: whatever ends the process, its open orders can be named.
    if (request.kind === 'place') files.sent(request.entries.map(({ ownOrderId }) => String(ownOrderId)))
    else if (request.kind === 'replace') files.sent(request.entries.map(({ newOwnOrderId }) => String(newOwnOrderId)))
  },
  timed: (message) => { files.received([message]) },
}

const looks = new LookTurns((look) => { say({ type: 'look', look }) })

/** A look is wanted: it is taken as soon as it may be. */
function askLook(run: LiveRun): void {
  looks.ask()
  laterMs(looks.waitMs(performance.now()), () => { takeLook(run) })
}

/** Takes a look that is due, or the last one. One that cannot be shown ends no trading. */
function takeLook(run: LiveRun, isLast = false): void {
  try {
    if (isLast) looks.end(run.world)
    else looks.turn(run.world, performance.now())
  } catch (error) {
    looks.leave(run.world)
    note(`The run cannot be watched: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The facts of a result that are written beside the end. */
function facts(
  { configDigest, journalDigest, summary }: BacktestResult,
): Readonly<Record<'configDigest' | 'journalDigest' | 'summary', unknown>> {
  return { configDigest, journalDigest, summary }
}

function sayProgressOf({ world }: LiveRun): void {
  if (world !== null) sayProgress(world.progress())
}

/** Takes the mail of the thread into a run. */
function takeMail(run: LiveRun, stop: (cancelOrders: boolean) => void): void {
  port.on('message', (mail: InstanceMail) => {
    if (mail.type === 'stop') return stop(mail.cancelOrders)
    if (mail.type === 'over') {
      // It says so at the end of its feed, as a rule.
      run.isReplayOver = true
      return run.stop('the data have ended')
    }
    if (mail.type === 'look') return askLook(run)
    if (mail.type === 'unlook') return looks.leave(run.world)
    const { channel, message } = mail
    tookMessages([message])
    run.receiveChannel({ channel, message: frozenMessage(message) })
  })
}

/** Runs the strategy over the sockets of its venue, as `backtape live` does. */
export async function playSockets(strategy: new () => Strategy, { hosts }: SocketVenue): Promise<never> {
  const { parameters, instanceId } = order
  const ending = new AbortController()
  const options: { -readonly [Name in keyof LiveOptions]: LiveOptions[Name] } = {
    ...hosts, strategy, parameters, clientId: instanceId, ownOrderIds: files.sentBefore, cancelAllAtStop: 'own',
    journal: files.journal, signal: ending.signal, onNote: note,
  }
  if (order.isResumed || files.sentBefore.length > 0)
    note('It is a new run: positions and open orders of the run before are taken over as the adapter states them')
  const known: { run: LiveRun | null } = { run: null }
  knowFailed(() => ({ droppedCount: 0, ...known.run?.hasStarted === true ? facts(known.run.result([])) : {} }))
  const result = await playLive(options, (run) => {
    known.run = run
    run.outside = OUTSIDE
    takeMail(run, (cancelOrders) => {
      options.cancelAllAtStop = cancelOrders ? 'own' : false
      ending.abort()
    })
    setInterval(() => {
      takeLook(run)
      sayProgressOf(run)
    }, PROGRESS_MS).unref()
    setInterval(() => { run.journal.closeSegment() }, JOURNAL_MS).unref()
  })
  const run = known.run as LiveRun
  sayProgressOf(run)
  takeLook(run, true)
  const end = endOf(run, result, ending.signal.aborted)
  // An order without an answer may be open.
  if (run.isReplayOver || run.accounts.every(({ openOrders }) => openOrders.unansweredCount === 0))
    files.keepOpen(end.openOrders)
  return endWith(end, { ...facts(result), isPartial: result.isPartial })
}

function endOf(
  run: LiveRun, { reason, fingerprint, journalLineCount }: BacktestResult & { readonly reason: string },
  isStopped: boolean,
): InstanceEnd {
  const openOrders = run.isReplayOver ? [] : run.accounts.flatMap(({ openOrders: { ownIds } }) => ownIds.map(String))
  const known = { fingerprint, journalLineCount, openOrders }
  // Hosts that stay away end it, and no decision of anybody's.
  if (run.wasStopped && !run.isReplayOver && !isStopped)
    return { ...failedEnd(reason, 'CONNECTION_FAILED'), ...known }
  return {
    ...failedEnd(reason, null), ...known, end: isStopped && !run.isReplayOver ? 'stopped' : 'whole',
    reason: run.isReplayOver ? 'the data have ended' : isStopped ? 'the run was stopped' : reason,
  }
}
