// Made market data of one instrument: lines of a tick file, coherent enough that orders rest, queue and fill, with
// everything that a feed does wrong: broken chains, errors, silences, late and missing times, scales that grow.

/** Texts of whole numbers of units of `10^-scale`, in shortest form. */
function decimalText(units, scale) {
  if (scale === 0) return String(units)
  const digits = String(Math.abs(units)).padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return `${units < 0 ? '-' : ''}${digits.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`
}

const LINEAR = { type: 'perpetual', is_inverse: false, is_quanto: false, multiplier: 1, contract_value: null }
const NO_END = { strike_price: null, expiry: '2100-12-25T08:00:00Z' }
const LINEAR_IDS = { base_underlying_id: 1, counter_underlying_id: 2, valuation_underlying_id: 2, fee_underlying_id: 2 }
const COIN_IDS = { base_underlying_id: 1, counter_underlying_id: 2, valuation_underlying_id: 1, fee_underlying_id: 1 }

/** The kinds of instruments: their master data, the tick and the lot in units, and the first price in ticks. */
export const KINDS = {
  linear: {
    fields: { ...LINEAR, ...NO_END, ...LINEAR_IDS, funding_interval: '3600' },
    tick: [5, 1],
    lot: [1, 1],
    start: 2000,
  },
  inverse: {
    fields: { ...LINEAR, ...NO_END, ...COIN_IDS, is_inverse: true, contract_value: 10, funding_interval: '3600' },
    tick: [5, 1],
    lot: [1, 0],
    start: 2000,
  },
  quanto: {
    fields: {
      ...LINEAR,
      ...NO_END,
      ...LINEAR_IDS,
      is_quanto: true,
      contract_value: '0.1',
      valuation_underlying_id: 3,
      fee_underlying_id: 3,
      funding_interval: '3600',
    },
    tick: [1, 1],
    lot: [1, 0],
    start: 10_000,
  },
  future: {
    fields: { ...LINEAR, ...LINEAR_IDS, type: 'future', expiry: 'EXPIRY' },
    tick: [1, 0],
    lot: [1, 1],
    start: 1000,
  },
  spot: {
    fields: { ...LINEAR, ...NO_END, ...LINEAR_IDS, type: 'spot', expiry: null, funding_interval: null },
    tick: [1, 1],
    lot: [1, 2],
    start: 10_000,
  },
  coinOption: {
    fields: { ...LINEAR, ...COIN_IDS, contract_value: 1, strike_price: 1000, expiry: 'EXPIRY' },
    tick: [5, 4],
    lot: [1, 1],
    start: 100,
  },
  option: {
    fields: { ...LINEAR, ...LINEAR_IDS, contract_value: 1, strike_price: 1000, expiry: 'EXPIRY' },
    tick: [1, 0],
    lot: [1, 1],
    start: 60,
  },
  prediction: {
    fields: { ...LINEAR, ...LINEAR_IDS, contract_value: 1, funding_interval: null, expiry: 'EXPIRY' },
    tick: [1, 2],
    lot: [1, 0],
    start: 50,
    most: 98,
  },
}

const UNDERLYINGS = [
  [1, 'COIN', 1000],
  [2, 'CASH', 1],
  [3, 'OTHER', 2],
].map(([id, code, rate]) => ({
  id,
  code,
  name: code,
  type: 'coin',
  fx_rate: rate,
  ts_fx: '2026-07-01T00:00:00Z',
}))

/** Line 1 of a file of an instrument. */
export function masterLine(instrument, more = {}) {
  const { id, code, exchange, kind, expiry } = instrument
  const { fields, tick, lot } = KINDS[kind]
  const isOption = kind === 'option' || kind === 'coinOption'
  return JSON.stringify({
    instrument: {
      id,
      code,
      exchange_code: exchange,
      state: 'open',
      active: true,
      ...fields,
      ...(isOption ? { type: instrument.right } : {}),
      ticksize: decimalText(...tick),
      lot_size: decimalText(...lot),
      min_order: instrument.minOrder,
      max_order: null,
      min_value: null,
      tick_table: null,
      ...(fields.expiry === 'EXPIRY' ? { expiry } : {}),
      ...more,
    },
    underlyings: UNDERLYINGS,
  })
}

/** The lines of one instrument over a window, by the adapter's time. */
export class MarketMaker {
  #draws
  #instrument
  #bids = new Map()
  #asks = new Map()
  #mid
  #chain = 1
  #trades = 1
  #timeNs
  /** Grain of prices and quantities: a scale grows where it becomes one. */
  #priceGrain
  #sizeGrain
  /** Each with its adapter time: `[timeNs, text]`. */
  lines = []

  constructor(draws, instrument, startNs) {
    this.#draws = draws
    this.#instrument = instrument
    this.#mid = KINDS[instrument.kind].start
    this.#timeNs = startNs
    this.#priceGrain = instrument.growsPrice ? 10 : 1
    this.#sizeGrain = instrument.growsQuantity ? 10 : 1
  }

  /** Plays `count` events up to `endNs`. */
  play(count, endNs) {
    const draws = this.#draws
    const step = Math.max(1, Math.floor((endNs - this.#timeNs) / count / 500_000))
    this.#snapshot()
    for (let number = 0; number < count && this.#timeNs < endNs; number++) {
      // Nothing, or whole half milliseconds; sometimes odd nanoseconds; silences where the program has some.
      if (!draws.once(8)) this.#timeNs += draws.below(2 * step) * 500_000
      if (draws.once(6)) this.#timeNs += draws.below(1000)
      if (this.#instrument.isSilent && draws.once(30)) this.#timeNs += draws.within(1, 6) * 1_000_000_000
      if (number === count >> 1) this.#priceGrain = this.#sizeGrain = 1
      this.#event()
    }
  }

  /** The book as it stands, as a snapshot that begins another file. */
  snapshotNow() {
    this.#snapshot()
    return this.lines.length - 1
  }

  #event() {
    const what = this.#draws.below(100)
    if (what < 44) this.#update()
    else if (what < 66) this.#trade()
    else if (what < 78) this.#top()
    else if (what < 93 && this.#instrument.kind !== 'spot') this.#price(what)
    else if (what < 95) this.#snapshot()
    else if (what < 97 && this.#instrument.hasGaps) this.#gap()
    else if (what < 98) this.#liquidations()
    else this.#move(this.#draws.within(-6, 6))
  }

  #put(kind, body, ids = ['0', String(this.#chain)]) {
    const draws = this.#draws
    const adapterNs = this.#timeNs - (draws.once(40) ? draws.below(3_000_000) : 0)
    const exchangeNs = draws.once(50) ? 0 : adapterNs - draws.below(draws.once(20) ? 60_000_000 : 4_000_000)
    const [seconds, rest] = [Math.floor(adapterNs / 1e9), adapterNs % 1e9]
    const adapter = this.#epoch(seconds, rest)
    const exchange = exchangeNs <= 0 ? '0' : this.#stamp(exchangeNs)
    this.lines.push([
      adapterNs,
      `[${kind},${this.#instrument.id},"${ids[0]}","${ids[1]}",${adapter},${exchange},${body}]`,
    ])
  }

  /** Epoch nanoseconds of a time of the run, whose day is 2026-07-01. */
  #epoch(seconds, restNs) {
    return `${1_782_864_000 + seconds}${String(restNs).padStart(9, '0')}`
  }

  #tradeNs() {
    return this.#stamp(this.#timeNs - this.#draws.below(5_000_000))
  }

  /** A time as the exchange states it. */
  #stamp(givenNs) {
    const timeNs = this.#instrument.isCoarse ? Math.floor(givenNs / 1e6) * 1e6 : givenNs
    return this.#epoch(Math.floor(timeNs / 1e9), timeNs % 1e9)
  }

  #row(side, ticks, lots) {
    const { tick, lot } = KINDS[this.#instrument.kind]
    return `[${side},"${decimalText(ticks * tick[0], tick[1])}","${decimalText(lots * lot[0], lot[1])}"`
  }

  #size() {
    return this.#draws.within(1, 40) * this.#sizeGrain
  }

  /** Ticks of a level: `depth` steps from the middle. */
  #level(side, depth) {
    const grain = this.#priceGrain
    const middle = Math.floor(this.#mid / grain)
    const { most = Infinity } = KINDS[this.#instrument.kind]
    const ticks = (side === 0 ? middle - depth : middle + 1 + depth) * grain
    return ticks >= 1 && ticks <= most ? ticks : null
  }

  #snapshot() {
    this.#bids.clear()
    this.#asks.clear()
    for (const [side, book] of [
      [0, this.#bids],
      [1, this.#asks],
    ])
      for (let depth = 0; depth < this.#draws.within(3, 8); depth++) {
        const ticks = this.#level(side, depth)
        if (ticks !== null && !this.#draws.once(5)) book.set(ticks, this.#size())
      }
    const rows = [
      [0, this.#bids],
      [1, this.#asks],
    ].flatMap(([side, book]) => [...book].map(([ticks, lots]) => `${this.#row(side, ticks, lots)},1]`))
    const forced = this.#draws.once(3) ? `,${this.#draws.once(2)}` : ''
    this.#put(0, `[${rows}]${forced}`, ['0', String(++this.#chain)])
  }

  #changed(rows) {
    const before = String(this.#chain)
    this.#put(1, `[${rows}]`, [before, String(++this.#chain)])
  }

  #set(rows, side, ticks, lots) {
    const book = side === 0 ? this.#bids : this.#asks
    if (lots === 0) book.delete(ticks)
    else book.set(ticks, lots)
    rows.push(`${this.#row(side, ticks, lots)},1]`)
  }

  #update() {
    const rows = []
    for (let count = this.#draws.within(1, 4); count > 0; count--) {
      const side = this.#draws.below(2)
      const ticks = this.#level(side, this.#draws.below(7))
      if (ticks !== null) this.#set(rows, side, ticks, this.#draws.once(5) ? 0 : this.#size())
    }
    if (rows.length > 0) this.#changed(rows)
    if (this.#draws.once(4)) this.#move(this.#draws.within(-2, 2) + this.#instrument.drift)
  }

  /** Moves the middle: levels that it passes go, new ones come, in one line. */
  #move(steps) {
    if (steps === 0) return
    const { most = Infinity } = KINDS[this.#instrument.kind]
    this.#mid = Math.min(most - 3, Math.max(4 * this.#priceGrain, this.#mid + steps * this.#priceGrain))
    const rows = []
    const [bid, ask] = [this.#level(0, 0), this.#level(1, 0)]
    for (const ticks of [...this.#asks.keys()]) if (bid !== null && ticks <= bid) this.#set(rows, 1, ticks, 0)
    for (const ticks of [...this.#bids.keys()]) if (ask !== null && ticks >= ask) this.#set(rows, 0, ticks, 0)
    if (bid !== null) this.#set(rows, 0, bid, this.#size())
    if (ask !== null) this.#set(rows, 1, ask, this.#size())
    this.#changed(rows)
  }

  #best(side) {
    const book = side === 0 ? this.#bids : this.#asks
    return book.size === 0 ? null : Math[side === 0 ? 'max' : 'min'](...book.keys())
  }

  #trade() {
    const draws = this.#draws
    const side = draws.below(2)
    const passive = 1 - side
    const rows = []
    const changes = []
    for (let count = draws.once(3) ? draws.within(2, 4) : 1; count > 0; count--) {
      const best = this.#best(passive)
      if (best === null) break
      // Some go through the level, as where our orders stand behind it.
      const through = draws.once(6) ? draws.within(1, 3) * this.#priceGrain * (side === 0 ? 1 : -1) : 0
      const lots = Math.max(1, Math.min(this.#size(), (passive === 0 ? this.#bids : this.#asks).get(best)))
      const id = draws.once(10) ? 'null' : `"t${this.#trades++}"`
      rows.push(`${this.#row(side, Math.max(1, best + through), lots)},${id},${this.#tradeNs()}]`)
      const left = (passive === 0 ? this.#bids : this.#asks).get(best) - lots
      if (!draws.once(4)) this.#set(changes, passive, best, left)
    }
    if (rows.length > 0) this.#put(2, `[${rows}]`)
    if (changes.length > 0) this.#changed(changes)
  }

  #top() {
    const rows = []
    for (const side of [0, 1]) {
      const best = this.#best(side)
      const moved = this.#draws.once(4) ? this.#level(side, this.#draws.below(3)) : best
      if (moved !== null && !this.#draws.once(25)) rows.push(`${this.#row(side, moved, this.#size())},1]`)
    }
    this.#put(6, `[${rows}]`)
  }

  #price(what) {
    const draws = this.#draws
    const { kind } = this.#instrument
    const { tick } = KINDS[kind]
    const wide = this.#instrument.isWild ? draws.within(80, 120) : draws.within(99, 101)
    const near = decimalText(Math.max(1, Math.round((this.#mid * tick[0] * wide) / 100)), tick[1])
    const isOption = kind === 'option' || kind === 'coinOption'
    if (what < 86) {
      this.#put(7, isOption ? `"${near}","0.5","0.0001","1.2","-0.7","0.6","0.61","0.62"` : `"${near}"`)
    } else if (what < 90) {
      this.#put(8, isOption ? `"${draws.within(900, 1100)}.5"` : `"${near}"`)
    } else if (kind === 'linear' || kind === 'inverse' || kind === 'quanto') {
      const nextNs = (Math.floor(this.#timeNs / 3.6e12) + 1) * 3.6e12
      this.#put(9, `["${decimalText(draws.within(-300, 300), 6)}",${this.#epoch(nextNs / 1e9, 0)}]`)
    }
  }

  #liquidations() {
    const side = this.#draws.below(2)
    const ticks = this.#level(side, this.#draws.below(5))
    if (ticks !== null) this.#put(17, `[${this.#row(side, ticks, this.#size())},${this.#tradeNs()}]]`)
  }

  #gap() {
    const draws = this.#draws
    if (draws.once(2)) this.#chain += 7
    else {
      const state = (word) => {
        const text = this.#epoch(Math.floor(this.#timeNs / 1e9), this.#timeNs % 1e9)
        this.lines.push([this.#timeNs, `[5,${this.#instrument.id},${text},"${word}","why"]`])
      }
      state('ERROR')
      this.#timeNs += draws.below(2000) * 1_000_000
      if (draws.once(2)) state('READY')
    }
    if (!draws.once(3)) {
      this.#update()
      this.#timeNs += draws.below(3000) * 1_000_000
      this.#snapshot()
    }
  }
}

/** Lines as the bytes of a tick file: one zstd frame of raw blocks, for which nobody needs a compressor. */
export function fileBytes(lines) {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
  const parts = [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xa0), new Uint8Array(Uint32Array.of(bytes.length).buffer)]
  for (let at = 0; at === 0 || at < bytes.length; at += 65_536) {
    const block = bytes.subarray(at, at + 65_536)
    const header = (block.length << 3) | (at + 65_536 >= bytes.length ? 1 : 0)
    parts.push(Uint8Array.of(header & 255, (header >> 8) & 255, header >> 16), block)
  }
  return new Uint8Array(Buffer.concat(parts))
}
