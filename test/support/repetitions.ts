const times = process.env['BACKTAPE_PROPERTY_TIMES']

/** True in `.ci/nightly` (`BACKTAPE_NIGHTLY`), which takes every repetition; `npm test` by day takes some of them. */
export const isNight: boolean = (process.env['BACKTAPE_NIGHTLY'] ?? '') !== ''

/** Factor on the cases that a property declares: a fifth of them by day, ten times as many by night. */
export const propertyTimes = Number(times ?? (isNight ? 10 : 0.2))

/** The first number that draws cases, where the environment states one. */
export const propertySeed: number | undefined = process.env['BACKTAPE_PROPERTY_SEED'] === undefined ? undefined : Number(process.env['BACKTAPE_PROPERTY_SEED'])

/** True where the environment asks for no other cases: what must have happened among the usual ones depends on their seed. */
export const isUsual: boolean = !isNight && times === undefined && propertySeed === undefined

/** Where a property declares few cases, half of them stay by day, up to as many as judge a mutant (`npm run mutants`). */
const FEW_CASES = 20

/** The cases of a property that declares so many, those among them that it names aside. */
export function caseCount(declared: number, namedCount = 0): number {
  const drawn = declared - namedCount
  return namedCount + Math.max(1, Math.ceil(propertyTimes * drawn), Math.min(Math.ceil(drawn / 2), FEW_CASES))
}

/** The count that a property declares to have so many cases, or a few more, by day and by night: with its seed they are always the same. */
export function sure(cases: number): number {
  return Math.ceil(cases / propertyTimes)
}

/** The least that must have happened among the cases of a property, by what is sure among those that it declares. */
export function fewest(declared: number): number {
  return Math.floor(propertyTimes < 1 ? (declared * propertyTimes) / 2 : declared)
}

/** All of what is repeated by night; by day what `isOfDay` takes, the first as a rule. */
export function repeated<Item>(all: readonly Item[], isOfDay: (item: Item, at: number) => boolean = (_, at) => at === 0): readonly Item[] {
  return isNight ? all : all.filter(isOfDay)
}
