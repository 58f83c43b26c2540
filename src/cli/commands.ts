import { SHOP_COMMANDS } from './shop/shop-commands.js'
import type { CommandGroup, ListedCommand } from './terminal/command.js'

/** The commands by name, in the order of the overview. */
export const COMMANDS: Readonly<Record<string, ListedCommand | CommandGroup>> = {
  info: {
    summary:
      'says on one screen what a tick file holds: instrument, day, coverage, events by kind, sizes, anything odd',
    load: async () => (await import('./reading-commands.js')).infoCommand,
  },
  audit: {
    summary: 'checks tick files in one pass; exit code 1 when a file is damaged or disagrees with itself',
    load: async () => (await import('./reading-commands.js')).auditCommand,
  },
  events: {
    summary: 'prints events as JSON lines: exact decimals as strings, times as digits (epoch nanoseconds)',
    load: async () => (await import('./reading-commands.js')).eventsCommand,
  },
  book: {
    summary: 'shows the order book at a time, or samples it on a grid',
    load: async () => (await import('./reading-commands.js')).bookCommand,
  },
  minutes: {
    summary: 'sums up every minute in the 22 columns of the shop, or other spans, exactly, as a table in any format',
    load: async () => (await import('./reading-commands.js')).minutesCommand,
  },
  catalog: {
    summary:
      'lists what lies in folders: instruments, days, kinds of events, coverage, gaps, sizes, what was converted',
    load: async () => (await import('./reading-commands.js')).catalogCommand,
  },
  sql: {
    summary: 'runs a statement of SQL over the days of folders; tick files are converted when they are first needed',
    load: async () => (await import('./reading-commands.js')).sqlCommand,
  },
  backtest: {
    summary: 'runs a strategy over recorded days as a run file says, and prints what it did',
    load: async () => (await import('./running-commands.js')).backtestCommand,
  },
  live: {
    summary: 'runs the strategy of a run file over sockets: against the live system, or against `backtape serve`',
    load: async () => (await import('./running-commands.js')).liveCommand,
  },
  'run-file': {
    summary: 'checks a run file and prints it joined with the files that it extends; a copy beside it runs the same',
    load: async () => (await import('./running-commands.js')).runFileCommand,
  },
  runs: {
    summary: 'lists the runs that were recorded, shows one, compares two, removes old ones',
    load: async () => (await import('./running-commands.js')).runsCommand,
  },
  view: {
    summary: 'replays a run to a stretch and makes a page to step through it: book, orders, queue, trades, journal',
    load: async () => (await import('./running-commands.js')).viewCommand,
  },
  serve: {
    summary: 'serves recorded days on this machine as the live system: feed, order entry, directory, faults on demand',
    load: async () => (await import('./running-commands.js')).serveCommand,
  },
  channel: {
    summary: 'prints the messages of a channel of a strategy server, and publishes lines of standard input to it',
    load: async () => (await import('./running-commands.js')).channelCommand,
  },
  'stop-all': {
    summary: 'stops every instance of a strategy server and cancels its orders; exit code 1 where anything is left',
    load: async () => (await import('./running-commands.js')).stopAllCommand,
  },
  shop: SHOP_COMMANDS,
  verify: {
    summary:
      'runs every run file and compares what it does with its golden; exit code 1 and the first difference in words ' +
      'where one differs',
    load: async () => (await import('./running-commands.js')).verifyCommand,
  },
  init: {
    summary: 'makes a project: a strategy with its run file, golden, test, notebook, CI job and a made-up day',
    load: async () => (await import('./making-commands.js')).initCommand,
  },
  import: {
    summary: "turns other people's CSV files into tick files, one for each instrument and UTC day, and audits them",
    load: async () => (await import('./making-commands.js')).importCommand,
  },
  synth: {
    summary: 'makes up days with every event kind by a seeded simulation, as tick files; prints their paths',
    load: async () => (await import('./making-commands.js')).synthCommand,
  },
  convert: {
    summary: 'converts tick files to Parquet, Arrow, CSV or JSON tables; the same command again skips what is whole',
    load: async () => (await import('./making-commands.js')).convertCommand,
  },
  completion: {
    summary: 'prints a script that completes commands, options and their values in bash, zsh, fish or PowerShell',
    load: async () => (await import('./making-commands.js')).completionCommand,
  },
}

/** A command, or a group of them, with the words that name it: `shop search`. */
export interface FoundCommand {
  readonly name: string
  readonly listed: ListedCommand | CommandGroup
  /** The words behind its name. */
  readonly rest: readonly string[]
}

/** The command, or the group, that a line begins with; null where its first word is none. */
export function commandOf(words: readonly string[]): FoundCommand | null {
  const [name = '', second = '', ...more] = words
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (listed === undefined) return null
  if ('load' in listed || !Object.hasOwn(listed.commands, second)) return { name, listed, rest: words.slice(1) }
  const inner = listed.commands[second]
  return inner === undefined ? null : { name: `${name} ${second}`, listed: inner, rest: more }
}
