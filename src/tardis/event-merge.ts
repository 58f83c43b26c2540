import type { TickEvent } from './tick-event.js'

/** One stream and where it stands. */
interface Front {
  readonly iterator: AsyncGenerator<readonly TickEvent[], void, undefined>
  events: readonly TickEvent[]
  at: number
}

const BATCH_EVENTS = 4096

async function advance(front: Front): Promise<boolean> {
  if (++front.at < front.events.length) return true
  for (;;) {
    const step = await front.iterator.next()
    if (step.done === true) return false
    if (step.value.length === 0) continue
    front.events = step.value
    front.at = 0
    return true
  }
}

/**
 * The events of several streams by arrival; of the same microsecond the stream that was named first goes first. Each
 * stream has to be in order itself. Memory holds one piece of every stream.
 */
export async function* mergedEvents(
  streams: readonly AsyncGenerator<readonly TickEvent[], void, undefined>[],
): AsyncGenerator<TickEvent[], void, undefined> {
  const fronts: Front[] = []
  const all = streams.map((stream): Front => ({ iterator: stream, events: [], at: -1 }))
  let batch: TickEvent[] = []
  try {
    for (const front of all) if (await advance(front)) fronts.push(front)
    while (fronts.length > 0) {
      let first = 0
      for (let i = 1; i < fronts.length; i++) if (localUs(fronts[i]) < localUs(fronts[first])) first = i
      const front = fronts[first] as Front
      batch.push(front.events[front.at] as TickEvent)
      if (batch.length >= BATCH_EVENTS) {
        yield batch
        batch = []
      }
      const isLast = front.at + 1 >= front.events.length
      if (!isLast) front.at++
      else if (!(await advance(front))) fronts.splice(first, 1)
    }
    if (batch.length > 0) yield batch
  } finally {
    for (const { iterator } of all) await iterator.return()
  }
}

function localUs(front: Front | undefined): number {
  return front?.events[front.at]?.localUs ?? Infinity
}
