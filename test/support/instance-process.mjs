// Runs an instance, whose order is the argument, and sends it messages: until it is killed.
import { startInstance } from '../../dist/strategy-server/instance-thread-client.js'

const nothing = () => undefined
let count = 0
const run = startInstance(JSON.parse(process.argv[2] ?? ''), {
  running: () => {
    process.stdout.write('running\n')
    setInterval(() => run.receive('desk', { origin: 'wire', message: `${count++}` }), 5)
  },
  opened: nothing, published: nothing, progressed: nothing, logged: nothing,
  ended: () => { process.exit(0) },
})
