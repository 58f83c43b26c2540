// Writes the market measures of a day as one JSON object: day.mjs FILE
import { openTickFile } from '../../../dist/index.js'
import {
  basis, bookDepth, columnMean, effectiveSpread, fundingPayments, kyleLambda, latencyProfile, orderFlow, quotedSpread,
  quoteMeasures, realisedSpread, sampledVolatility, tradeMarkOuts, tradeSignAutocorrelation, twoScaleVolatility, vpin,
} from '../../../dist/measures.js'

const day = await openTickFile(process.argv[2])
const numbers = 'float64'
const tables = {}
for (const kind of ['trades', 'bbo', 'mark', 'index', 'funding']) tables[kind] = await day.table(kind, { numbers })
const { trades, bbo, mark, index, funding } = tables
const effective = effectiveSpread(trades, bbo)
const columns = (table) => Object.fromEntries(table.columns.map(({ name }) => [name, table.column(name)]))
const figures = {
  quotedSpread: quotedSpread(bbo), staleSpread: quotedSpread(bbo, { staleAfterMs: 50 }), quotes: columns(quoteMeasures(bbo)),
  effective: columns(effective), meanEffective: columnMean(effective, 'effective_bps', { weight: 'qty' }),
  realised: columns(realisedSpread(trades, bbo, '5s')), markOuts: columns(tradeMarkOuts(trades, bbo, ['100ms', '1s', '10s'])),
  flow: columns(orderFlow(bbo, '10s')), lambda: kyleLambda(trades, bbo, '5s'),
  signs: columns(tradeSignAutocorrelation(trades, 20)), vpin: columns(vpin(trades, { window: 20 })),
  volatility: sampledVolatility(bbo, '1s'), twoScales: twoScaleVolatility(bbo, '500ms', 20),
  latencies: columns(latencyProfile({ trades, bbo })),
  depth: columns(bookDepth(await day.bookTable({ everyMs: 5000, levels: 60 }), [1, 5])),
  ...(mark.rowCount === 0 ? {} : {
    basis: columns(basis(mark, index, { interval: '8h' })), midBasis: columns(basis(bbo, index)),
    funding: columns(fundingPayments(funding, mark)),
  }),
}
console.log(JSON.stringify(figures, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
