import type { Fault } from '../../model/fault.js'
import { entryOf, type OwnRefusal, type RestTables } from '../../protocol/rest/rest-tables.js'
import type { RefusalReply } from './rest-reply.js'

/** Thrown where a request is refused: the server answers with its status, its headers and its body. */
export class RestRefusal extends Error {
  /** Fastify reads it too. */
  readonly statusCode: number
  readonly #code: string | undefined

  constructor({ errors }: Pick<RestTables, 'errors'>, readonly reply: RefusalReply) {
    const { status, code, sentence } = entryOf(errors, reply.error)
    super(reply.message ?? sentence)
    this.statusCode = status
    this.#code = code
  }

  /** The object of the answer: `{error: {code, message, details}}`, without what the table does not have. */
  body(): object {
    const code = this.#code
    const { details } = this.reply
    return {
      error: {
        ...code === undefined ? {} : { code }, message: this.message, ...details === undefined ? {} : { details },
      },
    }
  }
}

/** The refusal of a table's entry. */
export function refusal(
  tables: Pick<RestTables, 'errors'>, error: OwnRefusal, headers: Readonly<Record<string, string>> = {},
): RestRefusal {
  return new RestRefusal(tables, { kind: 'refusal', error, headers })
}

/** The reply to fields that do not fit; `whole` is named where the fault is of it as a whole: `the body`. */
export function faultReply<ErrorName extends string>(
  error: ErrorName, { path, expected, found }: Fault, whole: string,
): RefusalReply<ErrorName> {
  const message = `${path === '' ? whole : path} must be ${expected}, found ${found}`
  return { kind: 'refusal', error, message, details: { field: path, expected, found } }
}

/** The refusal of a request that cannot be read. */
export function unreadable(tables: Pick<RestTables, 'errors'>, fault: Fault, whole: string): RestRefusal {
  return new RestRefusal(tables, faultReply('invalidInput', fault, whole))
}

/** The refusal of fields that do not fit. */
export function unfit(tables: Pick<RestTables, 'errors'>, fault: Fault, whole: string): RestRefusal {
  const reply = faultReply('invalidInput', fault, whole)
  const isOwn = Object.hasOwn(tables.errors, 'invalidFields')
  return new RestRefusal(tables, isOwn ? { ...reply, error: 'invalidFields', details: { faults: [fault] } } : reply)
}
