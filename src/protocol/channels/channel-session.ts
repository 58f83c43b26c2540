import type { JsonObject } from '../../model/json-object.js'
import { CHANNEL_MESSAGE_BYTES_MAX, CHANNEL_NAME_MAX } from '../../venue/channels.js'
import { wireObject } from '../wire-json.js'

/** The path of the channels of a strategy server (spec 3, "Versioning"). */
export const CHANNELS_PATH = '/ws/v1'

/** Longest frame of a client in bytes: our choice. A message and the escapes of its JSON have to fit. */
export const CHANNEL_FRAME_BYTES_MAX: number = 2 * CHANNEL_MESSAGE_BYTES_MAX

/** The errors that spec 3 shows. */
const CHANNEL_ERRORS = {
  loggedInAlready: 'already logged in', notLoggedIn: 'not logged in', invalidJson: 'invalid json',
} as const

/** The operations of a client, and the field that names what each is of. */
const SUBJECTS = { login: 'origin', subscribe: 'channel', unsubscribe: 'channel', publish: 'channel' } as const

type Operation = keyof typeof SUBJECTS

/** The channels behind a session. Each may answer with the sentence that refuses it; null: it has been done. */
export interface ChannelSessionHost {
  /** Takes an origin for this client, which is then its own. */
  logIn(origin: string): string | null
  /** From now on the messages of a channel come to this client; asking again succeeds. */
  subscribe(channel: string): string | null
  /** Ends that; what was not subscribed succeeds too. */
  unsubscribe(channel: string): void
  /** Publishes a message of this client. */
  publish(channel: string, message: string): string | null
  /** Sends a text frame. */
  send(text: string): void
}

function isOperation(op: unknown): op is Operation {
  return typeof op === 'string' && Object.hasOwn(SUBJECTS, op)
}

/** The sentence that refuses a name of a channel, or an origin; null where it is one. */
function nameFault(field: string, value: unknown): string | null {
  if (typeof value === 'string' && value.length > 0 && value.length <= CHANNEL_NAME_MAX) return null
  return `${field} must be a text of 1 to ${CHANNEL_NAME_MAX} characters`
}

function messageFault(message: unknown): string | null {
  const fault = `message must be a text of at most ${CHANNEL_MESSAGE_BYTES_MAX} bytes`
  if (typeof message !== 'string') return fault
  if (message.length * 3 <= CHANNEL_MESSAGE_BYTES_MAX) return null
  return new TextEncoder().encode(message).length <= CHANNEL_MESSAGE_BYTES_MAX ? null : fault
}

/**
 * One client of the channels of a strategy server (spec 3, "WebSocket"): a state machine without a socket. Frames come
 * in by {@link receive}, texts go out by the host's `send`, in their order. What spec 3 does not show is our choice:
 * a malformed field is answered under its operation, an unknown operation and a binary frame by `op: error`.
 *
 * @example
 * ```ts
 * import { ChannelSession } from './channel-session.js'
 * const sent: string[] = []
 * const session = new ChannelSession({
 *   logIn: () => null, subscribe: () => null, unsubscribe: () => {}, publish: () => null,
 *   send: (text) => { sent.push(text) },
 * })
 * session.receive('{"op":"login","origin":"desk"}') // sent: {"op":"login","origin":"desk","result":"succeed"}
 * ```
 */
export class ChannelSession {
  #hasLoggedIn = false

  constructor(private readonly host: ChannelSessionHost) {}

  /** True from its login on. */
  get hasLoggedIn(): boolean {
    return this.#hasLoggedIn
  }

  /** A text frame of the client. */
  receive(text: string): void {
    const message = wireObject(text)
    if (message === null) return this.#send({ op: 'error', error: CHANNEL_ERRORS.invalidJson })
    const { op, channel } = message
    if (!isOperation(op)) {
      const named = typeof channel === 'string' ? { channel } : {}
      // Any other operation than a login comes too early: spec 3 has no exception.
      const error = typeof op === 'string' && !this.#hasLoggedIn ? CHANNEL_ERRORS.notLoggedIn
        : `op must be one of ${Object.keys(SUBJECTS).join(', ')}`
      return this.#send({ op: 'error', ...named, error })
    }
    const subject = SUBJECTS[op]
    const error = this.#handle(op, message, message[subject])
    const answer = typeof message[subject] === 'string' ? { op, [subject]: message[subject] } : { op }
    if (error !== null) return this.#send({ ...answer, error })
    if (op !== 'publish') this.#send({ ...answer, result: 'succeed' })
  }

  /** A binary frame of the client. */
  receiveBinary(): void {
    this.#send({ op: 'error', error: 'a frame must be a text' })
  }

  #handle(op: Operation, message: JsonObject, subject: unknown): string | null {
    if (op !== 'login' && !this.#hasLoggedIn) return CHANNEL_ERRORS.notLoggedIn
    if (op === 'login' && this.#hasLoggedIn) return CHANNEL_ERRORS.loggedInAlready
    const fault = nameFault(SUBJECTS[op], subject)
    if (fault !== null) return fault
    const name = subject as string
    switch (op) {
      case 'login': return this.#logIn(name)
      case 'subscribe': return this.host.subscribe(name)
      case 'unsubscribe':
        this.host.unsubscribe(name)
        return null
      case 'publish': return messageFault(message['message']) ?? this.host.publish(name, message['message'] as string)
    }
  }

  #logIn(origin: string): string | null {
    const refusal = this.host.logIn(origin)
    this.#hasLoggedIn = refusal === null
    return refusal
  }

  #send(answer: object): void {
    this.host.send(JSON.stringify(answer))
  }
}

/** The frame of a message for the subscribers of its channel. */
export function eventText(channel: string, origin: string, message: string): string {
  return JSON.stringify({ op: 'event', channel, origin, message })
}
