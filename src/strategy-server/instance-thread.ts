import type { MessagePort } from 'node:worker_threads'
import type { LiveLook } from '../panels/live-look.js'
import type { MessageRecord, SentMessage } from '../venue/channels.js'
import type { InstanceEnd, InstanceOrder, InstanceProgress } from './instance-run.js'

/** Places of the words that both threads of an instance see. */
export const WORDS = {
  /** The number of the callback at hand, or less than 0 after it: the other thread sees one that does not end. */
  callback: 0,
  /** Rises as long as the thread gets to do anything else than calling the strategy back. */
  alive: 1,
  /** Rises when the thread has mail, and from time to time: it ends its turn then. */
  call: 2,
  /** Messages in the mail that the thread has not taken yet, and their characters. */
  waitingCount: 3,
  waitingLength: 4,
  /** Characters that the thread has said and the other one has not taken: it waits while they are too many. */
  said: 5,
} as const

/** Bytes of those words. */
export const WORD_BYTES = 32

/** Name of the file that says how a run has ended. */
export const RESULT_FILE = 'result.json'

/** Characters that a thread may be ahead of the one that takes its words. */
export const SAID_LENGTH_MAX = 8_388_608

/** Everything that a thread begins with. */
export interface InstanceStart {
  readonly order: InstanceOrder
  readonly words: SharedArrayBuffer
  /** Its mail. */
  readonly port: MessagePort
}

/** Mail of a thread. */
export type InstanceMail =
  | { readonly type: 'message', readonly channel: string, readonly message: SentMessage }
  | { readonly type: 'stop', readonly cancelOrders: boolean }
  | { readonly type: 'look' }
  | { readonly type: 'unlook' }
  | { readonly type: 'over' }

/** The words of a thread. */
export type InstanceWord =
  | { readonly type: 'running' }
  | { readonly type: 'opened', readonly channel: string }
  | {
    readonly type: 'published', readonly channel: string, readonly message: string,
    readonly record: MessageRecord | undefined
  }
  | { readonly type: 'logged', readonly timeNs: bigint, readonly level: 'log' | 'warning', readonly text: string }
  | { readonly type: 'progress', readonly progress: InstanceProgress }
  | { readonly type: 'look', readonly look: LiveLook }
  | { readonly type: 'ended', readonly end: InstanceEnd }

/** Characters of a message, those of its key and headers among them. */
export function messageLength({ message, record }: Pick<SentMessage, 'message'> & {
  readonly record?: MessageRecord | undefined
}): number {
  if (record === undefined) return message.length
  const { key, headers } = record
  return [message, key ?? '', ...Object.entries(headers).flat()].reduce((sum, { length }) => sum + length, 0)
}

/** Characters of a word of which there may be many; 0 of any other. */
export function lengthOfWord(word: InstanceWord): number {
  switch (word.type) {
    case 'opened': return word.channel.length
    case 'published': return word.channel.length + messageLength(word)
    case 'logged': return word.text.length
    default: return 0
  }
}
