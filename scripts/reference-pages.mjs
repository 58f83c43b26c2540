// The generated pages of docs/reference: each is made of a schema, a table or the help of the commands.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { apiText } from './api-page.mjs'
import {
  attributesText, journalText, measuresText, orderParamsText, recordsText, summaryText,
} from './message-pages.mjs'
import { root } from './project.mjs'
import { sbeText } from './sbe-page.mjs'
import { cell, schemaTable } from './schema-page.mjs'
import { shopWireText, strategyWireText } from './rest-pages.mjs'
import { wireExamples } from './wire-examples.mjs'

function page(title, source, text) {
  const notice = `<!-- Generated from ${source} by \`npm run reference\`; do not edit. -->`
  return `# ${title}\n\n${notice}\n\n${text.trimEnd()}\n`
}

function schema(name) {
  return JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8'))
}

function runFilePage() {
  const text = `A run file describes one run: the strategy, its data, its accounts and its assumptions.
It is JSON; comments and trailing commas are allowed. Decimals stand in quotes. Paths are relative to the run file.
\`[]\` stands for each item of a list, \`*\` for a name that you choose.
"Needed" means needed where its object is given.

${schemaTable(schema('run.schema.json'))}`
  return page('Run file', 'schemas/run.schema.json', text)
}

function venueProfilePage() {
  const text = `A venue profile says what an exchange accepts, its rate limits, its messages and its margin.
An order that needs a field the profile does not have is rejected, and the message names the field.
\`[]\` stands for each item of a list, \`*\` for a free name. "Needed" means needed where its object is given.

${schemaTable(schema('venue-profile.schema.json'))}`
  return page('Venue profile', 'schemas/venue-profile.schema.json', text)
}

/** The schema of a server without the fields that are those of a run file, which its page lists. */
function serveFilePage() {
  const own = JSON.parse(JSON.stringify(schema('serve.schema.json'), (key, value) => {
    if (key === '$ref' && !value.startsWith('#')) return undefined
    return value
  }))
  const text = `What \`backtape serve --config\` takes. It is JSON; comments and trailing commas are allowed.
Decimals stand in quotes. Paths are relative to the file. Fields of [run files](run-file.md) have their form there.
\`[]\` stands for each item of a list, \`*\` for a name that you choose.
"Needed" means needed where its object is given. [The guide](../guide/serve.md) has an example.

${schemaTable(own)}`
  return page('Configuration of a server', 'schemas/serve.schema.json', text)
}

async function serveActionsPage() {
  const { CONTROL_ACTIONS } = await fromDist('serve/control-actions.js')
  const rows = Object.entries(CONTROL_ACTIONS).map(([name, { fields, does, receives, ends }]) => {
    const body = Object.entries(fields).map(([field, words]) => `\`${field}\`: ${words}`).join('; ')
    return `| \`${name}\` | ${[body, does, receives, ends].map(cell).join(' | ')} |`
  })
  const text = `Faults on demand, for people who test their clients. The control port is off unless the configuration
has \`controlPort\` (\`--control-port\`). It listens on 127.0.0.1 alone.

\`POST http://127.0.0.1:PORT/ACTION\` with a JSON body of at most 64 KiB does an action; \`GET /\` lists them.
Every request has \`Authorization: Bearer TOKEN\`. The token is printed once, and stands in the file of \`--addresses\`.
A request with the \`Origin\` of another page, or for another \`Host\`, is refused.

An answer is \`{"ok": true, "time": "EPOCH NANOSECONDS", ...}\`, or \`{"ok": false, "error", "message"}\` with
\`field\`, \`expected\` and \`found\` where a value is at fault:

| status | error | meaning |
|---|---|---|
| 400 | \`INVALID\` | a field is unknown, missing or means nothing |
| 401 | \`UNAUTHORIZED\` | no token, or another one |
| 403 | \`FORBIDDEN\` | a page, or another host |
| 404 | \`UNKNOWN\` | there is no such action, key or fill |
| 405 | \`METHOD\` | another method than POST |
| 409 | \`NOT_NOW\` | right, but not at this moment |
| 413 | \`TOO_LARGE\` | a longer body |
| 500 | \`FAILED\` | the action failed; the screen of the server says why |

The same actions stand with their times in \`controlPlan\` of a [configuration](serve-file.md):
\`{"at": "12:00", "action": "gap", "instrument": "BTCUSDT", "events": 3}\`. Each is done once.
Faults of the venue that a seed spreads over the run stand in \`faults\` there.

| action | body | what it does | what a client receives | what ends it |
|---|---|---|---|---|
${rows.join('\n')}`
  return page('Faults on demand', 'src/serve/control-actions.ts', text)
}

function meaningTable(head, meanings) {
  const rows = Object.entries(meanings).map(([name, meaning]) => `| \`${name}\` | ${cell(meaning)} |`)
  return [`| ${head} | meaning |`, '|---|---|', ...rows].join('\n')
}

async function fromDist(path) {
  return import(pathToFileURL(join(root, 'dist', path)).href)
}

async function errorsPage() {
  const { ERROR_CODES } = await fromDist('model/error.js')
  const { DISCARD_REASONS } = await fromDist('strategy/order-params.js')
  const text = `Every error is a \`BacktapeError\`. It has a stable \`code\`, a sentence and a \`place\`.
The place is a file, a line, a byte offset or a field, as far as it is known.

## Codes

${meaningTable('code', ERROR_CODES)}

## Discard reasons

An order that cannot be right is never sent. \`placeOrder\` returns it \`DISCARDED\` with its \`discardReason\`.

${meaningTable('reason', DISCARD_REASONS)}`
  return page('Errors', 'src/model/error.ts and src/strategy/order-params.ts', text)
}

/**
 * The helps of commands by their words, as one types them: in English, at the width of a text that is no terminal. One
 * process writes them all.
 */
function helps(commands) {
  const env = { ...process.env, LC_ALL: 'C', LANG: 'C', LANGUAGE: '' }
  const entry = pathToFileURL(join(root, 'lib/chunks/main.js')).href
  const program = `const { main } = await import(${JSON.stringify(entry)})
for (const words of ${JSON.stringify(commands)}) {
  if (await main([...words, '--help']) !== 0) throw new Error('Cannot read the help of ' + words.join(' '))
  console.log('\\0')
}`
  const words = ['--input-type=module', '-e', program]
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8', env })
  if (status !== 0) throw new Error(stderr)
  return stdout.split('\0').slice(0, commands.length).map((text) => text.trim())
}

const COMMAND_LINE_RULES = `## Exit codes

| code | meaning |
|---|---|
| 0 | everything went well; also where the reader of a pipe, such as \`head\`, went away |
| 1 | bad input or failed work: a damaged file, a golden that differs; with \`--strict\` also nothing to show |
| 2 | wrong usage: an unknown command or option, a value that means nothing, an output that exists |
| 130 | stopped by Ctrl-C; the same command goes on where its help says so |
| 143, 129 | stopped by SIGTERM, or by SIGHUP as its terminal was closed |

## On a terminal

- Data go to standard output, everything else to standard error.
- Work of more than a second shows a progress line on standard error, and takes it away. Into a pipe, where a pager may
  have the terminal, readers show none.
- Errors are red and warnings yellow, on a terminal alone. \`NO_COLOR\` with any value turns colours off,
  \`FORCE_COLOR\` turns them on elsewhere too (\`FORCE_COLOR=0\` off).
- Tables of runs and parameter sets fit the width of the terminal: texts end with \`…\`, numbers keep every digit.
  Into a pipe or file nothing is cut.
- \`backtape completion bash >> ~/.bashrc\` (or \`zsh >> ~/.zshrc\`) completes commands, options and their values.
- Control characters of files and names are escaped.`

function commandLinePage() {
  const [overview] = helps([[]])
  const namesIn = (text) => [...text.matchAll(/^ {2}([a-z-]+) {2,}[a-z]/gm)].map((match) => match[1])
  const names = namesIn(overview)
  const firsts = helps(names.map((name) => [name]))
  // A group lists its commands in the place of options.
  const isGroup = (name, at) => firsts[at].includes(`backtape ${name} COMMAND ...`)
  const seconds = names.map((name, at) => isGroup(name, at) ? namesIn(firsts[at]) : [])
  const words = names.flatMap((name, at) => seconds[at].map((second) => [name, second]))
  const inner = new Map(helps(words).map((text, at) => [words[at].join(' '), text]))
  const sections = names.flatMap((name, at) => [
    [name, firsts[at]], ...seconds[at].map((second) => [`${name} ${second}`, inner.get(`${name} ${second}`)]),
  ]).map(([name, text]) => `## ${name}\n\n\`\`\`text\n${text}\n\`\`\``)
  const parts = [`\`\`\`text\n${overview}\n\`\`\``, COMMAND_LINE_RULES, ...sections]
  return page('Command line', 'the help of the commands', parts.join('\n\n'))
}

function summaryPage() {
  const text = `\`backtest --json\` prints the summary, and \`result.summary\` holds it. It is plain JSON.
Money, prices and quantities are exact decimals in text, times are ISO-8601 with nine digits.
Names that end in \`Ns\` are nanoseconds. Ratios and shares are numbers; they are statistics.
The text of at most 40 lines rounds amounts to the digits of their currency: two for dollars, else up to eight.
\`--full\` prints every field as text. [Formulas](measures.md) says how each figure is made of the tables.

${summaryText()}`
  return page('Summary of a run', 'the docstrings of the summary in src/report', text)
}

function measuresPage() {
  const text = `Each figure of a [summary](summary.md) by the [tables](../guide/what-comes-back.md) of the run.
A test makes each of them so (\`test/report/measures.test.ts\`).

- Rows are those of the figure: of an account and instrument those of \`account\` and \`instrument\`; of an
  underlying those with it in \`underlying\`, and fills of instruments that settle in it; of the whole run all rows.
- A name without a table is a field of the summary. The journal stands for what no table has: messages and payments.
- Sums are exact. An amount that is a quotient is rounded half-even to 18 decimals. A division by 0 is null.
- \`equity\` has its default step here. The report's drawdown of buying and holding is of the mid at the same samples:
  the greatest 1 - mid / highest mid so far.

${measuresText()}`
  return page('Formulas of the figures', 'the docstrings of the summary in src/report', text)
}

async function journalRecordsPage() {
  const { JOURNAL_FORMAT, SEGMENT_LINES } = await fromDist('protocol/record-layout.js')
  const lines = SEGMENT_LINES.toLocaleString('en')
  const text = `A journal is kept in memory, digested and written to \`.btj\` files as records. This is format \
${JOURNAL_FORMAT}.
The line of a record, as [journal](journal.md) describes it, is a function of the record and of what its segment states.
All numbers are little-endian. A published layout never changes: a new field is a new kind, and raises the format.

## Segments

A segment has up to ${lines} lines; it ends earlier where the scale of an instrument grows. Its parts follow each other:

| part | bytes | content |
|---|---|---|
| head | 32 | number of the first line (8 bytes); count of lines, day of the times in days since 1970, count of \
instruments, count of ids, bytes of names, bytes of texts (4 each) |
| instruments | 8 each | id (4), decimals of prices (1), of quantities (1), 0 (2) |
| ids | 16 each | UUIDs; the first has the number 1 |
| names | | a JSON list of texts; the first has the number 1 |
| kinds | 1 each | the kind of each line, in order |
| records | | the records of the lowest kind in the order of their lines, then those of the next |
| texts | | lines of the kind \`other\` as canonical JSON, each ended by a line feed |

Records are of the \`local\` side. \`seq\` of a line is the number of the segment's first line and its place among \
the kinds.
A record with \`instrument\` names an order alone: this is the instrument whose scales it has.
The digest of a segment is the SHA-256 of the digest before it (64 hex digits; nothing for the first) and its bytes.
The fingerprint of a run is \`bt3:\` and the SHA-256 of \`configDigest\`, the format and the journal's digest, joined \
by line feeds.

## Files

A \`.btj\` file begins with the 16 bytes \`backtape-journal\` and the format (4 bytes). Then come frames:

| part | bytes | content |
|---|---|---|
| length | 4 | bytes of the content |
| unpacked | 4 | bytes of the segment; 0 in the last frame |
| check | 32 | SHA-256 of the check before it (of the first: of the file's first 20 bytes), of the two lengths, and \
of the content |
| content | | a segment, packed by zlib; in the last frame JSON: \`digest\`, \`lineCount\`, \`end\` (\`whole\`, \
\`partial\`, \`failed\`), \`reason\` |

A file without its last frame is cut off. \`readJournal\` of \`backtape/report\` reads it; [the \
guide](../guide/python.md)
has a reader in Python.

${await recordsText()}`
  return page('Records of a journal', 'src/protocol/record-layout.ts', text)
}

async function journalPage() {
  const text = `A journal is a text of JSON lines. A line is a request of the strategy, a message that it received,
or something that happened at the exchange. Keys are sorted, so equal runs have equal bytes.
The fingerprint of a run is made of its configuration and of the [records](journal-records.md) that the lines are \
made of.

Every line has these fields:

| field | meaning |
|---|---|
| \`seq\` | number of the line, from 0 |
| \`side\` | whose time it is: \`local\` (the strategy's) or \`exchange\` |
| \`time\` | epoch nanoseconds, in quotes |
| \`kind\` | the kind of the line |
| \`client\` | the strategy; left out for lines of the exchange |
| \`account\` | the account, where the line is of one |

Units: a **price** or **quantity** is an exact decimal in quotes, in units of the instrument.
A **time** is epoch nanoseconds in quotes.
A **decimal** is an exact number in quotes: money, or a price of another scale.
A dot leads into an object, or into each object of a list.
A field without a value is left out.

${await journalText()}`
  return page('Journal', 'src/venue/message-fields.ts and src/results/run-journal.ts', text)
}

async function ordersPage() {
  const text = `The guide shows [how to place orders](../guide/orders.md). This page lists their fields.

## placeOrder

What \`instrument.placeOrder\` takes. \`side\` and \`quantity\` are needed, \`null\` means the default.

${orderParamsText()}

## Messages

The attributes of an order in the messages of order entry (spec 2). "always": every such message has it; "may": it can
be left out. Without the capability of the last column the adapter rejects the order with \`NOT_SUPPORTED\`.
Prices and quantities are exact decimals.

${await attributesText()}

[Order errors](order-errors.md) lists rejections, [errors](errors.md#discard-reasons) why an order is never sent.`
  return page('Orders', 'src/strategy/order-params.ts and src/venue/order-attributes.ts', text)
}

const SAMPLE_LINE =
  '[1,1210,"41","42",1782345115843612834,1782345115843000000,[[0,"1.0698","1039100",1],[1,"1.0719","0",1]]]'

/** The frame of the sample line, sixteen bytes a row. */
async function sampleFrame() {
  const { createJsonDecoder } = await fromDist('protocol/feed-json-codec.js')
  const { createSbeEncoder } = await fromDist('protocol/feed-sbe-codec.js')
  const from = { instrument: { id: 1210 }, priceScale: 4, quantityScale: 0 }
  const decoder = createJsonDecoder({ epochDay: 20_629, instrumentOf: () => from })
  const encoder = createSbeEncoder()
  decoder.decode(new TextEncoder().encode(SAMPLE_LINE), { onLine: (batch, index) => encoder.line(batch, index) })
  const bytes = encoder.sink.bytes.subarray(0, encoder.sink.count)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  const rowCount = Math.ceil(hex.length / 16)
  const row = (i) => `${String(i * 16).padStart(3)}  ${hex.slice(i * 16, i * 16 + 16).join(' ')}`
  return Array.from({ length: rowCount }, (_, i) => row(i)).join('\n')
}

async function feedSbePage() {
  const text = `The binary encoding of the realtime feed, at \`/api/v6/sbe\`: SBE 1.0, little-endian, schema id 1,
version 6. The schema is [feed.xml](../../schemas/feed.xml), of which Real Logic's \`sbe-tool\` makes codecs.
The layout is ours, as the vendor has not published one. Values are exactly those of the JSON feed.

- A binary frame is one message: header (8 bytes), block, groups, texts, without padding. Text frames are notices before
  a close, in plain words.
- The header is blockLength, templateId, schemaId, version, each uint16. A template id is the message type of JSON.
- A client sends Login, then Subscribe or Unsubscribe for each instrument; the server answers as the JSON feed does.
- A decimal is mantissa times 10^exponent: 1.0715 may be 10715 and -4. Trailing zeros mean nothing.
- An id is a number where its text is one: digits without leading zeros, below 2^64 - 1. Any other id is null
  (2^64 - 1) and stands as a text at the end of the message. Compare ids for equality alone.
- Times are nanoseconds since 1970-01-01 UTC; 0 where a time is not available. Flags are 0, 1 or, for null, 255.
- Pass what you do not know: templates by their id; bytes behind the known fields of a block or of an entry
  (\`blockLength\` says where they end); bytes behind the last text where the version is above 6.
- A group has at most 1,048,576 entries. A value that does not fit (beyond 2^53, a longer text) is never sent cut: the
  server then says \`instrument not available on this endpoint\`.
- Our client refuses a damaged frame with \`FRAME_MALFORMED\` or \`VALUE_INEXACT\`, the name of the field and its byte.
  Our server answers one with the notice \`protocol violation: ...\` and closes.

The line \`${SAMPLE_LINE}\` is this frame:

\`\`\`text
${await sampleFrame()}
\`\`\`

${sbeText()}`
  return page('Realtime feed as SBE', 'schemas/feed.xml', text)
}

const [EXAMPLES, EXAMPLES_END] = ['<!-- examples: npm run reference -->', '<!-- end of examples -->']

/** A page that is written by hand, with the examples of a server in it. */
function pageWithExamples(path, examples) {
  const text = readFileSync(join(root, path), 'utf8')
  const [head, rest = ''] = text.split(EXAMPLES)
  const [, tail] = rest.split(EXAMPLES_END)
  if (tail === undefined) throw new Error(`${path} has no place for examples`)
  return { path, text: `${head}${EXAMPLES}\n\n${examples}\n\n${EXAMPLES_END}${tail}` }
}

/** The generated pages: path in the project and text. Needs a built dist. */
export async function referencePages() {
  const examples = await wireExamples()
  return [
    pageWithExamples('docs/reference/feed-wire.md', examples.feed),
    pageWithExamples('docs/reference/order-entry-wire.md', examples.orders),
    { path: 'docs/reference/api.md', text: page('Public names', 'the docstrings of src', apiText()) },
    { path: 'docs/reference/command-line.md', text: commandLinePage() },
    { path: 'docs/reference/errors.md', text: await errorsPage() },
    { path: 'docs/reference/feed-sbe.md', text: await feedSbePage() },
    { path: 'docs/reference/journal.md', text: await journalPage() },
    { path: 'docs/reference/journal-records.md', text: await journalRecordsPage() },
    { path: 'docs/reference/measures.md', text: measuresPage() },
    { path: 'docs/reference/orders.md', text: await ordersPage() },
    { path: 'docs/reference/run-file.md', text: runFilePage() },
    { path: 'docs/reference/serve-actions.md', text: await serveActionsPage() },
    { path: 'docs/reference/serve-file.md', text: serveFilePage() },
    {
      path: 'docs/reference/shop-wire.md',
      text: page('The shop on the wire', 'the tables of src/protocol/shop', await shopWireText()),
    },
    {
      path: 'docs/reference/strategy-wire.md',
      text: page('The strategy server on the wire', 'the tables of src/protocol/strategies', await strategyWireText()),
    },
    { path: 'docs/reference/summary.md', text: summaryPage() },
    { path: 'docs/reference/venue-profile.md', text: venueProfilePage() },
  ]
}
