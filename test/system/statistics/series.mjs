// Writes made-up daily returns with their statistics as JSON lines.
import { returnStatistics } from '../../../dist/measures.js'

let state = 20_260_701
/** Linear congruential, from 0 to 1: the same series everywhere. */
function draw() {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return state / 2_147_483_648
}

const made = [
  ...[20, 30, 90, 365, 1000].flatMap((length) => [0.02, 0.3].map((size) => Array.from({ length }, () => (draw() - 0.48) * size))),
  Array.from({ length: 60 }, () => (draw() < 0.5 ? 0 : draw() - 0.5) * 0.1),
  Array.from({ length: 40 }, (_, at) => (at % 7 === 0 ? -0.03 : 0.004)),
  Array.from({ length: 25 }, () => -draw() * 0.01),
]
for (const returns of made) console.log(JSON.stringify({ returns, statistics: returnStatistics(returns, 365) }))
