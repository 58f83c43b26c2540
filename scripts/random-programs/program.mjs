// A program: made market data, accounts, venues, strategies, faults and assumptions, all of one seed.
import { Draws } from './draws.mjs'
import { fileBytes, KINDS, MarketMaker, masterLine } from './market.mjs'

const FAULT_ERRORS = ['HTTP_REQUEST_TIMEOUT', 'UNEXPECTED_RESPONSE', 'INSUFFICIENT_FUNDS']
const STATUSES = [
  'DISCONNECTED',
  'DISCONNECTED',
  'EXCHANGE_BUSY',
  'BLOCKED',
  'BANNED',
  'UNASSIGNED',
  'MANUAL_SHUTDOWN',
  'EMERGENCY_SHUTDOWN',
]
const CAPABILITIES = {
  amend: true,
  replace: true,
  cancelAll: true,
  closeOnly: true,
  reduceOnly: true,
  displayQuantity: true,
  orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED'],
  timeInForces: ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL'],
  walletTypes: ['ACCOUNT'],
  averageEntryPrice: true,
  positionUnrealizedPnl: true,
  liquidationPrice: true,
  cashBalance: true,
  walletUnrealizedPnl: true,
  availableBorrow: true,
  retryTime: true,
  spare: true,
}

function iso(timeNs) {
  return new Date(1_782_864_000_000 + Math.floor(timeNs / 1e6)).toISOString()
}

/** The instruments of a program: one to three, of one exchange or of two. */
function instrumentsOf(draws, endNs) {
  const group = draws.below(10)
  const kinds =
    group === 0
      ? ['prediction', 'prediction']
      : group < 4
        ? ['spot', 'spot', 'linear']
        : Object.keys(KINDS).filter((kind) => kind !== 'prediction')
  const [hasGaps, isSilent, isWild, isTwo] = [draws.once(2), draws.once(5), draws.once(2), draws.once(4)]
  return Array.from({ length: draws.one([1, 1, 2, 2, 3]) }, (_, at) => ({
    id: at + 1,
    code: at === 0 ? 'X1' : `Y${at + 1}`,
    kind: draws.one(kinds),
    exchange: isTwo && at > 0 ? 'other' : 'test',
    right: draws.one(['call', 'put']),
    minOrder: draws.one([null, null, '2']),
    hasGaps,
    isSilent,
    isWild,
    drift: draws.within(-1, 1),
    growsPrice: draws.once(4),
    growsQuantity: draws.once(5),
    // The minute of the contract's end, inside of the window or behind it.
    expiry: iso(draws.once(2) ? Math.floor(endNs / 1e9 - 3) * 1e9 : endNs + 86_400e9),
  }))
}

/** The files of one instrument: one, or two where the window crosses a midnight. */
function filesOf(draws, instrument, { startNs, endNs, midnightNs, isLong }) {
  const maker = new MarketMaker(new Draws(draws.bits()), instrument, startNs)
  const count = isLong ? 1200 : draws.once(10) ? draws.within(100, 200) : draws.within(25, 75)
  const name = (day) => `${instrument.exchange}-${instrument.code}-${day}.txt.zst`
  if (midnightNs === null) {
    maker.play(count, endNs)
    return [
      { name: name('2026-07-01'), bytes: fileBytes([masterLine(instrument), ...maker.lines.map(([, line]) => line)]) },
    ]
  }
  maker.play(count >> 1, midnightNs - 1_000_000_000)
  const from = maker.snapshotNow()
  maker.play(count >> 1, endNs)
  const terms = draws.one([
    {},
    {},
    { lot_size: KINDS[instrument.kind].lot[1] === 0 ? '2' : '0.2' },
    { state: 'closed' },
    { min_order: 3 },
  ])
  const texts = (lines) => lines.map(([, line]) => line)
  const first = maker.lines.filter(([timeNs]) => timeNs < midnightNs + (draws.once(2) ? 500_000_000 : 0))
  const second = {
    name: name('2026-07-02'),
    bytes: fileBytes([masterLine(instrument, terms), ...texts(maker.lines.slice(from))]),
  }
  const one = { name: name('2026-07-01'), bytes: fileBytes([masterLine(instrument), ...texts(first)]) }
  // A day that no file covers is a gap of its own.
  return draws.once(6) ? [one] : [one, second]
}

function marginOf(draws) {
  const bracket = (upTo, initialRate, maintenanceRate, deduction) => ({ upTo, initialRate, maintenanceRate, deduction })
  return {
    modes: draws.one([['cross'], ['isolated'], ['cross', 'isolated']]),
    brackets: [
      bracket('2000', '0.1', '0.05', '0'),
      bracket('8000', '0.2', '0.1', '100'),
      bracket(null, '0.5', '0.3', '1700'),
    ],
    ...(draws.once(2)
      ? { shortOptions: { initialRate: '0.15', minimumInitialRate: '0.1', maintenanceRate: '0.075' } }
      : {}),
    ...(draws.once(2) ? { liquidationFeeRate: '0.01' } : {}),
  }
}

function rateLimitsOf(draws) {
  return draws.one([
    [{ id: 'orders', windowMs: 500, tokens: { place: 3, amend: 2, replace: 2, cancel: 3 }, blockMs: 300, spare: 1 }],
    [
      { id: 'all', windowMs: 2000, tokens: { shared: 6 } },
      { id: 'place', windowMs: 200, tokens: { place: 2 } },
    ],
  ])
}

function profileOf(draws, kinds) {
  if (kinds.every((kind) => kind === 'prediction') && draws.once(2)) return 'polymarket'
  if (draws.once(8)) {
    if (kinds.every((kind) => kind === 'spot')) return 'bybit-spot'
    if (kinds.every((kind) => kind === 'linear')) return 'binance-usdt-perpetual'
    if (kinds.every((kind) => kind === 'inverse')) return 'binance-coin-perpetual'
    if (kinds.every((kind) => kind === 'option' || kind === 'coinOption')) return 'deribit-options'
  }
  if (draws.once(6)) return 'generic'
  const isSpot = kinds.includes('spot')
  const isMargined = !isSpot && !draws.once(3)
  return {
    name: 'drawn',
    kind: 'generic',
    capabilities: draws.once(6)
      ? { ...CAPABILITIES, [draws.one(['amend', 'replace', 'cancelAll', 'displayQuantity', 'spare'])]: false }
      : CAPABILITIES,
    orders: {
      triggerReferences: ['lastTrade', 'mark', 'index'],
      defaultTrigger: draws.one(['lastTrade', 'lastTrade', 'mark', 'index']),
      triggersAtArrival: draws.once(2),
      amendKeepsQueue: draws.one(['smallerQuantity', 'never']),
      closeOnlyCancelsOthers: draws.once(2),
      hiddenOrders: true,
    },
    limits: draws.once(4)
      ? draws.one([
          { priceBand: '0.02' },
          { maxOpenOrders: 3 },
          { minQuantity: '3', maxQuantity: '25' },
          { minValue: '20' },
        ])
      : {},
    rateLimits: draws.once(3) ? rateLimitsOf(draws) : [],
    messages: {
      fillOrder: draws.one(['fillFirst', 'updateFirst', 'seeded']),
      ...(draws.once(2) ? { lateFees: draws.one(['1ms', '300ms', '4s']), lateTradeId: draws.once(2) } : {}),
    },
    ...(isMargined ? { margin: marginOf(draws) } : {}),
    ...(isSpot && !draws.once(5)
      ? {
          borrowRates: { CASH: '0.1', COIN: '0.05' },
          ...(draws.once(3) ? { borrowLimits: { CASH: '5000', COIN: '20' } } : {}),
        }
      : {}),
    ...(draws.once(2) ? { settlement: { index: 'last', feeRate: '0.0002' } } : {}),
  }
}

function accountOf(draws, exchange, kinds, isTwo) {
  const balances = draws.one([
    { CASH: '900', COIN: '0.2', OTHER: '60' },
    { CASH: '1000000', COIN: '1000', OTHER: '100000' },
    { CASH: '3000', COIN: '3', OTHER: '500' },
    { CASH: '400', COIN: '0.4', OTHER: '60' },
  ])
  const fees = draws.one([
    { maker: '0.0002', taker: '0.0005' },
    { maker: '-0.0001', taker: { buy: '0.001', sell: '0.0007' } },
    { maker: '0.01', taker: '0.02', by: 'quantity', minimum: '0.03' },
    { maker: '0', taker: '0.5', by: 'fill' },
  ])
  return {
    balances,
    profile: profileOf(draws, kinds),
    ...(draws.once(5) ? {} : { fees }),
    ...(draws.once(3) ? { stopAtZero: false } : {}),
    ...(isTwo ? { exchange } : {}),
    ...(draws.once(5) ? { requestLatency: latencyOf(draws), responseLatency: latencyOf(draws) } : {}),
  }
}

function latencyOf(draws) {
  return draws.one([
    '0ns',
    '2ms',
    '10ms',
    '150ms',
    'uniform 1ms 20ms',
    'exponential 2ms 8ms',
    'lognormal 5ms 0.7',
    '1.5 x feed + 1ms',
    '3 x feed',
  ])
}

function assumptionsOf(draws) {
  const maybe = (name, values, of = 2) => (draws.once(of) ? { [name]: draws.one(values) } : {})
  return {
    ...maybe('preset', ['hftbacktest'], 16),
    ...maybe('queue', ['riskAverse', 'power', 'power2', 'power3', 'log', 'log2', { model: 'power2', exponent: 2 }]),
    ...maybe('fills', ['partial', 'whole'], 4),
    ...maybe('exchangeTop', ['fused', 'depth']),
    ...maybe('gaps', ['assumeWorst', 'cancelAndWait', 'cancelAndWait', 'freeze', 'freeze', 'halt', 'ignore'], 1),
    staleAfter: draws.one(['off', 'off', '2s', '10s']),
    ...maybe('snapshots', ['difference', 'rows'], 3),
    ...maybe('selfTrade', ['reject', 'ignore']),
    ...maybe('crossingPostOnly', ['reject', 'expire']),
    ...maybe('notShown', ['unknown', 'zero']),
    ...maybe(
      'feedLatency',
      ['recorded+2ms', 'constant 5ms', 'uniform 1ms 9ms', 'exponential 1ms 2ms', 'lognormal 2ms 0.5'],
      3,
    ),
    requestLatency: latencyOf(draws),
    responseLatency: latencyOf(draws),
  }
}

function faultOf(draws, { startNs, endNs }) {
  const length = endNs - startNs
  const lasts = `${Math.max(1, Math.floor((length / 1e6 / 4) * ((1 + draws.below(100)) / 100)))}ms`
  const when = draws.once(4)
    ? { every: `${Math.floor(length / 1e6 / 3) + 2}ms`, for: lasts }
    : { at: iso(startNs + Math.floor(length / 8) + draws.below(length / 2)), for: lasts }
  const kind = draws.one(['status', 'status', 'requests', 'replaces', 'fills'])
  if (kind === 'status') return { kind, ...when, status: draws.one(STATUSES), message: draws.one(['', 'why']) }
  if (kind === 'replaces') return { kind, ...when, error: draws.one(FAULT_ERRORS) }
  if (kind === 'fills') return { kind, ...when, delay: draws.one(['5ms', '300ms', '2s', '10s']) }
  const some = draws.some(['place', 'amend', 'replace', 'cancel'])
  return {
    kind,
    ...when,
    error: draws.one(FAULT_ERRORS),
    source: draws.one(['INTERNAL', 'EXCHANGE']),
    ...(some.length > 0 ? { requests: some } : {}),
  }
}

function actionOf(draws, instruments, { startNs, endNs }) {
  const at = iso(startNs + Math.floor((endNs - startNs) * (0.2 + draws.below(60) / 100)))
  const split = {
    lastPrice: '100',
    buyVolume: draws.one(['2', '1', '3']),
    sellVolume: draws.one(['1', '2']),
    liquidateFractionalShares: draws.once(2),
  }
  const dividend = { underlying: 'CASH', highPrice: '0.5', lowPrice: '0.4' }
  return { at, instrument: draws.one(instruments).code, ...(draws.once(2) ? { split } : { dividend }) }
}

function parametersOf(draws, { instruments, accounts, lengthNs, isLong }) {
  const isOnly = accounts.length === 1
  const lengthMs = lengthNs / 1e6
  const own = draws.once(3) ? draws.some(instruments) : instruments
  const named = (own.length > 0 ? own : instruments).map(({ code, exchange }) =>
    isOnly ? code : { instrument: code, account: draws.one(accounts.filter((one) => one.exchange === exchange)).name },
  )
  return {
    instruments: named,
    seed: draws.below(1_000_000),
    wakeMs: Math.floor(lengthMs / (isLong ? 400 : draws.within(8, 40))),
    calm: draws.one([1, 2, 4]),
    paceMs: Math.floor(lengthMs / (isLong ? 900 : draws.within(6, 28))),
    most: draws.one([3, 6, 12]),
    habits: draws.below(8),
  }
}

/** The program of a seed: its files, its options without the classes, and whether it is played in two as well. */
export function programOf(seed) {
  const draws = new Draws(seed)
  // Some are long enough that segments of their journals close.
  const isLong = draws.once(60)
  const lengthNs = (isLong ? 90 : draws.one([3, 6, 12, 30, 90])) * 1e9
  const isOverMidnight = draws.once(10)
  // Whole hours are the times of loans and funding: the window lies around one.
  const startNs = (isOverMidnight ? 24 : 10) * 3600e9 - Math.floor(lengthNs / 2)
  const window = { startNs, endNs: startNs + lengthNs, midnightNs: isOverMidnight ? 24 * 3600e9 : null, isLong }
  // Every fourth program has exchange stamps of whole milliseconds: many lines share one.
  const isCoarse = seed % 4 === 3
  const instruments = instrumentsOf(draws, window.endNs).map((one) => ({ ...one, isCoarse }))
  const files = instruments.flatMap((instrument) => filesOf(draws, instrument, window))
  const exchanges = [...new Set(instruments.map(({ exchange }) => exchange))]
  const isTwo = exchanges.length > 1
  const accounts = [...exchanges, ...(draws.once(3) ? [exchanges[0]] : [])].map((exchange, at) => {
    const kinds = instruments.filter((one) => one.exchange === exchange).map(({ kind }) => kind)
    return { name: `A${at}`, exchange, options: accountOf(draws, exchange, kinds, isTwo) }
  })
  const isOnly = accounts.length === 1
  const several = draws.once(3)
  const entries = several ? ['Trader', 'Watcher'].map((strategy, at) => ({ name: `S${at}`, strategy })) : null
  const parts = { instruments, accounts, lengthNs, isLong }
  const set = () =>
    several
      ? Object.fromEntries(entries.map(({ name }) => [name, parametersOf(draws, parts)]))
      : parametersOf(draws, parts)
  const options = {
    parameters: Array.from({ length: draws.one([1, 1, 1, 2, 3]) }, set),
    ...(isOnly
      ? { account: accounts[0].options }
      : { accounts: Object.fromEntries(accounts.map(({ name, options: own }) => [name, own])) }),
    assumptions: { ...assumptionsOf(draws), ...(seed % 8 === 7 ? { sameStamp: 'file' } : {}) },
    seed: draws.within(1, 1000),
    faults: Array.from({ length: draws.one([0, 0, 1, 2, 3]) }, () => faultOf(draws, window)),
    from: iso(startNs + (draws.once(3) ? Math.floor(lengthNs / 9) : 0)),
    ...(!isOverMidnight && draws.once(3) ? { to: iso(window.endNs - draws.below(lengthNs / 9)) } : {}),
    equity: { every: `${Math.floor(lengthNs / 1e6 / draws.within(2, 6))}ms`, fills: draws.once(2) },
    ...(draws.once(4) ? { shuffleSeed: draws.below(1000) } : {}),
    ...(draws.once(4)
      ? {
          entryStates: {
            delayedAfter: draws.one(['10ms', '500ms', '3s']),
            ...(draws.once(3) ? { stopDegradedAfter: '2s' } : {}),
          },
        }
      : {}),
    ...(draws.once(8) && !instruments.some(({ kind }) => kind === 'prediction')
      ? { corporateActions: [actionOf(draws, instruments, window)] }
      : {}),
    ...(instruments.every(({ kind }) => kind === 'prediction') && draws.once(2)
      ? { outcomes: { X1: draws.one(['0', '1']) } }
      : {}),
    ...(draws.once(4) ? { rates: { 'COIN/USD': '1234.5' } } : {}),
    ...(isOverMidnight ? { masterChanges: 'accept' } : {}),
  }
  return {
    seed,
    files,
    instruments,
    options,
    strategy: draws.one(['Trader', 'Taker', 'Watcher']),
    entries,
    cut: draws.once(3) ? draws.within(1, isLong ? 4000 : 400) : null,
  }
}
