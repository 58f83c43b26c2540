// A process that runs commands one after another, as its parent asks for them: Node starts and loads the program once.
// Its output goes where that of a command goes; a line of its own ends each on both streams.
import { pathToFileURL } from 'node:url'

const [, , program, end] = process.argv
const { main } = await import(pathToFileURL(program).href)
const own = { ...process.env }
// Each command listens once more, for its process ends with it as a rule.
for (const one of [process, process.stdin, process.stdout, process.stderr]) one.setMaxListeners(0)
const written = (stream) => new Promise((done) => { stream.write(end, done) })

process.on('message', async ({ args, cwd, env }) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, own, env)
  process.exitCode = undefined
  const code = await main(args)
  await Promise.all([written(process.stdout), written(process.stderr)])
  process.send({ code: process.exitCode ?? code })
})
process.on('disconnect', () => process.exit(0))
process.send('ready')
