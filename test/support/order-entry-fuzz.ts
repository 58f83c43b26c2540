import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { RandomNumbers } from '../../src/model/random.js'
import { serveWorld, uuid } from './served-world.ts'
import { SessionTalk, placeOf } from './session-talk.ts'

/** The words by which another account's data would be seen. */
const SECRET = 'secret-of-B'

const KINDS = ['login', 'logout', 'place', 'amend', 'replace', 'cancel', 'cancelAll', 'orderContext', 'fillContext', 'dance']
const VALUES: readonly unknown[] = [
  null, true, 0, -1, 1e300, 0.1, '', 'x', '-5', '0', '100', '99.5', '1e2', '1'.repeat(40), [], [1], {}, { a: { b: [] } }, 'BID', 'ASK', 'MARKET', 'STOP_LIMIT', 'PRIMARY_PEGGED',
  'IMMEDIATE_OR_CANCEL', '\u0000', '\ud800', 'A', 'B', SECRET.slice(0, 3), '__proto__',
]

/** Inputs of one seed: well formed, spoiled in a field, cut, doubled, or plain noise. */
class FuzzInputs {
  readonly #random: RandomNumbers
  #draw = 0

  constructor(seed: number) {
    this.#random = new RandomNumbers(seed, 'order entry fuzz', 0)
  }

  below(limit: number): number {
    return this.#random.below(limit, this.#draw++)
  }

  next(): string {
    const text = JSON.stringify(this.#message())
    switch (this.below(8)) {
      case 0: return text.slice(0, this.below(text.length + 1))
      case 1: return this.#spoiled(text)
      case 2: return `${text}${text}`
      case 3: return Array.from({ length: this.below(60) }, () => String.fromCharCode(this.below(256))).join('')
      default: return text
    }
  }

  #spoiled(text: string): string {
    const at = this.below(text.length)
    return `${text.slice(0, at)}${String.fromCharCode(32 + this.below(95))}${text.slice(at + 1)}`
  }

  #message(): object {
    const kind = KINDS[this.below(KINDS.length)]!
    const message: Record<string, unknown> = { msgType: kind, accountId: this.below(12) === 0 ? 'B' : 'A', requestId: uuid(this.below(5)), processId: 'p', version: '1', createTimestampNs: this.below(1000) }
    if (kind === 'login') message['options'] = Object.fromEntries(['includeContext', 'filterByProcessId', 'enableCorporateActions', 'useLegacyPositionEncoding', 'backtape'].map((name) => [name, this.below(2) === 0]))
    else message['entries'] = Array.from({ length: 1 + this.below(3) }, () => this.#entry(kind))
    if (this.below(6) === 0) message[this.#name(message)] = this.#value()
    return message
  }

  #entry(kind: string): object {
    const [a, b] = [uuid(this.below(40)), uuid(this.below(40))]
    const price = { price: String(95 + this.below(20)), totalQuantity: String(1 + this.below(3)) }
    const entry: Record<string, unknown> = kind === 'place'
      ? { ...placeOf(this.below(4000), { ...price, side: this.below(2) === 0 ? 'BID' : 'ASK', context: { mark: 'A' } }) }
      : { ownOrderId: a, currentOwnOrderId: a, newOwnOrderId: uuid(4000 + this.below(4000)), clientOrderId: a, currentClientOrderId: a, newClientOrderId: b, ownFillId: a, context: { mark: 'A' }, ...(this.below(2) === 0 ? price : {}) }
    if (this.below(3) === 0) entry[this.#name(entry)] = this.#value()
    return entry
  }

  #name(object: object): string {
    const names = Object.keys(object)
    return names[this.below(names.length)]!
  }

  #value(): unknown {
    return VALUES[this.below(VALUES.length)]
  }
}

/** Error types that the reference page lists. */
function documentedTypes(): Set<string> {
  const pages = ['order-entry-wire.md', 'order-errors.md'].map((page) => readFileSync(join(import.meta.dirname, '../../docs/reference', page), 'utf8'))
  return new Set(pages.join('\n').match(/`[A-Z][A-Z_]+`/g)?.map((word) => word.slice(1, -1)))
}

/** Sends inputs to a session beside one of another account; faults in words. */
export function fuzzSession(seed: number, count: number): string[] {
  const inputs = new FuzzInputs(seed)
  const types = documentedTypes()
  const faults: string[] = []
  const talk = new SessionTalk()
  const other = new SessionTalk({}, talk)
  other.say({ msgType: 'login', accountId: 'B', requestId: 'r', processId: SECRET, version: '1', options: { includeContext: true } })
  const check = (text: string): void => {
    // The protocol knows no password: whoever logs in to an account sees it.
    if (talk.session.login?.accountId !== 'B' && text.includes(SECRET)) faults.push(`leaks another account: ${text.slice(0, 200)}`)
    for (const [, type] of text.matchAll(/"error":\{"type":"([^"]*)"/g)) if (!types.has(type!)) faults.push(`undocumented error type ${type!}`)
    try {
      JSON.parse(text)
    } catch {
      faults.push(`no JSON: ${text.slice(0, 200)}`)
    }
  }
  for (let number = 0; number < count && faults.length === 0; number++) {
    if (number % 50 === 0) {
      talk.logIn({ includeContext: true })
      other.say({ msgType: 'place', accountId: 'B', entries: [placeOf(100_000 + number, { price: '99', context: { mark: SECRET } })] })
      other.say({ msgType: 'cancelAll', accountId: 'B', requestId: uuid(1), createTimestampNs: 1 })
    }
    const input = inputs.next()
    talk.texts.length = 0
    try {
      talk.session.receive(input)
      talk.bench.run([], talk.bench.nowNs)
    } catch (error) {
      faults.push(`input ${number} of seed ${seed} throws ${String(error)}: ${input.slice(0, 300)}`)
    }
    talk.texts.forEach(check)
  }
  return faults
}

/** Sends bytes to a domain socket over many connections, abrupt closes among them; the server must serve on. */
export async function fuzzSockets(seed: number, connections: number): Promise<string[]> {
  const inputs = new FuzzInputs(seed)
  const served = await serveWorld()
  for (let number = 0; number < connections; number++) {
    const socket = connect(served.domainSocket)
    socket.on('error', () => undefined)
    socket.resume()
    await new Promise<void>((done) => {
      socket.on('close', () => { done() })
      socket.on('connect', () => {
        for (let message = inputs.below(6); message >= 0; message--) socket.write(bytesOf(inputs))
        if (inputs.below(2) === 0) socket.end()
        else setImmediate(() => { socket.destroy() })
      })
    })
  }
  const count = (): number => served.server.connections.size
  while (count() > 0) await new Promise((done) => { setImmediate(done) })
  await served.close()
  return served.logs.filter((text) => text.includes('closed a connection'))
}

function bytesOf(inputs: FuzzInputs): Uint8Array {
  const text = new TextEncoder().encode(inputs.next())
  const frame = new Uint8Array(4 + text.length)
  const length = inputs.below(10) === 0 ? inputs.below(2_000_000) : text.length
  new DataView(frame.buffer).setUint32(0, (length | (inputs.below(20) === 0 ? 0 : 0x80000000)) >>> 0)
  frame.set(text, 4)
  return frame
}
