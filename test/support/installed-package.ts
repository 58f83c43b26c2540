import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** What of the package a program needs when it runs. */
const PARTS = ['bin', 'datasets', 'lib', 'package.json', 'profiles', 'schemas']

/** Packages that an installation lacks: they are not there, or what is there lacks its program for this platform. */
export interface Lacking {
  readonly packages?: readonly string[]
  readonly programs?: readonly string[]
}

/** Puts a copy of the package, our dependencies beside it, into the `node_modules` of a folder; says where its entry lies. */
export function installPackage(folder: string, { packages = [], programs = [] }: Lacking = {}): string {
  const installed = join(folder, 'node_modules/backtape')
  mkdirSync(installed, { recursive: true })
  for (const part of PARTS) if (existsSync(join(root, part))) cpSync(join(root, part), join(installed, part), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    if (packages.includes(name) || programs.includes(name)) continue
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
  // A copy finds what lies beside it, which is nothing.
  for (const name of programs) cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  return join(installed, 'lib/index.js')
}

/** Writes files of a project, objects as JSON. */
export function writeProject(folder: string, files: Readonly<Record<string, string | object>>): void {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}
