/**
 * A sentence about a file behind the file's name, which is then not said twice: `maker.txt.zst: damaged. Cannot decode
 * line 7: ...`. One that begins with the name stays, and so does one of two files.
 */
export function fileSentence(file: string, word: string, sentence: string): string {
  if (sentence.startsWith(`${file} is `)) return sentence
  const at = sentence.indexOf(file)
  if (at < 0 || sentence.startsWith(' and ', at + file.length)) return `${file}: ${word}. ${sentence}`
  const [before, behind] = [sentence.slice(0, at).replace(/ (?:of |in )?$/, ''), sentence.slice(at + file.length)]
  return `${file}: ${word}. ${before}${behind}`
}
