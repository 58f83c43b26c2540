import { EXPORT_KINDS } from '../export/export-kind.js'
import { SYNTHETIC_KINDS } from '../synthetic/instrument-profile.js'
import { SYNTHETIC_ERAS } from '../synthetic/synthetic-exchange.js'
import { MARKET_KINDS } from '../tardis/stated-terms.js'
import type { Command } from './terminal/command.js'
import {
  READ_OPTIONS, PREFER_OPTION, MARGINS_OPTION, STRICT_OPTION, FORM_OPTIONS, FORMAT_WORDS, IMPORT_EXAMPLE,
} from './command-options.js'

/** `backtape init`. */
export const initCommand: Command = {
  name: 'init',
  usage: 'NAME [--package SPEC] [--force]',
  example: 'backtape init my-strategy',
  moreExamples: [
    'backtape init my-strategy --package file:../backtape-0.1.0.tgz',
  ],
  words: { least: 1, most: 1 },
  options: {
    package: {
      type: 'string',
      describe: 'what npm installs as backtape: a version, file:PATH of a tarball; default the one that is running',
    },
    force: { type: 'boolean', describe: 'write into a folder that is not empty, over files of the same names' },
  },
  load: async () => (await import('./init.js')).runInit,
}

/** `backtape import`. */
export const importCommand: Command = {
  name: 'import',
  usage: 'tardis FOLDER [--out days] [--instrument FILE.json] [--kind perpetual]',
  example: IMPORT_EXAMPLE,
  moreExamples: [
    'backtape import tardis datasets --out days --instrument terms.json --kind perpetual',
  ],
  words: { least: 2, most: 2 },
  options: {
    out: { type: 'string', describe: 'folder for the tick files, made when missing; default the current one' },
    instrument: {
      type: 'string', array: true,
      describe: 'JSON file with terms that the data do not say: contract value, multiplier, tick size, assets; ' +
        'may be repeated',
    },
    kind: {
      type: 'string', choices: [...MARKET_KINDS],
      describe: 'what is traded, where no such file and no exchange says it',
    },
    force: { type: 'boolean', describe: 'overwrite what exists' },
    strict: {
      type: 'boolean', describe: 'a value that a tick file cannot hold exactly ends its day; else it is left out',
    },
    json: { type: 'boolean', describe: 'the fate of each day as JSON' },
  },
  load: async () => (await import('./import.js')).runImport,
}

/** `backtape synth`. */
export const synthCommand: Command = {
  name: 'synth',
  usage: '[--seed N] [--minutes N] [--days N] [--kind KIND,...] [--out FOLDER]',
  example: 'backtape synth --seed 7 --minutes 30 --out datasets',
  words: { least: 0, most: 0 },
  options: {
    seed: { type: 'string', describe: 'a whole number; the same seed gives the same bytes (default 1)' },
    minutes: {
      type: 'string',
      describe: 'minutes of open market a day, 1 to 1440 (default 30); margins around midnight come on top',
    },
    days: { type: 'string', describe: 'consecutive days, a file each (default 1)' },
    day: { type: 'string', describe: 'the first day, YYYY-MM-DD (default 2026-07-01)' },
    kind: {
      type: 'string', choices: [...SYNTHETIC_KINDS],
      describe: 'what is traded; several with commas (default perpetual)',
    },
    strike: {
      type: 'string', describe: 'strike of options, a whole thousand from 40000 to 90000 (default 68000)',
    },
    era: { type: 'string', choices: [...SYNTHETIC_ERAS], describe: "whose year's layout (default 2026)" },
    truth: { type: 'boolean', describe: 'write the order-level events as well, NAME.truth.jsonl.zst' },
    out: { type: 'string', describe: 'folder for the files (default: this one)' },
    force: { type: 'boolean', describe: 'overwrite what exists' },
  },
  load: async () => (await import('./synth.js')).runSynth,
}

/** `backtape convert`. */
export const convertCommand: Command = {
  name: 'convert',
  usage: 'FILE... [--to parquet] [--kinds trades,bbo] --out FOLDER [--jobs 2]',
  example: 'backtape convert days/*.txt.zst bundle.tar --to parquet --out archive --jobs 2',
  moreExamples: [
    'backtape convert days --kinds trades,bbo --to csv.gz --out tables',
    'backtape convert days --check --out archive',
  ],
  words: { least: 1, most: Infinity },
  options: {
    to: {
      type: 'string', choices: [...FORMAT_WORDS, 'shop'],
      describe: "format; default parquet; shop writes the shop's five derived exports",
    },
    kinds: {
      type: 'string', array: true, alias: 'kind', choices: EXPORT_KINDS,
      describe: 'tables wanted, commas separate; default all that have rows',
    },
    out: { type: 'string', describe: 'folder for the results, made when missing; default the current one' },
    ...FORM_OPTIONS,
    jobs: { type: 'string', describe: 'inputs at a time; default 1' },
    force: { type: 'boolean', describe: 'write all again, over whole results and files of others' },
    check: { type: 'boolean', describe: 'read every result back and compare it with its source' },
    json: { type: 'boolean', describe: 'what became of each input as JSON' },
    ...PREFER_OPTION,
    ...MARGINS_OPTION,
    ...STRICT_OPTION,
    ...READ_OPTIONS,
  },
  load: async () => (await import('./convert.js')).runConvert,
}

/** `backtape completion`. */
export const completionCommand: Command = {
  name: 'completion',
  usage: '[bash|zsh|fish|powershell]',
  example: 'backtape completion bash >> ~/.bashrc',
  moreExamples: [
    'backtape completion zsh >> ~/.zshrc',
    'backtape completion fish > ~/.config/fish/completions/backtape.fish',
    'backtape completion powershell >> $PROFILE',
  ],
  words: { least: 0, most: 1 },
  options: {},
  load: async () => (await import('./completion-script.js')).runCompletion,
}
