import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RestTables } from '../../protocol/rest/rest-tables.js'
import { passBody } from '../request-body.js'
import type { RestReply, SentReply, TextReply } from './rest-reply.js'
import { refusal, RestRefusal } from './rest-refusal.js'
import { JSON_MEDIA } from './route-table.js'

/**
 * Sends the answer of a handler. Throws the refusal of one that refuses, and what other means failed with: that has
 * been answered already.
 */
export async function sendReply(
  tables: RestTables, request: FastifyRequest, reply: FastifyReply, answer: RestReply,
): Promise<void> {
  switch (answer.kind) {
    case 'refusal': throw new RestRefusal(tables, answer)
    case 'sent': return sendByOthers(tables, request, reply, answer)
    case 'empty':
      void reply.code(204).send()
      return
    case 'text':
      if (answer.headers !== undefined) reply.headers(answer.headers)
      sendWhole(reply, answer.status, answer.media, Buffer.from(answer.text))
      return
    default:
      if (answer.status === 202) reply.header('retry-after', String(tables.limits['retrySeconds']?.value ?? 1))
      sendWhole(reply, answer.status, JSON_MEDIA, Buffer.from(JSON.stringify(answer.body)))
  }
}

/** Sends a refusal; `page` is that of a route that is one. */
export function sendRefusal(reply: FastifyReply, error: RestRefusal, page: TextReply | null): void {
  reply.headers(error.reply.headers ?? {})
  if (page === null) sendWhole(reply, error.statusCode, JSON_MEDIA, Buffer.from(JSON.stringify(error.body())))
  else sendWhole(reply.headers(page.headers ?? {}), page.status, page.media, Buffer.from(page.text))
}

/** Bytes are sent as they are: Fastify neither changes them nor the words of their headers. */
function sendWhole(reply: FastifyReply, status: number, media: string, body: Buffer): void {
  const isText = media.startsWith('text/') && !media.includes(';')
  void reply.code(status).header('content-type', isText ? `${media}; charset=utf-8` : media).send(body)
}

async function sendByOthers(
  tables: RestTables, request: FastifyRequest, reply: FastifyReply, answer: SentReply,
): Promise<void> {
  await passBody(request.raw)
  reply.hijack()
  try {
    await answer.send(request.raw, reply.raw)
  } catch (error) {
    // Behind the first byte the connection has been cut.
    if (!reply.raw.headersSent) {
      const failed = refusal(tables, 'failed')
      const body = Buffer.from(JSON.stringify(failed.body()))
      reply.raw.writeHead(failed.statusCode, { 'content-type': JSON_MEDIA, 'content-length': body.length }).end(body)
    }
    throw error
  }
}
