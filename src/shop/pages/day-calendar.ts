import { dayText, epochDayFromText } from '../../model/time.js'
import { html, type Markup } from '../../web/page-markup.js'
import type { GoodsDay } from '../server/shop-goods.js'
import { monthText, sizeText } from './page-words.js'

const WEEKDAYS: readonly (readonly [short: string, long: string])[] = [
  ['Mo', 'Monday'], ['Tu', 'Tuesday'], ['We', 'Wednesday'], ['Th', 'Thursday'], ['Fr', 'Friday'], ['Sa', 'Saturday'],
  ['Su', 'Sunday'],
]

/** The first day of 1970 was a Thursday. */
const WEEKDAY_OF_EPOCH = 3

/** The months that have days, the newest first. */
export function monthsOf(days: readonly GoodsDay[]): readonly string[] {
  return [...new Set(days.map(({ date }) => date.slice(0, 7)))].sort().reverse()
}

/** Calendars of months with a box to tick for each day that is there: its field is `d`. */
export function dayCalendar(days: readonly GoodsDay[], months: readonly string[]): Markup {
  const sizes = new Map(days.map(({ date, sizeBytes }) => [date, sizeBytes]))
  return html`<div class="months">${months.map((month) => monthTable(month, sizes))}</div>`
}

function monthTable(month: string, sizes: ReadonlyMap<string, number>): Markup {
  const first = epochDayFromText(`${month}-01`) ?? 0
  const blank = (((first + WEEKDAY_OF_EPOCH) % 7) + 7) % 7
  const cells: (string | null)[] = Array.from({ length: blank }, () => null)
  for (let day = first; dayText(day).startsWith(month); day++) cells.push(dayText(day))
  while (cells.length % 7 !== 0) cells.push(null)
  const weeks = Array.from({ length: cells.length / 7 }, (_none, at) => cells.slice(at * 7, at * 7 + 7))
  return html`<table class="month"><caption>${monthText(month)}</caption>
<thead><tr>${WEEKDAYS.map(([short, long]) => html`<th scope="col" abbr="${long}">${short}</th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${week.map((date) => dayCell(date, sizes))}</tr>
`)}</tbody></table>`
}

function dayCell(date: string | null, sizes: ReadonlyMap<string, number>): Markup {
  if (date === null) return html`<td></td>`
  const size = sizes.get(date)
  const number = Number(date.slice(8))
  if (size === undefined) return html`<td>${number}</td>`
  return html`<td><label title="${date}, ${sizeText(size)}"><input type="checkbox" name="d" value="${date}"
 aria-label="${date}, ${sizeText(size)}"><span>${number}</span></label></td>`
}
