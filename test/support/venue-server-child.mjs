// Opens a strategy server of the configuration that is its argument, and writes its address as a line: until it is
// killed, or its standard input ends.
import { openStrategyServer } from '../../dist/strategy-server/strategy-server.js'

const server = await openStrategyServer({
  ...JSON.parse(process.argv[2] ?? ''), onNote: (sentence) => { process.stderr.write(`${sentence}\n`) },
})
process.stdout.write(`${server.url}\n`)
process.stdin.on('end', () => { void server.close() }).resume()
