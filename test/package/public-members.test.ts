import { resolve } from 'node:path'
import typescript from 'typescript'
import { expect, test } from 'vitest'

const entries = ['index', 'columns'].map((name) => resolve(import.meta.dirname, `../../dist/${name}.d.ts`))

const DATA = 'id code exchangeCode entry view master marketDataState bestBid bestAsk book getLastTrades getLastLiquidations fundingRate markPrice indexPrice price quantity roundPrice stepPrice roundQuantity tickSizeAt'
const DECIMAL = 'integer scale toString toJSON toDecimal toNumber compare equals'

/** What an editor shows of every class that the package exports; statics stand behind the bar. A new member is a decision: write it down here. */
const MEMBERS: Readonly<Record<string, string>> = {
  Account: 'id exchangeCode state wallets available wallet cancelAllOrders',
  BacktapeError: 'name code place message stack cause',
  BookCursor: 'book timeNs isExhausted offer advanceTo nextTimeNs',
  BookSampler: 'book offer next finish',
  DataInstrument: DATA,
  DayBook: 'timestampNs suspect bids asks time toJSON',
  FixedDecimal: DECIMAL,
  MinuteBuilder: 'add finish',
  Order: 'ownOrderId instrumentId type side timeInForce postOnly clientOrderId exchangeOrderId state price totalQuantity executedQuantity context conditions discardReason lastError isDiscarded isOpen getLastFill cancel amend replace',
  OrderBook: 'priceScale quantityScale suspect bidLevelCount askLevelCount bestBidPrice bestAskPrice bestBidQuantity bestAskQuantity quantityAt deepestPrice copyLevels apply pass applyRange state restore rescale',
  Price: `${DECIMAL} | from`,
  Quantity: `${DECIMAL} | ZERO from`,
  RandomNumbers: 'bits uniform below exponential normal',
  Strategy: 'resuming now nowNs log every after cancelTimer stop subscribeInstrument subscribeTradingInstrument unsubscribeInstrument onStart onStop onMarketDataState onInstrumentSnapshot onInstrumentTopOfBook '
    + 'onInstrumentTrades onInstrumentLiquidations onInstrumentMarkPrice onInstrumentIndexPrice onInstrumentFundingRate onOrderUpdate onOrderError onOrderFill onOrderFillUpdate onInstrumentPosition onOrderEntryState '
    + 'onAccountCancelAllOrdersResponse saveState restoreState',
  TickDay: 'name fileName instrument underlyings day epochDay isRepeatable summary batches events bookAt books minutes epochNs close',
  TradingInstrument: `account openOrders position netTraded isSpot placeOrder ${DATA}`,
}

/** What a strategy may read and never write. */
const READONLY_OF = ['Account', 'DataInstrument', 'Order', 'TradingInstrument']

const program = typescript.createProgram(entries, {
  target: typescript.ScriptTarget.ES2022, module: typescript.ModuleKind.NodeNext, moduleResolution: typescript.ModuleResolutionKind.NodeNext, strict: true, types: [],
})
const checker = program.getTypeChecker()

function exportedNames(entry: string): typescript.Symbol[] {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!)
}

function exportedClasses(): typescript.Symbol[] {
  return entries.flatMap(exportedNames)
    .map((symbol) => (symbol.flags & typescript.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => symbol.flags & typescript.SymbolFlags.Class)
}

function flagsOf(member: typescript.Symbol): typescript.ModifierFlags {
  return typescript.getCombinedModifierFlags(member.valueDeclaration ?? member.declarations![0]!)
}

/** Members of instances that are neither private nor hidden. */
function membersOf(owner: typescript.Symbol): typescript.Symbol[] {
  const hidden = typescript.ModifierFlags.Private | typescript.ModifierFlags.Protected
  return checker.getDeclaredTypeOfSymbol(owner).getProperties().filter((member) => !/^(#|__)/.test(member.name) && (flagsOf(member) & hidden) === 0)
}

test('public classes show what their users may use, and nothing else', () => {
  const found = Object.fromEntries(exportedClasses().map((owner) => {
    const statics = [...(owner.exports?.keys() ?? [])].map(String).filter((name) => name !== 'prototype')
    const shown = [...new Set(membersOf(owner).map(({ name }) => name))].filter((name) => !name.startsWith('#'))
    return [owner.name, [shown.join(' '), statics.join(' ')].filter((part) => part !== '').join(' | ')]
  }))
  // Decimal is decimal.js's.
  delete found['Decimal']
  expect(found).toEqual(MEMBERS)
})

test('the root has few names, and no name has two entries', () => {
  const [root = [], columns = []] = entries.map((entry) => exportedNames(entry).map(({ name }) => name))
  expect(root.length).toBeLessThan(120)
  expect(columns.filter((name) => root.includes(name))).toEqual([])
})

test.each(READONLY_OF)('%s has no field that a strategy can write', (name) => {
  const owner = exportedClasses().find((one) => one.name === name)!
  const written = membersOf(owner).filter((member) => member.flags & typescript.SymbolFlags.Property && (flagsOf(member) & typescript.ModifierFlags.Readonly) === 0)
  expect(written.map((member) => member.name)).toEqual([])
})
