import type { Step, Stepped } from '../protocol/lock-step-messages.js'
import { commandCounts, type AccountInbox, type FeedInbox } from './live-inboxes.js'

/** The connections of a run in lock-step. The first account speaks for the feeds and the timers. */
interface Connections {
  readonly feeds: readonly FeedInbox[]
  readonly accounts: readonly AccountInbox[]
}

/** True where everything of a step has come, on every connection. */
export function hasStepCome({ feed, number }: Step, { feeds, accounts }: Connections): boolean {
  return (
    feeds.every(({ market, receivedCount }) => receivedCount >= (feed[market] ?? 0)) &&
    accounts.every(({ step, receivedCount }) => step?.number === number && receivedCount >= step.orderEntry)
  )
}

/** Everything up to a step has been dealt with; `nextTimer` in epoch nanoseconds, null: none is set. */
export function answerStep(number: number, nextTimer: string | null, { feeds, accounts }: Connections): void {
  const feedCommands = commandCounts(feeds)
  for (const [at, { client }] of accounts.entries()) {
    const stepped: Stepped = at === 0
      ? { msgType: 'stepped', number, feedCommands, nextTimer }
      : { msgType: 'stepped', number, feedCommands: {}, nextTimer: null }
    client?.send(stepped)
  }
}

/** A replay in lock-step goes on only with an answer, also to a run that is over. */
export function answerLeaving({ number }: Step, inbox: AccountInbox, { feeds, accounts }: Connections): void {
  const feedCommands = commandCounts(inbox === accounts[0] ? feeds : [])
  inbox.client?.send({ msgType: 'stepped', number, feedCommands, nextTimer: null })
}
