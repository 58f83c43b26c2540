import { describe, expect, test } from 'vitest'
import { plainFromLine } from '../support/naive-tick-line.js'
import { MASTER, readBack, readLines, textSource } from '../support/tick-text.js'

const T = '1782345115843612834'
const E = '1782345115843000001'

// The real lines of spec 4, section 3 (of instrument 1210 here), and what each field may be.
const lines = [
  `[0,1210,"0","8328425028614922983",1782345115505070405,1782345115504140603,[[0,"1.0715","730000",1],[0,"1.0714","668700",1],[1,"1.0719","205100",1]],false]`,
  `[0,1210,"0","1",${T},${E},[],true,"more",{"a":[1,null]}]`,
  `[0,1210,"0","1",${T},${E},[[1,"1","1",1]]]`,
  `[1,1210,"8328425028614922983","7087889941297585337",1782345115843612834,1782345115843000000,[[0,"1.0698","1039100",1],[1,"1.0719","0",1]]]`,
  `[1,1210,"6","7",${T},0,[],"tail is ignored"]`,
  `[1,1210,"18446744073709551615","18446744073709551616",${T},0,[]]`,
  `[1,1210,"007","0x9f86d081",${T},0,[]]`,
  `[1,1210,"","9999999999999999999",${T},0,[]]`,
  `[1,1210,"é","a\\u00e9\\n\\"b",${T},0,[]]`,
  `[1,1210,"6","7",${T},0,[[0,"-1.5","1e3",1],[1,"1.0E-4","0e5",0],[0,"+2","12.50E+1",17]]]`,
  `[2,1210,"7697470040428040547","6584934061829438687",1782345122476611101,1782345122476000000,[[0,"1.0719","19200","00000000-006d-1000-0000-0033b50c7876",1782345122476000000]]]`,
  `[2,1210,"6","7",${T},0,[[0,"1","100","",0],[1,"1","100",null,${E}],[1,"1","100","a\\\\\\"\\/é\\u0041",${E}]]]`,
  `[2,1210,"6","7",${T},0,[[0,"1","100","${'x'.repeat(300)}",0]]]`,
  `[2,1210,"6","7",${T},0,[]]`,
  `[5,1210,1782345115505070404,"READY","ready after failover"]`,
  `[5,1210,${T},"ERROR",null]`,
  `[5,1210,${T},"\\u00e9","línea \\n",1,2]`,
  `[6,1210,"0","7",${T},${E},[[0,"1","1",1],[1,"1.1","1",1]]]`,
  `[6,1210,"0","7",${T},${E},[[1,"1","1",1],[0,"1.1","1",1]]]`,
  `[6,1210,"0","7",${T},${E},[]]`,
  `[7,1210,"0","7349456101763923293",1782345115505070407,1782345115500000003,"1.07258",null,null,null,null,null,null,null]`,
  `[7,1210,"1","4380261518099630876",${T},${E},"0.0070174072573915","0.3288191987","0.0070104172","0.3430565826","-7.0212090894","0.5437670545","0.5664151171","1e-7"]`,
  `[7,1210,"1","4",${T},${E},"9007199254740991","1",null]`,
  `[7,1210,"1","5",${T},${E},"9007199254740992","1",null]`,
  `[7,1210,"1","6",${T},${E},"0.9166666666666666"]`,
  `[7,1210,"1","7",${T},${E},"-1.0123456789012345000","0.5"]`,
  `[8,1210,"1","8",${T},${E},"1234567890.12345678901234567890123456789"]`,
  `[8,1210,"1","8",${T},${E},"${'12'.repeat(2000)}.${'34'.repeat(499)}"]`,
  `[8,1210,"1","8",${T},${E},"1.5e-31"]`,
  `[9,1210,"1","9",${T},${E},["0.0001000000000000000000000001",1782360000000000000,"-0.12345678901234567"]]`,
  `[1,1210,"6","7",${T},0,[[0,"1.5","90071992547409.92",1],[1,"1.6","100000000.00000000",1],[1,"1.7","0.000000000000000000000000000000001",1],[1,"1.8","1.00000001",1]]]`,
  `[0,1210,"0","1",${T},${E},[[0,"9007199254740993","1",1],[0,"-900719925474099.3","1",1],[1,"1e-31","12345678901234567890",1],[1,"2","0.30000000000000004",1]],true]`,
  `[2,1210,"6","7",${T},0,[[0,"1","100000000.12345678","a",${E}],[1,"0.12345678901234567","1e25",null,0]]]`,
  `[17,1210,"0","9",${T},0,[[1,"74.09","123456789012345678.5",0]]]`,
  `[8,1210,"0","8050104725181629121",1782345115505070406,1782345115493190275,"1.07252"]`,
  `[9,1210,"0","3613991425845795139",1782345115505070408,1782345115500253321,["0.00010",1782360000000000000,"0.000011"]]`,
  `[9,1210,"0","681352840083568157",${T},0,["-0.00000757",0]]`,
  `[9,1210,"0","681352840083568157",${T},0,["0.0",0,null]]`,
  `[17,1210,"0","4369112899956650000",1782864902273483642,1782864902271000000,[[1,"74.09","5.8",1782864902101000000],[0,"1","1",0]]]`,
]

describe.each(['wasm', 'javascript'] as const)('lines that are read, decoder %s', (decoder) => {
  test.each(lines)('%s', async (line) => {
    const { events, error } = await readLines(`${line}\n`, { lines: decoder })
    expect(error).toBeNull()
    expect(events).toEqual([plainFromLine(line)])
  })

  test('all in one file, with white space, CRLF, blank lines, a byte order mark and no last line end', async () => {
    const spaced = lines.map((line) => line.replace(/"(?:[^"\\]|\\.)*"|[,[\]]/g, (token) => (token.startsWith('"') ? token : ` ${token}\t`)))
    for (const text of [lines.join('\n'), lines.join('\r\n'), spaced.join('\n'), `\n\n${lines.join('\n \n\t\r\n')}\n\n\n`]) {
      const { events, error } = await readBack(textSource(`\uFEFF${MASTER}\n${text}`), { lines: decoder })
      expect(error).toBeNull()
      expect(events).toEqual(lines.map(plainFromLine))
    }
  })

  test('finer digits end the batch and widen the scale; trailing zeros do not', async () => {
    const rows = [['1.0000000', '100'], ['1.00001', '100'], ['2', '0.10'], ['3.0000', '5']]
    const text = rows.map(([price = '', quantity = '']) => `[1,1210,"6","7",${T},0,[[0,"${price}","${quantity}",1]]]\n`).join('')
    const { batches, events } = await readLines(text, { lines: decoder })
    expect(batches.map((batch) => [batch.count, batch.priceScale, batch.quantityScale, batch.firstEventIndex])).toEqual([[1, 4, 0, 0], [1, 5, 0, 1], [2, 5, 1, 2]])
    expect(events.map((event) => event[5])).toEqual([[[0, '1', '100']], [[0, '1.00001', '100']], [[0, '2', '0.1']], [[0, '3', '5']]])
  })

  test('a damaged line widens nothing', async () => {
    const bad = `[1,1210,"6","7",${T},0,[[0,"1.00000001","1",1],[0,"x","1",1]]]\n[1,1210,"6","7",${T},0,[[0,"1.00000001","1",1],[0,"90071992547.40x9","1",1]]]\n`
    const { batches, reading } = await readLines(`${lines[3] ?? ''}\n${bad}${lines[3] ?? ''}\n`, { lines: decoder, onDamage: 'count' })
    expect(batches.map((batch) => [batch.count, batch.priceScale])).toEqual([[2, 4]])
    expect(reading?.summary.damagedLineCount).toBe(2)
  })

  test('unknown types are counted, whatever they hold', async () => {
    const text = `[99,"any",{"x":[1,2.5e3,"é"]}]\n[99]\n[3,1210]\n${lines[4] ?? ''}\n`
    const { events, reading } = await readLines(text, { lines: decoder })
    expect(events).toHaveLength(1)
    expect([...(reading?.summary.unknownTypes ?? [])]).toEqual([[99, 2], [3, 1]])
  })

  test('gaps and steps back are marked', async () => {
    const at = (seconds: number): string => String(1782345115n * 1_000_000_000n + BigInt(seconds) * 1_000_000_000n)
    const chain: [kind: number, previous: string, id: string, second: number, flags: number][] = [
      [1, '9', '10', 1, 0],
      [1, '10', '11', 2, 0],
      [1, '12', '13', 1, 4 + 8],
      [0, '99', '14', 3, 0],
      [1, '14', 'abc', 3, 0],
      [2, '14', '5', 3, 0],
      [1, 'abc', '1', 3, 0],
      [1, 'abd', '2', 3, 4],
      [1, '0', '3', 3, 0],
      [2, '4', '6', 3, 4],
      [6, '4', '6', 3, 0],
    ]
    const text = chain.map(([kind, previous, id, second]) => `[${String(kind)},1210,"${previous}","${id}",${at(second)},0,[]]`).join('\n')
    const { batches } = await readLines(text, { lines: decoder })
    expect(batches.flatMap((batch) => batch.flags)).toEqual(chain.map(([, , , , flags]) => flags))
  })

  test('batches end at 16,384 events', async () => {
    const { batches } = await readLines(`${lines[4] ?? ''}\n`.repeat(40_000), { lines: decoder })
    expect(batches.map((batch) => batch.count)).toEqual([16_384, 16_384, 7_232])
  })

  test('a snapshot of 300,000 rows has a batch of its own', async () => {
    const rows = Array.from({ length: 300_000 }, (_, i) => `[${String(i % 2)},"${String(i)}","1",1]`).join(',')
    const huge = `[0,1210,"0","7",${T},0,[${rows}]]`
    const { batches, events } = await readLines(`${lines[4] ?? ''}\n${huge}\n${lines[4] ?? ''}\n${huge}`, { lines: decoder })
    expect(batches.map((batch) => batch.count)).toEqual([1, 1, 1, 1])
    expect(events[1]?.[5]).toHaveLength(300_000)
    expect((events[3]?.[5] as string[][])[299_999]).toEqual([1, '299999', '1'])
  })
})

test('the day of a file without a date is that of its first event', async () => {
  const text = `${MASTER}\n[1,1210,"6","7",x,0,[]]\n${lines.join('\n')}`
  const read = await readBack(textSource(text, 'somewhere.txt.zst'), { onDamage: 'count' })
  expect(read.reading?.day).toBeNull()
  expect(new Set(read.batches.map((batch) => batch.epochDay))).toEqual(new Set([20_628]))
  expect(read.events).toEqual(lines.map(plainFromLine))
})
