/** The names of all that was seen in a program, so that nothing is rare without anybody knowing. */
export function seenIn({ program, whole, again }) {
  const seen = new Set(['programs'])
  const { options, instruments } = program
  for (const { kind } of instruments) seen.add(`instrument ${kind}`)
  for (const { kind, status } of options.faults) seen.add(`fault ${kind}${status === undefined ? '' : ` ${status}`}`)
  for (const name of ['gaps', 'queue', 'fills', 'preset'])
    if (options.assumptions[name] !== undefined)
      seen.add(`${name} ${options.assumptions[name].model ?? options.assumptions[name]}`)
  if (program.files.length > instruments.length) seen.add('two days')
  if (program.entries !== null) seen.add('two strategies')
  if (instruments.length > 1) seen.add('several instruments')
  if (options.parameters.length > 1) seen.add('several worlds')
  if (options.accounts !== undefined) seen.add('several accounts')
  if (again?.isTaken) seen.add('checkpoints')
  if (again?.difference) seen.add('CHECKPOINTS THAT DIFFER')
  if (whole.thrown !== null) seen.add(`THROWN ${String(whole.thrown.message).slice(0, 200)}`)
  for (const { summary, fills, segmentDigests } of whole.results) {
    if (segmentDigests.length > 0) seen.add('closed segments')
    if (fills.rowCount > 0 || [...fills.rows].length > 0) seen.add('fills')
    if (summary.halt !== null && summary.halt !== undefined) seen.add('halts')
    if (summary.stop !== null && summary.stop !== undefined) seen.add('stops')
    for (const { kind } of summary.moneyEvents ?? []) seen.add(`money ${kind}`)
  }
  for (const lines of whole.journals) for (const line of lines ?? []) seeLine(JSON.parse(line), seen)
  return seen
}

const FLAGS = [
  'closeOnly',
  'reduceOnly',
  'autoBorrow',
  'autoRepay',
  'useSpare',
  'postOnly',
  'context',
  'displayQuantity',
  'triggered',
]

function seeLine(line, seen) {
  seen.add(`line ${line.kind}`)
  const lists = Object.values(line).filter(Array.isArray)
  for (const list of lists)
    for (const one of list) {
      if (typeof one !== 'object' || one === null) continue
      if (one.error !== undefined) seen.add(`error ${one.error.type} ${one.error.source}`)
      if (line.kind === 'place') {
        seen.add(`order ${one.type} ${one.timeInForce}`)
        if (list.length > 1) seen.add('several orders in one request')
        if (one.openClose !== undefined && one.openClose !== 'AUTO') seen.add(`order ${one.openClose}`)
      }
      if (line.kind === 'place' || line.kind === 'orderUpdate') {
        for (const flag of FLAGS) if (one[flag] !== undefined && one[flag] !== false) seen.add(`${line.kind} ${flag}`)
        if (one.displayQuantity === '0') seen.add('order hidden')
      }
      if (line.kind === 'orderUpdate') seen.add(`state ${one.state}`)
    }
}
