import type { FastifyReply, FastifyRequest } from 'fastify'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { passBody } from '../../web/request-body.js'
import { sendSegments } from '../server/segments-writer.js'
import type { BytesReply, ShopReply } from '../server/shop-reply.js'
import { refusalPage } from '../pages/shop-page.js'
import { JSON_MEDIA } from './route-table.js'
import { refusal, ShopRefusal } from './shop-refusal.js'

/**
 * Sends the answer of a handler. Throws the refusal of one that refuses, and what bytes failed with: that has been
 * answered already.
 */
export async function sendReply(request: FastifyRequest, reply: FastifyReply, answer: ShopReply): Promise<void> {
  switch (answer.kind) {
    case 'refusal': throw new ShopRefusal(answer)
    case 'bytes': return sendBytes(request, reply, answer)
    case 'text':
      if (answer.headers !== undefined) reply.headers(answer.headers)
      sendWhole(reply, answer.status, answer.media, Buffer.from(answer.text))
      return
    default:
      if (answer.status === 202) reply.header('retry-after', String(SHOP.limits.retrySeconds.value))
      sendWhole(reply, answer.status, JSON_MEDIA, Buffer.from(JSON.stringify(answer.body)))
  }
}

/** Sends a refusal, as a page where the route is one. */
export function sendRefusal(reply: FastifyReply, error: ShopRefusal, isPage: boolean): void {
  reply.headers(error.headers)
  const page = isPage ? refusalPage(error.statusCode, error.message) : null
  if (page === null) sendWhole(reply, error.statusCode, JSON_MEDIA, Buffer.from(JSON.stringify(error.body())))
  else sendWhole(reply.headers(page.headers ?? {}), page.status, page.media, Buffer.from(page.text))
}

/** Bytes are sent as they are: Fastify neither changes them nor the words of their headers. */
function sendWhole(reply: FastifyReply, status: number, media: string, body: Buffer): void {
  const isText = media.startsWith('text/') && !media.includes(';')
  void reply.code(status).header('content-type', isText ? `${media}; charset=utf-8` : media).send(body)
}

async function sendBytes(request: FastifyRequest, reply: FastifyReply, answer: BytesReply): Promise<void> {
  await passBody(request.raw)
  reply.hijack()
  const name = answer.fileName.replace(/[^\w.-]/g, '_')
  const headers = { 'content-type': answer.media, 'content-disposition': `attachment; filename="${name}"` }
  try {
    await sendSegments(request.raw, reply.raw, answer.segments, { headers })
  } catch (error) {
    // Behind the first byte the connection has been cut.
    if (!reply.raw.headersSent) {
      const failed = refusal('failed')
      const body = Buffer.from(JSON.stringify(failed.body()))
      reply.raw.writeHead(failed.statusCode, { 'content-type': JSON_MEDIA, 'content-length': body.length }).end(body)
    }
    throw error
  }
}
