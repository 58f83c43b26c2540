// Serves a bundled day at a factor, at the ports of its arguments (0: free ones). usage: node test/peers/kill-server.mjs HTTP FEED SOCKET
import { openServing } from '../../dist/serve.js'

const [httpPort, feedPort, domainSocket] = process.argv.slice(2)
const served = await openServing({
  data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst', 'datasets/synthetic_swap-XRPUSDT-2026-07-02.txt.zst'],
  from: '2026-07-01T23:55:00Z', to: '2026-07-02T00:05:00Z', httpPort: Number(httpPort), domainSocket,
  markets: { synthetic_swap: { feedPort: Number(feedPort) } }, keys: [{ key: 'k', markets: ['synthetic_swap'], days: 'always' }],
  accounts: { paper: { exchange: 'synthetic_swap', balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } } },
  assumptions: { requestLatency: '10ms', responseLatency: '10ms' }, replay: { speed: 20 },
})
process.send(served.addresses)
await served.run()
await served.close()
process.exit()
