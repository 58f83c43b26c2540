// Records of the client of a broker while that is killed with -9 at ten moments of writing, frozen, and gone for too long; and while the process that
// writes is killed. Kafka's own client reads what is there: in order, nothing acknowledged is lost, doubles are counted. A reader misses nothing either.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { openKafka } from '../../dist/broker/kafka-client.js'
import { openBroker } from '../support/kafka-broker.mjs'
import { check, endOfChecks } from '../support/counted-checks.mjs'

const KILLS = 10
const FROZEN_MS = 12_000
const WRITER = `
const [, server, topic] = process.argv
const { openKafka } = await import(${JSON.stringify(new URL('../../dist/broker/kafka-client.js', import.meta.url).href)})
const client = await openKafka([server])
await client.missing([topic])
const writer = client.writer(topic)
for (let at = 0; ; at += 5) {
  await writer.write(Array.from({ length: 5 }, (_, more) => ({ key: 'k', value: String(at + more), headers: {} })))
  process.stdout.write(at + 4 + '\\n')
}`
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms) })
const broker = await openBroker()

/** Writes numbers to a topic while `happen` goes on, and reads them; then what was acknowledged, failed, read and is there. */
async function written(topic, happen) {
  const client = await openKafka([broker.server])
  check(`${topic} is made`, await client.missing([topic]), [])
  const heard = []
  await client.read(topic, 'end', { record: ({ value }) => { heard.push(Number(value)) }, unreadable: () => undefined, interrupted: () => undefined })
  const writer = client.writer(topic)
  const [acknowledged, lost] = [[], []]
  let [next, isOver] = [0, false]
  const writing = (async () => {
    while (!isOver) {
      const batch = Array.from({ length: 5 }, () => next++)
      await writer.write(batch.map((number) => ({ key: 'k', value: String(number), headers: {} }))).then(() => { acknowledged.push(...batch) }, () => { lost.push(...batch) })
      await wait(10)
    }
  })()
  await happen()
  await wait(1_000)
  isOver = true
  await writing
  const there = broker.read(topic).map(({ value }) => Number(value))
  for (const end = Date.now() + 20_000; Date.now() < end && heard.length < there.length;) await wait(100)
  await client.close()
  return { acknowledged, lost, heard, there }
}

function judge(what, { acknowledged, lost, heard, there }) {
  const known = new Set(there)
  console.log(`${what}: ${acknowledged.length} acknowledged, ${lost.length} failed, ${there.length} there, ${there.length - known.size} twice`)
  check(`${what}: nothing acknowledged is lost`, acknowledged.filter((number) => !known.has(number)), [])
  check(`${what}: order is kept, and nothing is twice`, there.every((number, at) => at === 0 || number > there[at - 1]), true)
  check(`${what}: what is there is read, each once and in order`, heard, there)
}

const killed = await written('killed', async () => {
  for (let at = 0; at < KILLS; at++) {
    await wait(500 + 137 * at)
    await broker.kill()
    await broker.start()
  }
})
judge('killed', killed)
check('killed: no record has failed', killed.lost.length, 0)
judge('frozen', await written('frozen', async () => {
  for (let at = 0; at < 2; at++) {
    await wait(700)
    broker.signal('SIGSTOP')
    await wait(FROZEN_MS)
    broker.signal('SIGCONT')
  }
}))
const away = await written('away', async () => {
  await wait(700)
  await broker.kill()
  await wait(35_000)
  await broker.start()
  await wait(5_000)
})
judge('away', away)
check('away: records have failed, and later ones have not', [away.lost.length > 0, away.acknowledged.at(-1) > away.lost.at(-1)], [true, true])

// The process that writes is killed: what it was told is there, in order and once.
for (let at = 0; at < KILLS; at++) {
  const topic = `writer-${at}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, broker.server, topic], { stdio: ['ignore', 'pipe', 'ignore'] })
  let last = -1
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (last < 0) setTimeout(() => { child.kill('SIGKILL') }, 40 + 31 * at)
    last = Number(line)
  })
  await new Promise((resolve) => child.once('close', resolve))
  const there = broker.read(topic).map(({ value }) => Number(value))
  check(`writer ${at}: all that was acknowledged is there, each once and in order`, [last >= 0, there.length > last, there.every((number, place) => number === place)], [true, true, true])
}
await broker.close()
endOfChecks()
