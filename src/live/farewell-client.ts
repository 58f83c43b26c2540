import type { AccountInbox, LiveRun } from './live-run.js'

/** After a stop, the answer to `cancelAll` is waited for so long. */
const FAREWELL_MS = 5_000

/** Cancels all orders of every account, and waits for the answers as long as they may take. */
export async function cancelAll(run: LiveRun): Promise<void> {
  const answered = Promise.all(run.accounts.map((inbox) => cancelled(run, inbox)))
  const end = new AbortController()
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, FAREWELL_MS)
    end.signal.addEventListener('abort', () => { clearTimeout(timer) })
  })
  await Promise.race([answered, late])
  end.abort()
}

function cancelled({ clock }: LiveRun, inbox: AccountInbox): Promise<void> {
  return new Promise((resolve) => {
    if (inbox.client === null || !inbox.client.capabilities.cancelAll) return resolve()
    inbox.onCancelled = resolve
    inbox.client.cancelAll({ requestId: crypto.randomUUID(), createTimeNs: clock.nowNs() })
  })
}
