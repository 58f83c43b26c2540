import type { IncomingHttpHeaders } from 'node:http'
import { bearerOf, isSameToken } from '../web/bearer-token.js'
import { foreignRequest, isLoopback } from '../web/http-hosts.js'
import type { RefusalReply } from '../web/rest/rest-reply.js'
import type { HandshakeRefusal } from './socket-server.js'
import type { StrategyErrorName } from '../protocol/strategies/strategy-errors.js'

/** Access to a server: by an address or `localhost`, from no other page, and with the token if it has one. */
export class ServerAccess {
  /** Hosts that a request may name. */
  readonly hosts: 'address' | 'loopback'

  /** `token`: null where there is none. */
  constructor(host: string, private readonly token: string | null) {
    this.hosts = isLoopback(host) ? 'loopback' : 'address'
  }

  /** True where requests need a token. */
  get hasToken(): boolean {
    return this.token !== null
  }

  /** The refusal of a request without the token; null: it has it. */
  tokenRefusal(
    { authorization }: { readonly authorization?: string | undefined },
  ): RefusalReply<StrategyErrorName> | null {
    if (this.token === null || isSameToken(bearerOf({ authorization }) ?? '', this.token)) return null
    return { kind: 'refusal', error: 'noToken', headers: { 'www-authenticate': 'Bearer' } }
  }

  /** The refusal of a handshake; null: it has access. */
  handshakeRefusal(headers: IncomingHttpHeaders): HandshakeRefusal | null {
    const foreign = foreignRequest(headers, this.hosts)
    if (foreign !== null) return { status: 403, sentence: foreign }
    return this.tokenRefusal(headers) === null ? null : { status: 401, sentence: 'no token' }
  }
}
