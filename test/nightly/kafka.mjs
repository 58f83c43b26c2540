// A strategy server against a real Kafka broker; Kafka's own Java client writes and reads beside it. Every suffix, both types of channels, headers,
// keys and values; a topic that is missing; what a failed write does. test/nightly/kafka-kills.mjs kills broker and server while they write.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { openStrategyServer } from '../../dist/serve.js'
import { openBroker } from '../support/kafka-broker.mjs'
import { check, endOfChecks } from '../support/counted-checks.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'backtape-broker-'))
const until = async (isSo, ms = 20_000) => {
  for (const end = Date.now() + ms; Date.now() < end;) {
    if (await isSo()) return
    await new Promise((resolve) => { setTimeout(resolve, 50) })
  }
}

const strategies = join(work, 'strategies')
mkdirSync(strategies)
writeFileSync(join(strategies, 'talkers.ts'), `
import { BrokerMessage, Parameter, Strategy, String, TradingInstrument, type Channel, type ChannelMessage } from 'backtape'

/** Writes both types, then says on \`heard\` what comes; slowly, so that it lasts. */
export class Talker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  texts!: Channel
  heard!: Channel
  records!: Channel<BrokerMessage>
  both!: Channel<BrokerMessage>
  override onStart() {
    this.texts = this.openChannel('texts')
    this.heard = this.openChannel('heard')
    this.records = this.openChannel('records', BrokerMessage)
    this.both = this.openChannel('both', BrokerMessage)
    this.openChannel('news', BrokerMessage)
    for (const text of ['one', 'zwei \\u00e9\\u20ac\\u{1f600} \\u0000', '']) this.texts.publish(text)
    this.records.publish({ key: 'k', value: 'v', headers: { a: '1', 'b-c': '\\u00e9' } })
    this.records.publish({ value: 'no key' })
    this.records.publish({ key: 'gone', value: null })
    this.both.publish({ key: 'k', value: 'out' })
  }
  override onInstrumentTopOfBook() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  override onChannelMessage(channel: Channel<string | BrokerMessage>, { origin, message }: ChannelMessage<string | BrokerMessage>) {
    this.heard.publish(channel.name + ' ' + origin + ' ' + JSON.stringify(message))
  }
}
export class Wrong extends Strategy {
  override onStart() { this.openChannel('news') }
}
`)
const config = {
  strategies, port: 0, store: join(work, 'store'), processId: 'p1', broker_topics: ['texts', 'records:w', 'news:r', 'both:rw'],
  venues: { paper: { type: 'replay', files: [join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')], speed: 'max', account: { balances: { USDT: '1000' } } } },
}
const refusal = async (more) => openStrategyServer({ ...config, ...more }).then(async (server) => {
  await server.close()
  return 'it has opened'
}, (error) => `${error.code} ${error.message}`)

const broker = await openBroker({ makesTopics: false })
const servers = { broker_servers: [broker.server] }
const near = 'localhost'
broker.make('texts', 'records', 'news', 'both')
check('a topic that is missing', await refusal({ ...servers, broker_topics: ['texts', 'lost:r'] }), `BROKER_FAILED Cannot use the broker ${broker.server}: it has no topic lost`)
check('a broker that is not there', (await refusal({ broker_servers: ['127.0.0.1:1'] })).split(':')[0], 'BROKER_FAILED Cannot reach the broker 127.0.0.1')

broker.write('news', { key: 'old', value: 'before the server' })
const notes = []
const server = await openStrategyServer({ ...config, ...servers, broker_stop_on_error: true, onNote: (note) => { notes.push(note) } })
const ask = async (method, path, body, type = 'application/json') => {
  const response = await fetch(server.url + path, { method, ...body === undefined ? {} : { headers: { 'content-type': type }, body } })
  return response.status === 204 ? null : response.json()
}
const instance = async (instanceName, strategyName, parameters) => {
  const { instanceId } = await ask('POST', '/api/v1/strategy/instance', JSON.stringify({ instanceName, strategyName, parameters }))
  await ask('POST', `/api/v1/strategy/instance/${instanceId}/start`, '{}')
  return async () => (await ask('GET', `/api/v1/strategy/instance/${instanceId}`)).status
}
const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/v1`)
await once(socket, 'open')
const taken = []
socket.on('message', (data) => { taken.push(JSON.parse(data.toString())) })
const say = (frame) => { socket.send(JSON.stringify(frame)) }
say({ op: 'login', origin: 'desk' })
for (const channel of ['heard', 'news', 'both']) say({ op: 'subscribe', channel })

const metrics = async () => (await ask('GET', '/api/v1/metrics')).runtime.broker
const wrong = await instance('wrong', 'Wrong', {})
const talker = await instance('talker', 'Talker', { instrument: 'XRPUSDT' })
await until(async () => taken.some(({ channel, op }) => op === 'event' && channel === 'both'))
check('a text channel of a topic that is read fails at its start by name', await until(async () => (await wrong()).state === 'FAILED').then(wrong).then(({ state, reason }) => [state, /Cannot open channel "news": its type must be BrokerMessage, as it is read from the broker, found String/.test(reason)]), ['FAILED', true])
say({ op: 'publish', channel: 'texts', message: 'from the desk' })
say({ op: 'publish', channel: 'news', message: 'goes to strategies alone' })
await ask('POST', '/api/v1/channel/texts/send?origin=curl', 'from rest', 'text/plain')
// What the strategy wrote at its start is there before others write.
await until(async () => (await metrics()).map(({ written }) => written).join() === '4,3,0,1')
broker.write('news', { key: 'n', value: 'hello', headers: { CS_ORIGIN: 'far', CS_PROCESS_ID: 'p2', x: 'y' } }, { key: null, value: null })
broker.write('both', { key: null, value: 'own once more', headers: { CS_ORIGIN: 'talker', CS_PROCESS_ID: 'p1' } }, { key: 'k', value: 'back' })
await until(() => taken.filter(({ channel, message }) => channel === 'heard' && message?.includes('offset":')).length >= 4)
const events = taken.filter(({ op }) => op === 'event')
const heard = events.filter(({ channel }) => channel === 'heard').map(({ message }) => message.replace(/"timestamp":\d{13}/, '"timestamp":T'))
check('the strategy hears them whole, in order', heard.filter((one) => one.startsWith('news')), [
  'news desk {"key":null,"value":"goes to strategies alone","headers":{},"partition":null,"offset":null,"timestamp":null}',
  'news far {"key":"n","value":"hello","headers":{"x":"y"},"partition":0,"offset":1,"timestamp":T}', 'news broker {"key":null,"value":null,"headers":{},"partition":0,"offset":2,"timestamp":T}',
])
check('own records are not heard again', heard.filter((one) => one.startsWith('both')), ['both broker {"key":"k","value":"back","headers":{},"partition":0,"offset":2,"timestamp":T}'])
check('a WebSocket client gets values as text', events.filter(({ channel }) => channel !== 'heard').map(({ channel, origin, message }) => [channel, origin, message]).sort(), [
  ['both', 'broker', 'back'], ['both', 'talker', 'out'], ['news', 'broker', ''], ['news', 'far', 'hello'],
])

const ours = (origin, more = {}) => ({ ...more, CS_ORIGIN: origin, CS_PROCESS_ID: 'p1' })
const read = (topic) => broker.read(topic).map(({ key, value, headers }) => [key, value, headers])
check('texts by Kafka\'s client', read('texts'), [
  ['p1', 'one', ours('talker')], ['p1', 'zwei é€😀 \u0000', ours('talker')], ['p1', '', ours('talker')], ['p1', 'from the desk', ours('desk')],
])
check('records by Kafka\'s client', read('records'), [['k', 'v', ours('talker', { a: '1', 'b-c': 'é' })], [null, 'no key', ours('talker')], ['gone', null, ours('talker')]])
check('a topic of both', read('both').map(([key, value]) => [key, value]), [['k', 'out'], [null, 'own once more'], ['k', 'back']])
check('nothing is written to a topic that is read', read('news').map(([, value]) => value), ['before the server', 'hello', null])
// Kafka's client has kept this process from its event loop for seconds: the server closes what was idle.
await new Promise((resolve) => { setTimeout(resolve, 300) })
check('counts', (await metrics()).map(({ topic, waiting, written, failed, read, unreadable }) => [topic, waiting, written, failed, read, unreadable]), [
  ['texts', 0, 4, 0, 0, 0], ['records', 0, 3, 0, 0, 0], ['news', 0, 0, 0, 2, 0], ['both', 0, 1, 0, 1, 0],
])

// The broker is killed: a queue that is full stops the strategy, with the reason.
await broker.kill()
for (let at = 0; at <= 10_000; at++) say({ op: 'publish', channel: 'texts', message: `${at}` })
await until(async () => (await talker()).state === 'STOPPED')
const { state, reason } = await talker()
check('a full queue stops a strategy with a written topic', [state, reason], ['STOPPED', 'Records for topic texts are not written: its queue is full, 10000 records wait'])
await broker.start()
await until(async () => (await metrics())[0].waiting === 0)
const values = read('texts').slice(4).map(([, value]) => value)
check('those that waited are there, each once and in order', [values.length, values.every((value, at) => value === `${at}`)], [10_000, true])
check('none failed but the one that found no room', (await metrics())[0], { ...(await metrics())[0], written: 10_004, failed: 0, refused: 1 })
socket.terminate()
await server.close()

// Without keys, from the beginning, and with a process id of its own.
const second = await openStrategyServer({ ...config, ...servers, broker_servers: [broker.server.replace('127.0.0.1', near)], broker_key: null, broker_from: 'beginning', processId: undefined, broker_topics: ['texts', 'news:r'] }).catch((error) => error)
if (second instanceof Error) check('another address of the broker', second.message, '')
else {
  const other = new WebSocket(`${second.url.replace('http', 'ws')}/ws/v1`)
  await once(other, 'open')
  other.send(JSON.stringify({ op: 'login', origin: 'desk' }))
  other.send(JSON.stringify({ op: 'publish', channel: 'texts', message: 'without a key' }))
  const counts = async () => (await (await fetch(`${second.url}/api/v1/metrics`)).json()).runtime.broker
  await until(async () => (await counts())[0].written === 1 && (await counts())[1].read === 3)
  check('reading from the beginning', (await counts())[1].read, 3)
  const last = broker.read('texts').at(-1)
  check('no key, and a random process id', [last.key, last.value, last.headers.CS_ORIGIN, /^[0-9a-f-]{36}$/.test(last.headers.CS_PROCESS_ID)], [null, 'without a key', 'desk', true])
  other.terminate()
  await second.close()
}
await broker.close()
rmSync(work, { recursive: true, force: true })
endOfChecks()
