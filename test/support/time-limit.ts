/** The time limit of a test of properties, milliseconds: longer where BACKTAPE_PROPERTY_TIMES asks for more cases. */
export function timeLimitMs(usualMs: number): number {
  return Math.max(usualMs, 180_000) * Math.max(Number(process.env['BACKTAPE_PROPERTY_TIMES'] ?? 1), 1)
}
