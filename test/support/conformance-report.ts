import { lifeDifference, playRuns, readDay, readRun, type RecordedRun } from './conformance.ts'

/** What came of one recorded run. */
export interface RunReport {
  readonly path: string
  readonly orderCount: number
  /** Differing orders by the class that explains them. */
  readonly classes: Readonly<Record<string, number>>
  /** The first difference that no class explains, in words. */
  readonly unexplained: string | null
  readonly moneyDifference: string | null
}

/** Plays recorded runs, day by day, and compares every order. */
export async function compareRuns(paths: readonly string[], findDay: (fileName: string) => string | undefined): Promise<RunReport[]> {
  const runs = paths.map(readRun)
  const reports: RunReport[] = []
  for (const file of new Set(runs.map((run) => run.file))) {
    const path = findDay(file)
    if (path === undefined) throw new Error(`Cannot find the day ${file}: name its folder with --data`)
    const day = await readDay(path)
    const ofDay = runs.filter((run) => run.file === file)
    playRuns(day, ofDay).forEach(({ recorded, played }, index) => {
      reports.push(reportOf(ofDay[index]!, recorded.map((life, at) => lifeDifference(life, played[at]))))
    })
  }
  return reports
}

function reportOf(run: RecordedRun, differences: readonly (string | null)[]): RunReport {
  return { path: run.path, orderCount: differences.length, classes: {}, unexplained: differences.find((difference) => difference !== null) ?? null, moneyDifference: null }
}
