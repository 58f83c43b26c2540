/** Texts that were seen lately need no second look. */
const SEEN_LIMIT = 65_536

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}

/** Finds the largest step of which every decimal that it is shown is a whole multiple; exact. */
export class StepFinder {
  private scale = 0
  private step = 0n
  private readonly seen = new Set<string>()

  /** Shows it a decimal of plain digits. */
  note(text: string): void {
    if (this.seen.has(text)) return
    const point = text.indexOf('.')
    let end = text.length
    if (point >= 0) while (end > point && (text[end - 1] === '0' || text[end - 1] === '.')) end--
    const scale = point < 0 || end <= point ? 0 : end - point - 1
    // At the finest digit a decimal of as many digits cannot make the step smaller.
    if (this.step === 1n && scale <= this.scale) return
    if (this.seen.size >= SEEN_LIMIT) this.seen.clear()
    this.seen.add(text)
    if (scale > this.scale) {
      this.step *= 10n ** BigInt(scale - this.scale)
      this.scale = scale
    }
    const whole = point < 0 ? text : text.slice(0, point)
    const fraction = point < 0 ? '' : text.slice(point + 1, end)
    this.step = greatestDivisor(this.step, BigInt(whole + fraction.padEnd(this.scale, '0')))
  }

  /** The step as a decimal; null where nothing but zeros was shown. */
  text(): string | null {
    if (this.step === 0n) return null
    const digits = String(this.step).padStart(this.scale + 1, '0')
    const whole = digits.slice(0, digits.length - this.scale)
    const fraction = digits.slice(digits.length - this.scale).replace(/0+$/, '')
    return fraction === '' ? whole : `${whole}.${fraction}`
  }
}
