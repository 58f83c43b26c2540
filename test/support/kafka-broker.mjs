// One real Kafka broker (KRaft, one node) on the loopback, for tests; its jars lie in .cache/kafka for all of them.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const own = join(root, 'test/system/kafka')
const cache = process.env.KAFKA_CACHE ?? join(root, '.cache/kafka')
const READY_MS = 60_000

/** Fetches the jars once. */
function install() {
  const stamp = join(cache, 'ok-4.3.1')
  if (existsSync(stamp)) return
  mkdirSync(cache, { recursive: true })
  execFileSync('mvn', [
    '-q', '-B', '-ntp', '-f', join(own, 'pom.xml'), 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
    '-DincludeScope=runtime', `-DoutputDirectory=${join(cache, 'libs')}`,
  ], { stdio: 'inherit' })
  writeFileSync(stamp, '')
}

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => { resolve(port) })
  })
})
const text = (value) => (value === null ? '-' : `=${Buffer.from(value).toString('base64')}`)
const parsed = (part) => (part === '-' ? null : Buffer.from(part.slice(1), 'base64').toString())

/** Opens one, started; `makesTopics`: topics are made when they are asked for. */
export async function openBroker({ makesTopics = true } = {}) {
  install()
  const folder = mkdtempSync(join(tmpdir(), 'backtape-kafka-'))
  const [port, controller] = [await freePort(), await freePort()]
  const properties = join(folder, 'server.properties')
  writeFileSync(properties, Object.entries({
    'process.roles': 'broker,controller', 'node.id': 1, 'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`, 'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER', 'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': join(folder, 'data'), 'auto.create.topics.enable': makesTopics, 'offsets.topic.num.partitions': 1, 'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 1, 'transaction.state.log.replication.factor': 1, 'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1, 'share.coordinator.state.topic.replication.factor': 1, 'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0, 'broker.heartbeat.interval.ms': 250, 'broker.session.timeout.ms': 1_500,
  }).map(([name, value]) => `${name}=${value}\n`).join(''))
  const libs = join(cache, 'libs/*')
  const java = (level) => ['-Xmx512m', '-Xms128m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', libs, `-Dlog4j2.configurationFile=${join(own, 'log4j2.properties')}`, `-Dkafka.log.level=${level}`]
  execFileSync('java', [...java('WARN'), 'kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', properties], { stdio: 'ignore' })
  let [broker, ended] = [null, null]
  const start = async () => {
    broker = spawn('java', [...java('INFO'), 'kafka.Kafka', properties], { stdio: ['ignore', 'pipe', 'pipe'] })
    ended = new Promise((resolve) => broker.once('exit', resolve))
    let said = ''
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => { reject(new Error(`the broker was not ready within ${READY_MS / 1_000} s: ${said.slice(-2_000)}`)) }, READY_MS)
      const take = (chunk) => {
        said = (said + chunk).slice(-100_000)
        if (!said.includes('Kafka Server started')) return
        clearTimeout(late)
        resolve()
      }
      broker.stdout.on('data', take)
      broker.stderr.on('data', take)
      broker.once('exit', () => { reject(new Error(`the broker ended: ${said.slice(-2_000)}`)) })
    })
  }
  const signal = (name) => { broker.kill(name) }
  const kill = async () => {
    signal('SIGKILL')
    await ended
  }
  execFileSync('javac', ['-nowarn', '-cp', libs, '-d', join(folder, 'classes'), join(own, 'Records.java')])
  const records = (args, input) => execFileSync('java', ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', `${join(folder, 'classes')}:${libs}`, 'Records', args[0], server, ...args.slice(1)], {
    input, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['pipe', 'pipe', 'ignore'],
  })
  const server = `127.0.0.1:${port}`
  await start()
  return {
    server, start, kill, signal,
    /** Makes topics of one partition. */
    make: (...topics) => { records(['make', ...topics]) },
    /** The records of a topic, as Kafka's own client reads them. */
    read: (topic) => records(['read', topic]).split('\n').filter((line) => line !== '').map((line) => {
      const [partition, offset, key, value, headers] = line.split(' ')
      return {
        partition: Number(partition), offset: Number(offset), key: parsed(key), value: parsed(value),
        headers: Object.fromEntries(headers.split(',').filter((one) => one !== '').map((one) => [one.slice(0, one.indexOf('=')), parsed(one.slice(one.indexOf('=')))])),
      }
    }),
    /** Writes records by Kafka's own client. */
    write: (topic, ...all) => {
      records(['write', topic], all.map(({ key, value, headers = {} }) => (
        `${text(key)} ${text(value)} ${Object.entries(headers).map(([name, one]) => name + text(one)).join(',')}\n`)).join(''))
    },
    close: async () => {
      signal('SIGCONT')
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
