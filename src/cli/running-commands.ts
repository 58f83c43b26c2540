import type { Options } from 'yargs'
import { SORT_MEASURES } from '../report/set-measures.js'
import { EXPORT_FORMATS } from '../tables/output-format.js'
import type { Command } from './terminal/command.js'
import {
  JOBS_OPTION, PREFER_OPTION, FORM_OPTIONS, OVERRIDE_OPTIONS, IN_RECORD, PNG_OPTION, LIST_LIMIT, VIEW_PAGE, STARTS,
  HOLES,
} from './command-options.js'
import { INSPECTOR_PORT } from './inspector.js'

/** `backtape backtest`. */
export const backtestCommand: Command = {
  name: 'backtest',
  usage:
    'FILE.run.json [--set NAME=VALUE] [--assume NAME=VALUE] [--data FILE] [--from TIME] [--to TIME] [--seed N] ' +
      '[--journal FILE] [--out FOLDER] [--report [FILE.html] [--png]] [--cache DIR] [--jobs 2] ' +
      '[--checkpoint-every 1h] [--resume [--other-engine]] [--inspect] [--json]',
  example: 'backtape backtest maker.run.json --journal maker.jsonl',
  moreExamples: [
    'backtape backtest maker.run.json --from 2024-07-18 --to 2024-07-20 --set size=0.02',
    'backtape backtest maker.run.json --grid size=0.01,0.02,0.05 --grid refreshMs=250..1000:250 --sort profit',
  ],
  words: { least: 1, most: 1 },
  options: {
    ...OVERRIDE_OPTIONS,
    sort: {
      type: 'string', describe: `of several sets, the best first: ${SORT_MEASURES.join(', ')}; also profit_USDT`,
    },
    split: {
      type: 'string',
      describe: 'parts, such as 60/40 or 2024-07-19: the best set of the first part (--sort) is reported on all',
    },
    walkForward: {
      type: 'string', describe: 'windows, such as train=5d,test=1d: the best set of each train is run on its test',
    },
    baseline: {
      type: 'string', describe: 'with parts: draws of random entries to compare with; default 1000, 0 for none',
    },
    show: { type: 'string', describe: 'of several sets, the summary of this one; from 0' },
    full: { type: 'boolean', describe: 'print the whole summary with every digit, of every set' },
    report: {
      type: 'string',
      describe: 'page of the run and its data beside it: report.html writes report.json too; without a file: into ' +
        'the record of the run and the folder of --out; of several sets a comparison, or with --show the report of one',
    },
    ...PNG_OPTION,
    journal: {
      type: 'string',
      describe: 'file for every event as JSON lines, .gz compresses; or as records: .btj; several parameter sets are ' +
        'numbered',
    },
    out: { type: 'string', describe: 'folder for the tables of the result and its report, made when missing' },
    to: {
      type: 'string',
      describe: 'the time at which the run ends, as in a run file; a clock time is of the last day of the data; or ' +
        'the format of the tables: ' +
        EXPORT_FORMATS.join(', '),
    },
    ...FORM_OPTIONS,
    cache: {
      type: 'string',
      describe: 'folder for decoded days: a later run over the same files reads them from there; safe to delete',
    },
    ...JOBS_OPTION,
    checkpointEvery: {
      type: 'string', describe: 'write a checkpoint after each such span of market time (1h, 10min), and when stopped',
    },
    checkpoint: {
      type: 'string', describe: 'file of the checkpoint; default: beside the run file, NAME.checkpoint.json',
    },
    resume: { type: 'boolean', describe: 'go on from the checkpoint' },
    otherEngine: {
      type: 'boolean', describe: 'with --resume: also from a checkpoint of another engine; the result says so',
    },
    inspect: {
      type: 'string',
      describe: `wait for a debugger before the strategy is loaded: at port ${INSPECTOR_PORT} of this machine, or at ` +
        '--inspect=PORT; 0 takes a free one',
    },
    json: { type: 'boolean', describe: 'the result as JSON' },
    name: { type: 'string', describe: 'a name for the run in the list of runs' },
    note: { type: 'string', describe: 'a note on the run in the list of runs' },
    noRecord: {
      type: 'boolean', describe: 'leave no record in .backtape/runs beside the run file, as where CI is set'
    },
    strict: { type: 'boolean', describe: 'end with an error where market data of a warm-up are missing' },
    force: { type: 'boolean', describe: 'overwrite what exists' },
  },
  bareOptions: { inspect: INSPECTOR_PORT, report: IN_RECORD },
  bareUnless: { report: /\.html?$/i },
  load: async () => (await import('./backtest.js')).runBacktest,
}

/** `backtape live`. */
export const liveCommand: Command = {
  name: 'live',
  usage:
    'FILE.run.json --feed URL --backend URL [--account NAME] [--set NAME=VALUE] [--cancel own|all|none] ' +
      '[--record DAYS] [--journal FILE] [--out FOLDER] [--report [FILE.html] [--png]] [--json]; ' +
      'live FILE.run.json --paper --feed URL --directory URL [--lag 1s] ...; ' +
      'live compare JOURNAL [FILE.run.json] --data DAYS [--json]',
  example: 'backtape live maker.run.json --feed ws://127.0.0.1:14004/api/v6 --backend http://127.0.0.1:8080',
  words: { least: 1, most: 3 },
  options: {
    feed: {
      type: 'string',
      describe: 'a feed such as ws://host:port/api/v6, or MARKET=URL; repeat it for several; default: live.feeds',
    },
    backend: { type: 'string', describe: 'the host that knows the adapters; default: live.backend of the run file' },
    directory: { type: 'string', describe: 'the host of the instrument directory; default: the backend' },
    account: { type: 'string', describe: 'an account; repeat it for several; default: those of the run file' },
    paper: {
      type: 'boolean',
      describe: 'orders go to the simulated exchange of this process, with the accounts and assumptions of the run ' +
        'file: no backend',
    },
    lag: {
      type: 'string',
      describe: 'of --paper: how far it stays behind the feed, 1ms to 1min; default: live.lag of the run file, else 1s',
    },
    keyVariable: {
      type: 'string', describe: 'the environment variable with the key of the feeds; default BACKTAPE_FEED_KEY',
    },
    cancel: {
      type: 'string', choices: ['own', 'all', 'none'],
      describe: 'orders that are cancelled at the end: its own (default), all of the accounts, or none',
    },
    record: {
      type: 'string',
      describe: 'folder for what the feeds send, as day files that a backtest reads; an earlier recording of the day ' +
        'goes on, any other file stays, with --force too',
    },
    data: OVERRIDE_OPTIONS['data'] as Options,
    set: OVERRIDE_OPTIONS['set'] as Options,
    seed: OVERRIDE_OPTIONS['seed'] as Options,
    full: { type: 'boolean', describe: 'print the whole summary with every digit' },
    report: {
      type: 'string',
      describe: 'page of the run and its data beside it: report.html writes report.json too; without a file: into ' +
        'the record of the run and the folder of --out',
    },
    ...PNG_OPTION,
    journal: {
      type: 'string', describe: 'file for every event as JSON lines, .gz compresses; or as records: .btj',
    },
    out: { type: 'string', describe: 'folder for the tables of the result and its report, made when missing' },
    to: { type: 'string', describe: `the format of the tables: ${EXPORT_FORMATS.join(', ')}` },
    ...FORM_OPTIONS,
    json: { type: 'boolean', describe: 'the result as JSON' },
    name: { type: 'string', describe: 'a name for the run in the list of runs' },
    note: { type: 'string', describe: 'a note on the run in the list of runs' },
    noRecord: {
      type: 'boolean', describe: 'leave no record in .backtape/runs beside the run file, as where CI is set'
    },
    force: { type: 'boolean', describe: 'overwrite what exists' },
  },
  bareOptions: { report: IN_RECORD },
  bareUnless: { report: /\.html?$/i },
  load: async () => (await import('./live.js')).runLive,
}

/** `backtape run-file`. */
export const runFileCommand: Command = {
  name: 'run-file',
  usage: 'FILE.run.json [--set NAME=VALUE] [--assume NAME=VALUE] [--data FILE] [--from TIME] [--to TIME] [--seed N]',
  example: 'backtape run-file maker.run.json',
  words: { least: 1, most: 1 },
  options: {
    ...OVERRIDE_OPTIONS,
    to: { type: 'string', describe: 'the time at which the run ends, as in a run file' },
  },
  load: async () => (await import('./run-file.js')).runRunFile,
}

/** `backtape runs`. */
export const runsCommand: Command = {
  name: 'runs',
  usage: '[list WORD... | show RUN | compare RUN RUN [--report FILE.html [--png]] | prune] [--in FOLDER]',
  example: 'backtape runs compare last best',
  words: { least: 0, most: Infinity },
  options: {
    in: {
      type: 'string',
      describe: 'the folder of the run files; default: this one, those below it, the project that it lies in',
    },
    limit: { type: 'string', describe: `of the list: how many; default ${String(LIST_LIMIT)}` },
    sort: { type: 'string', describe: 'of several sets, the best first' },
    full: { type: 'boolean', describe: 'of show: the whole summary with every digit' },
    report: { type: 'string', describe: 'of compare: a page such as compare.html, with its data beside it' },
    ...PNG_OPTION,
    force: { type: 'boolean', describe: 'of compare: overwrite what exists' },
    keep: { type: 'string', describe: 'of prune: the last so many runs stay' },
    olderThan: { type: 'string', describe: 'of prune: runs older than this go, such as 30d' },
    named: { type: 'boolean', describe: 'of prune: named runs go too' },
    json: { type: 'boolean', describe: 'the list as JSON' },
  },
  load: async () => (await import('./runs.js')).runRuns,
}

/** `backtape view`. */
export const viewCommand: Command = {
  name: 'view',
  usage: 'RUN --from TIME [--to TIME | --for 2m] [--out view.html] [--serve] [--show N] [--levels N]',
  example: 'backtape view maker.run.json --from 12:30:00 --for 2m',
  words: { least: 1, most: 1 },
  options: {
    ...Object.fromEntries(Object.entries(OVERRIDE_OPTIONS).filter(([name]) => name !== 'grid')),
    from: {
      type: 'string', describe: 'where the stretch begins; a clock time is of the first day of the data',
    },
    to: { type: 'string', describe: 'where it ends, at most 10min later; a clock time is of the day of --from' },
    for: { type: 'string', describe: 'or how long it is; default 1min' },
    out: { type: 'string', describe: `the page; default ${VIEW_PAGE}, none with --serve` },
    force: { type: 'boolean', describe: 'overwrite the page' },
    serve: {
      type: 'string',
      describe: 'shows the page at 127.0.0.1 to this machine alone until Ctrl-C; any free port, or --serve=PORT',
    },
    show: { type: 'string', describe: 'of several sets: the number of the one to view' },
    levels: { type: 'string', describe: 'levels of a side; default 15, at most 100' },
    in: { type: 'string', describe: 'of a remembered run: the folder of its run file; default as of runs' },
    cache: { type: 'string', describe: 'a folder that keeps decoded days for the next run' },
  },
  bareOptions: { serve: '0' },
  load: async () => (await import('./view.js')).runView,
}

/** `backtape serve`. */
export const serveCommand: Command = {
  name: 'serve',
  usage:
    '--data DAYS [--account NAME[:EXCHANGE]] | --config serve.json [--speed 60|max|lockstep] [--shop] ' +
      '[--strategies FOLDER] [--addresses FILE]',
  example: 'backtape serve --data days --account paper',
  moreExamples: [
    'backtape serve --config serve.json --addresses addresses.json',
    'backtape serve --data days --account paper --strategies strategies',
    'backtape serve --data days --speed lockstep --port 0 --control-port 0 --addresses addresses.json',
  ],
  words: { least: 0, most: 100 },
  needsOptions: true,
  options: {
    config: { type: 'string', describe: 'a configuration in JSON (docs/reference/serve-file.md)' },
    data: { type: 'string', describe: 'tick files, bundles, folders or patterns; repeat it for several' },
    ...PREFER_OPTION,
    account: {
      type: 'string',
      describe: 'an account: NAME, or NAME:EXCHANGE where the data have several; repeat it; default paper, with ' +
        '100,000 of each counter underlying, maker 0.0002, taker 0.0005',
    },
    speed: { type: 'string', describe: 'a factor (default 1), max, or lockstep: on when all clients are done' },
    start: { type: 'string', choices: STARTS, describe: 'when it begins to move; default first-subscription' },
    from: { type: 'string', describe: 'where it begins; a clock time is of the first day of the data' },
    to: { type: 'string', describe: 'where it ends; a clock time is of the last day' },
    loop: { type: 'boolean', describe: 'begin again at the end; not in lock-step' },
    holes: { type: 'string', choices: HOLES, describe: 'days without data at a factor: play (default) or skip' },
    patience: {
      type: 'string', describe: 'in lock-step: so long a client that does not answer is waited for; default 5m, or off',
    },
    step: { type: 'boolean', describe: 'in lock-step: one step for each POST /step at the control port' },
    port: { type: 'string', describe: 'of adapter, lookup and directory; default 8080, 0 takes a free one' },
    controlPort: { type: 'string', describe: 'faults on demand, on this machine alone; 0 takes a free one' },
    socket: { type: 'string', describe: 'path of a domain socket of the adapter' },
    shop: { type: 'boolean', describe: 'sell the days of the data in a shop too, on the same port' },
    state: { type: 'string', describe: "folder of the shop's orders; default: the user's folder for state" },
    now: { type: 'string', describe: "clock of the shop: a time it runs on from, or replay; default: the wall's" },
    cold: { type: 'boolean', describe: 'days of the shop over 30 days old are in the archive, and must be restored' },
    restoreTime: { type: 'string', describe: 'the time that a restore takes; default 12h' },
    samples: { type: 'string', describe: 'a free day of the shop, "exchange:CODE 2024-08-08"; repeat it for several' },
    addresses: {
      type: 'string',
      describe: 'writes addresses, keys and token as JSON once everything listens; the owner reads it alone',
    },
    strategies: {
      type: 'string',
      describe: 'a folder of modules: a strategy server runs instances of their strategies over the days',
    },
    strategyPort: { type: 'string', describe: 'of the strategy server; default 8000, 0 takes a free one' },
    tokenFile: { type: 'string', describe: 'a token that every request to the strategy server needs' },
    processId: { type: 'string', describe: 'the id of this server on records of a broker; default: a random one' },
    store: { type: 'string', describe: "folder of its instances; default: the user's folder for state" },
    resume: { type: 'boolean', describe: 'start instances that were interrupted again, from their checkpoints' },
    log: { type: 'boolean', describe: 'a line for each connection, login and action' },
  },
  load: async () => (await import('./serve.js')).runServe,
}

/** Options of commands that ask a strategy server. */
const OF_SERVER = {
  server: { type: 'string', describe: 'the strategy server; default http://127.0.0.1:8000' },
  tokenFile: { type: 'string', describe: 'the file of its token' },
} as const

/** `backtape channel`. */
export const channelCommand: Command = {
  name: 'channel',
  usage: 'NAME --origin NAME [--server http://127.0.0.1:8000] [--token-file FILE] [--json]',
  example: 'backtape channel signals --origin desk',
  words: { least: 1, most: 1 },
  options: {
    origin: { type: 'string', describe: 'the origin of what it publishes; no other client has it' },
    ...OF_SERVER, json: { type: 'boolean', describe: 'messages as JSON lines: channel, origin, message' },
  },
  load: async () => (await import('./channel.js')).runChannel,
}

/** `backtape stop-all`. */
export const stopAllCommand: Command = {
  name: 'stop-all',
  usage: '[--server http://127.0.0.1:8000] [--token-file FILE] [--json]',
  example: 'backtape stop-all',
  words: { least: 0, most: 0 },
  options: { ...OF_SERVER, json: { type: 'boolean', describe: 'the statuses of what was stopped as JSON' } },
  load: async () => (await import('./stop-all.js')).runStopAll,
}

/** `backtape verify`. */
export const verifyCommand: Command = {
  name: 'verify',
  usage: 'FOLDER|FILE.run.json... [--update] [--jobs 2] [--json]',
  example: 'backtape verify runs',
  moreExamples: [
    'backtape verify strategies --update',
  ],
  words: { least: 1, most: Infinity },
  options: {
    update: { type: 'boolean', describe: 'accept what the runs do: write the goldens that are missing or differ' },
    ...JOBS_OPTION,
    json: { type: 'boolean', describe: 'what became of each run file as JSON' },
  },
  load: async () => (await import('./verify.js')).runVerify,
}
