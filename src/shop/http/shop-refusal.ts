import type { Fault } from '../../model/fault.js'
import type { ShopError, ShopErrorName } from '../../protocol/shop/shop-errors.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { invalidInput as badInput } from '../server/shop-replies.js'
import type { RefusalReply } from '../server/shop-reply.js'

/** Thrown where a request is refused: the server answers with its status, its headers and its body. */
export class ShopRefusal extends Error {
  /** Fastify reads it too. */
  readonly statusCode: number

  /** `headers` are those of the table of errors: `allow` of a wrong method. */
  constructor(readonly reply: RefusalReply, readonly headers: Readonly<Record<string, string>> = {}) {
    super(reply.message ?? SHOP.errors[reply.error].sentence)
    this.statusCode = SHOP.errors[reply.error].status
  }

  /** The object of the answer: `{error: {code, message, details}}`, without what the table does not have. */
  body(): object {
    const { code }: ShopError = SHOP.errors[this.reply.error]
    const { details } = this.reply
    return {
      error: {
        ...code === undefined ? {} : { code }, message: this.message, ...details === undefined ? {} : { details },
      },
    }
  }
}

/** The refusal of a table's entry. */
export function refusal(error: ShopErrorName, headers: Readonly<Record<string, string>> = {}): ShopRefusal {
  return new ShopRefusal({ kind: 'refusal', error }, headers)
}

/** The refusal of bad input; `part` is named where the fault is of it as a whole: `the body`. */
export function invalidInput(fault: Fault, part: string): ShopRefusal {
  return new ShopRefusal(badInput(fault, part))
}
