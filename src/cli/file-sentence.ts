import type { BacktapeError } from '../model/error.js'
import { errorSentence } from './terminal/exit-code.js'

/**
 * The sentence of an error of a file behind the file's name, which is then not said twice: `maker.txt.zst: damaged.
 * Cannot decode line 7: ...`. One that begins with the name stays, and so does one of two files.
 */
export function fileSentence(file: string, word: string, error: BacktapeError): string {
  const sentence = errorSentence(error)
  if (sentence.startsWith(`${file} is `)) return sentence
  const at = sentence.indexOf(file)
  if (at < 0 || sentence.startsWith(' and ', at + file.length)) return `${file}: ${word}. ${sentence}`
  const [before, behind] = [sentence.slice(0, at).replace(/ (?:of |in )?$/, ''), sentence.slice(at + file.length)]
  return `${file}: ${word}. ${before}${behind}`
}
