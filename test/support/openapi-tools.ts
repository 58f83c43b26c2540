import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './new-folder.ts'

const cache = join(import.meta.dirname, '../../.cache/openapi')
const TOOLS = JSON.stringify({ schemathesis: '4.32.5', redocly: '2.77.0' })

/** The program of schemathesis, once {@link installTools} has resolved. */
export const schemathesisProgram = join(cache, 'venv/bin/schemathesis')

async function run(command: string, args: readonly string[], cwd: string): Promise<{ readonly code: number | null, readonly text: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => { text += chunk.toString('utf8') })
  return new Promise((resolve) => {
    child.on('error', (error) => { resolve({ code: null, text: String(error) }) })
    child.on('close', (code) => { resolve({ code, text }) })
  })
}

/** Runs a program to its end. Throws what it printed where it failed. */
export async function done(command: string, args: readonly string[], cwd = cache): Promise<void> {
  const { code, text } = await run(command, args, cwd)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${text.slice(-60_000)}`)
}

/** Installs the tools into .cache/openapi, unless they are there. */
export async function installTools(): Promise<void> {
  const mark = join(cache, 'tools')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === TOOLS) return
  mkdirSync(cache, { recursive: true })
  const { schemathesis, redocly } = JSON.parse(TOOLS) as Record<string, string>
  await done('python3', ['-m', 'venv', 'venv'])
  await done(join(cache, 'venv/bin/pip'), ['install', '-q', '--disable-pip-version-check', `schemathesis==${schemathesis!}`])
  await done('npm', ['install', '--prefix', cache, '--no-audit', '--no-fund', '--silent', `@redocly/cli@${redocly!}`])
  writeFileSync(mark, TOOLS)
}

/** What redocly has against a document; null: nothing. */
export async function redoclyFaults(document: string): Promise<string | null> {
  const folder = newFolder()
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\nrules: { security-defined: off, tag-description: off, info-license: off, operation-2xx-response: off }\n')
  writeFileSync(join(folder, 'openapi.json'), document)
  const { code, text } = await run(join(cache, 'node_modules/.bin/redocly'), ['lint', '--config', 'redocly.yaml', 'openapi.json'], folder)
  return code === 0 && !/\d+ warnings?/.test(text) && text.includes('valid') ? null : text
}
