// Writes the bars of a recorded day, and indicators over those of a second, as JSON lines: tape.mjs DAY CODE
import { DataInstrument, Parameter, Strategy, runBacktest } from '../../../dist/index.js'
import { atr, bollinger, correlation, donchian, ema, macd, rsi, slope, sma, stdev, wma } from '../../../dist/measures.js'

const [, , path, code] = process.argv

class Tape extends Strategy {
  indicators = { sma: sma(20), ema: ema(20), wma: wma(20), stdev: stdev(20), bollinger: bollinger(20, 2), rsi: rsi(14), macd: macd(12, 26, 9), slope: slope(14), atr: atr(14), donchian: donchian(20), correl: correlation(30) }

  onStart() {
    for (const span of ['1s', '10s', '7s', { trades: 100 }, { volume: '5' }, { turnover: '250000' }, { imbalance: '3' }]) this.subscribeBars(this.instrument, span)
    this.subscribeBars(this.instrument, '10s', { closeOn: 'event' })
  }

  onBar(bar, series) {
    const texts = [bar.open, bar.high, bar.low, bar.close, bar.buyVolume, bar.sellVolume].map(String)
    console.log(JSON.stringify({ span: series.span, start: String(bar.startTimestampNs), end: String(bar.endTimestampNs), count: bar.count, texts, turnover: bar.turnover.toFixed(), vwap: bar.vwap }))
    if (series.span !== '1s') return
    const [close, volume] = [bar.close.toNumber(), bar.volume.toNumber()]
    const { atr: range, donchian: channel, correl, bollinger: bands, macd: divergence, ...plain } = this.indicators
    const values = Object.fromEntries(Object.entries(plain).map(([name, one]) => [name, one.next(close)]))
    correl.next(close, volume)
    for (const one of [range, channel]) one.next(bar)
    for (const one of [bands, divergence]) one.next(close)
    Object.assign(values, { atr: range.value, correl: correl.value, upper: bands.upper, lower: bands.lower, max: channel.upper, min: channel.lower, signal: divergence.signal, macd: divergence.isReady ? divergence.value : NaN })
    console.log(JSON.stringify({ values }))
  }
}
Parameter(DataInstrument)(Tape.prototype, 'instrument')

await runBacktest({ strategy: Tape, data: [path], parameters: { instrument: code } })
