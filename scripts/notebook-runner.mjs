// Executes notebooks in a real Jupyter and renders them to HTML. Jupyter (nbconvert) and the kernel are installed into
// .cache/jupyter, the kernel as `npm install --global` does it; nothing outside of the project is changed.
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from './project.mjs'

const PYTHON_PACKAGES = ['nbconvert==7.17.2', 'nbclient==0.11.0']
const KERNELS = {
  tslab: {
    package: 'tslab@1.0.22',
    argv: (modules) => (
      [process.execPath, join(modules, 'tslab/bin/tslab'), 'kernel', '--config-path', '{connection_file}']
    ),
  },
  deno: {
    package: 'deno@2.9.6',
    argv: (modules) => [join(modules, 'deno/deno'), 'jupyter', '--kernel', '--conn', '{connection_file}'],
  },
}
/** The longest that one cell may take, seconds. */
const CELL_LIMIT = 120
const cache = join(root, '.cache/jupyter')

/** The kernels that notebooks run in, the one they are written for first. */
export const kernelNames = Object.keys(KERNELS)

/** The notebooks of the project in their order, as names without folder and ending. */
export function notebookNames() {
  return readdirSync(join(root, 'notebooks')).filter((name) => name.endsWith('.ipynb')).sort()
    .map((name) => name.slice(0, -'.ipynb'.length))
}

function once(stamp, wanted, make) {
  const file = join(cache, stamp)
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return
  mkdirSync(cache, { recursive: true })
  make()
  writeFileSync(file, wanted)
}

function tryCommand(command, args, failure) {
  const done = spawnSync(command, args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${failure}: ${done.error?.message ?? done.stderr}`)
}

/** Installs Jupyter where it is missing: `.cache/jupyter/venv`. */
export function installJupyter() {
  once('ok-python', PYTHON_PACKAGES.join(' '), () => {
    rmSync(join(cache, 'venv'), { recursive: true, force: true })
    tryCommand('python3', ['-m', 'venv', join(cache, 'venv')], 'Python cannot make an environment (python3-venv)')
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-compile', ...PYTHON_PACKAGES]
    tryCommand(join(cache, 'venv/bin/python'), pip, 'nbconvert could not be installed')
  })
}

function installKernel(kernel) {
  const { package: wanted, argv } = KERNELS[kernel]
  const prefix = join(cache, kernel)
  once(`ok-${kernel}`, `${wanted} ${process.execPath} ${root}`, () => {
    const args = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--silent', wanted]
    tryCommand('npm', args, `${wanted} could not be installed`)
    const folder = join(cache, 'kernels', kernel)
    mkdirSync(folder, { recursive: true })
    const spec = { argv: argv(join(prefix, 'lib/node_modules')), display_name: kernel, language: 'typescript' }
    writeFileSync(join(folder, 'kernel.json'), JSON.stringify(spec))
  })
}

/** The parts of the package that its users load. */
const PARTS = ['datasets', 'dist', 'lib', 'package.json', 'profiles', 'schemas']

/**
 * A new folder in which notebooks run as in a project where the package is installed: `notebooks/` and `datasets/` side
 * by side, the package and its dependencies in `node_modules`. The package is a copy, as the kernel's compiler names
 * types by the paths of their files, and those of a link lie elsewhere. The caller removes the folder.
 */
export function makeWorkFolder() {
  const work = mkdtempSync(join(tmpdir(), 'backtape notebooks '))
  const modules = join(work, 'node_modules')
  mkdirSync(join(modules, 'backtape'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  for (const part of PARTS) cpSync(join(root, part), join(modules, 'backtape', part), { recursive: true })
  for (const part of ['datasets', 'notebooks']) cpSync(join(root, part), join(work, part), { recursive: true })
  writeFileSync(join(work, 'package.json'), '{ "private": true }\n')
  return work
}

/** The text of a failed cell and its error, without the stack of Jupyter's own Python. */
function failureText(text) {
  const at = text.lastIndexOf('CellExecutionError')
  const lines = (at < 0 ? text : text.slice(at)).trim().split('\n')
  return lines.slice(at < 0 ? -15 : 1).join('\n')
}

/** Installs Jupyter and a kernel where they are missing. */
export function installNotebookTools(kernel = 'tslab') {
  installJupyter()
  installKernel(kernel)
}

/**
 * Executes the notebook at a path, in its folder, and writes into the folder `out` its page (`html`) or itself with its
 * outputs (`notebook`): null when every cell ran, else what went wrong.
 */
export function executeNotebook({ path, out, kernel = 'tslab', to = 'html' }) {
  const config = (folder) => join(cache, folder)
  const env = {
    ...process.env, JUPYTER_PATH: cache, JUPYTER_CONFIG_DIR: config('config'), JUPYTER_DATA_DIR: config('data'),
    JUPYTER_RUNTIME_DIR: config('runtime'), IPYTHONDIR: config('ipython'),
  }
  const template = [
    `--TemplateExporter.extra_template_basedirs=${join(root, 'scripts/notebook-pages')}`, '--template', 'offline',
  ]
  const args = [
    join(cache, 'venv/bin/jupyter-nbconvert'), '--to', to, '--execute',
    `--ExecutePreprocessor.kernel_name=${kernel}`, `--ExecutePreprocessor.timeout=${CELL_LIMIT}`,
    ...to === 'html' ? template : [], '--output-dir', out, path,
  ]
  return new Promise((resolve) => {
    const child = spawn(join(cache, 'venv/bin/python'), args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (piece) => { text += piece })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) => resolve(code === 0 ? null : failureText(text)))
  })
}

/**
 * Runs notebooks, two at a time, and renders each to `NAME.html` in `out`. Returns a row for each in their order:
 * `{ name, page, failure, seconds }`, where `failure` is null or what the failed cell and its error say.
 */
export async function runNotebooks(names, { out, kernel = 'tslab', jobs = 2, onDone = () => {} }) {
  installNotebookTools(kernel)
  mkdirSync(out, { recursive: true })
  const work = makeWorkFolder()
  const rows = new Map()
  const waiting = [...names]
  const job = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const begin = performance.now()
      const failure = await executeNotebook({ path: join(work, 'notebooks', `${name}.ipynb`), kernel, out })
      const row = { name, page: join(out, `${name}.html`), failure, seconds: (performance.now() - begin) / 1000 }
      rows.set(name, row)
      onDone(row)
    }
  }
  try {
    await Promise.all(Array.from({ length: jobs }, job))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return names.map((name) => rows.get(name))
}

/** The text of a notebook as it is kept: without outputs and counts, keys in order, one line of source a line. */
export function cleanNotebook(text) {
  const { cells, metadata: { kernelspec, language_info }, nbformat, nbformat_minor } = JSON.parse(text)
  const kept = cells.map(({ cell_type, id, source }) => ({
    cell_type,
    ...cell_type === 'code' ? { execution_count: null } : {},
    id,
    metadata: {},
    ...cell_type === 'code' ? { outputs: [] } : {},
    source: [source].flat().join('').split(/(?<=\n)/),
  }))
  const whole = { cells: kept, metadata: { kernelspec, language_info }, nbformat, nbformat_minor }
  return `${JSON.stringify(whole, null, 1)}\n`
}

/** The path of a notebook of the project. */
export function notebookPath(name) {
  return join(root, 'notebooks', `${basename(name, '.ipynb')}.ipynb`)
}
