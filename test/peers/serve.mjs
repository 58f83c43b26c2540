// Serves one recorded day whole, margins included, until its end, and writes its addresses to standard output.
// usage: node test/peers/serve.mjs DAY SOCKET SPEED
import { openServing } from '../../dist/serve.js'

const [day, domainSocket, speed] = process.argv.slice(2)
const served = await openServing({
  data: [day], trim: 'none', httpPort: 0, domainSocket,
  account: { balances: /BTCUSD_PERP/.test(day) ? { BTC: '100' } : { USDT: '1000000' }, fees: { maker: '0.0002', taker: '0.0005' } },
  assumptions: { requestLatency: '5ms', responseLatency: '5ms' },
  replay: { speed: speed === 'max' ? 'max' : Number(speed) },
})
console.log(JSON.stringify(served.addresses))
process.stdin.on('end', () => { void served.close() }).resume()
await served.run()
await served.close()
process.stdin.destroy()
