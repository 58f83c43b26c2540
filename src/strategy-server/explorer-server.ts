import type { IncomingMessage, ServerResponse } from 'node:http'
import { policyHeader } from '../web/answer-headers.js'
import { passBody } from '../web/request-body.js'
import { requestPath } from '../web/request-url.js'
import { isExplorerFile, readExplorerFile } from './explorer-files-reader.js'
import { loginPage } from './login-page.js'
import { EXPLORER_POLICY, EXPLORER_SCRIPT, EXPLORER_STYLE, explorerHtml } from './explorer-html.js'
import type { ServerAccess } from './server-access.js'

const FOLDER = '/explorer/'

interface Content {
  readonly media: string
  readonly body: string | Uint8Array
}

/** The explorer of a strategy server: its page and the files of that. */
export class Explorer {
  /** `links` are those of the bar on top, by their paths. */
  constructor(
    private readonly access: ServerAccess, private readonly links: readonly (readonly [path: string, words: string])[],
    private readonly onNote: (sentence: string) => void,
  ) {}

  /** Answers a request of one of its paths; false: the path is of another part of the server. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    const path = requestPath(request.url ?? '')
    if (path !== '/' && !path.startsWith(FOLDER)) return false
    void this.#answer(request, response, path).catch((error: unknown) => {
      this.onNote(`explorer: ${path} failed: ${error instanceof Error ? error.message : String(error)}`)
      response.destroy()
    })
    return true
  }

  async #answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    await passBody(request)
    const refusal = this.access.pageRefusal(request)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const content = refusal === null && isRead ? await this.#content(path) : null
    if (refusal?.status === 401 && path === '/' && isRead) {
      const { status, text, headers } = loginPage(path, { status: 401 })
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
      response.end(request.method === 'HEAD' ? undefined : text)
    } else if (refusal !== null) end(response, refusal.status, { media: 'text/plain', body: refusal.sentence })
    else if (!isRead) end(response, 405, { media: 'text/plain', body: 'GET alone' })
    else if (content === null) end(response, 404, { media: 'text/plain', body: 'no such page' })
    else end(response, 200, content)
  }

  async #content(path: string): Promise<Content | null> {
    const name = path.slice(FOLDER.length)
    if (path === '/') return { media: 'text/html', body: explorerHtml(this.links) }
    if (name === 'explorer.js') return { media: 'text/javascript', body: EXPLORER_SCRIPT }
    if (name === 'explorer.css') return { media: 'text/css', body: EXPLORER_STYLE }
    if (!isExplorerFile(name)) return null
    return { media: name.endsWith('.js') ? 'text/javascript' : 'text/css', body: await readExplorerFile(name) }
  }
}

function end(response: ServerResponse, status: number, { media, body }: Content): void {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  response.writeHead(status, {
    'content-type': `${media}; charset=utf-8`, 'content-length': bytes.length, ...policyHeader(EXPLORER_POLICY),
  })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}
