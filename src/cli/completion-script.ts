import yargs from 'yargs/yargs'
import { optionError, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

/** Words alone first, where no file may stand; files too behind a command. Of zsh's form the meanings are taken. */
const FISH = String.raw`function __backtape_words
  set -l words (commandline -opc) (commandline -ct)
  for line in (SHELL=/bin/zsh command backtape --get-yargs-completions $words 2>/dev/null)
    string replace -r '^([^:]+):' '$1\t' -- $line
  end
end
complete -c backtape -n 'test (count (commandline -opc)) -le 1' -f -a '(__backtape_words)'
complete -c backtape -n 'test (count (commandline -opc)) -gt 1' -a '(__backtape_words)'
`

/** An empty word, which PowerShell would drop, is handed over as two quotes. */
const POWERSHELL = String.raw`Register-ArgumentCompleter -Native -CommandName backtape -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursorPosition } |
    ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '""' }
  backtape --get-yargs-completions @words 2>$null | Where-Object { $_ -like "$wordToComplete*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`
const OWN: Readonly<Record<string, string>> = { fish: FISH, powershell: POWERSHELL }

/** The work of `backtape completion`. */
export async function runCompletion(args: Arguments, output: Output): Promise<number> {
  const [word] = args.words
  const shell = word ?? SHELLS.find((one) => process.env['SHELL']?.endsWith(one)) ?? 'bash'
  if (!SHELLS.some((one) => one === shell)) throw optionError('completion', `one of ${SHELLS.join(', ')}`, shell)
  const own = OWN[shell]
  if (own !== undefined) {
    await output.line(own.trimEnd())
    return 0
  }
  await output.flush()
  // yargs looks there for the shell.
  process.env['SHELL'] = shell
  yargs([]).scriptName('backtape').exitProcess(false).showCompletionScript()
  return 0
}
