/**
 * The script of the table of orders: unpacks the rows with the browser's own DecompressionStream, shows a page of them,
 * searches and sorts. It makes no markup: every cell is text.
 */
export const PAGE_SCRIPT: string = String.raw`
'use strict'
const ROWS = 50
const box = document.getElementById('orders-table')
const holder = document.getElementById('orders-rows')
if (box && holder) unpack(holder.textContent.trim()).then(start, function (error) {
  document.getElementById('orders-status').textContent = 'The rows cannot be unpacked: ' + error
})

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), function (one) { return one.charCodeAt(0) })
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Response(stream).json()
}

function start(packed) {
  const columns = packed.columns.map(function (column) { return { name: column.name, cells: column.kind === 'time'
    ? timeCells(column, packed.count) : column.kind === 'word' ? wordCells(column) : textCells(column) } })
  const state = { rows: all(packed.count), page: 0, sort: null, isDown: false, texts: null }
  const body = box.querySelector('tbody')
  const search = document.getElementById('orders-search')
  const status = document.getElementById('orders-status')
  const buttons = ['first', 'previous', 'next', 'last'].map(function (name) {
    return document.getElementById('orders-' + name)
  })
  const pages = function () { return Math.max(1, Math.ceil(state.rows.length / ROWS)) }

  function show() {
    state.page = Math.min(Math.max(0, state.page), pages() - 1)
    const from = state.page * ROWS
    body.replaceChildren(...state.rows.slice(from, from + ROWS).map(function (row) {
      const line = document.createElement('tr')
      for (const column of columns) {
        const cell = line.insertCell()
        cell.textContent = column.cells.text(row)
        if (column.cells.isNumber) cell.className = 'n'
      }
      return line
    }))
    const shown = state.rows.length === 0 ? 'No order' : 'Orders ' + (from + 1) + ' to ' +
      Math.min(from + ROWS, state.rows.length) + ' of ' + state.rows.length
    status.textContent = shown + (state.rows.length === packed.count ? '' : ' found among ' + packed.count) +
      ', page ' + (state.page + 1) + ' of ' + pages()
    buttons[0].disabled = buttons[1].disabled = state.page === 0
    buttons[2].disabled = buttons[3].disabled = state.page >= pages() - 1
  }

  function find() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length > 0 && state.texts === null) state.texts = all(packed.count).map(function (row) {
      return columns.map(function (column) { return column.cells.text(row) }).join('\u0001').toLowerCase()
    })
    state.rows = all(packed.count).filter(function (row) {
      return words.every(function (word) { return state.texts[row].includes(word) })
    })
    order()
  }

  function order() {
    const column = state.sort === null ? null : columns[state.sort].cells
    const sign = state.isDown ? -1 : 1
    state.rows.sort(function (a, b) { return (column === null ? 0 : sign * column.compare(a, b)) || a - b })
    state.page = 0
    show()
  }

  function turn(page) {
    state.page = page
    show()
  }

  const heads = [...box.querySelectorAll('thead th')]
  heads.forEach(function (head, at) {
    head.querySelector('button').addEventListener('click', function () {
      state.isDown = state.sort === at && !state.isDown
      state.sort = at
      heads.forEach(function (one, other) {
        if (other === at) one.setAttribute('aria-sort', state.isDown ? 'descending' : 'ascending')
        else one.removeAttribute('aria-sort')
      })
      order()
    })
  })
  search.addEventListener('input', find)
  buttons[0].addEventListener('click', function () { turn(0) })
  buttons[1].addEventListener('click', function () { turn(state.page - 1) })
  buttons[2].addEventListener('click', function () { turn(state.page + 1) })
  buttons[3].addEventListener('click', function () { turn(pages() - 1) })
  document.addEventListener('keydown', function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)
    if (event.key === '/' && !isTyping) search.focus()
    else if (event.key === 'Escape' && event.target === search) {
      search.value = ''
      find()
    } else if (event.key === 'PageDown' && box.contains(event.target)) turn(state.page + 1)
    else if (event.key === 'PageUp' && box.contains(event.target)) turn(state.page - 1)
    else return
    event.preventDefault()
  })
  search.disabled = false
  show()
}

function all(count) {
  return Array.from({ length: count }, function (_, at) { return at })
}

function compareTexts(a, b) {
  return a === b ? 0 : a < b ? -1 : 1
}

/* Milliseconds as differences from one row to the next, null as the text n, and nanoseconds within the millisecond. */
function timeCells(column, count) {
  const times = new Array(count)
  let last = column.fromMs
  for (let row = 0; row < count; row++) {
    const step = column.steps[row]
    times[row] = step === null ? null : (last += step)
  }
  const text = function (row) {
    if (times[row] === null) return ''
    const rest = String(column.restNs[row] || 0).padStart(6, '0').replace(/0+$/, '')
    return new Date(times[row]).toISOString().replace('T', ' ').slice(0, -1) + rest
  }
  return { text, compare: function (a, b) {
    if (times[a] === null || times[b] === null) return (times[a] === null) - (times[b] === null)
    return times[a] - times[b] || (column.restNs[a] || 0) - (column.restNs[b] || 0)
  } }
}

function wordCells(column) {
  const text = function (row) { return column.words[column.places[row]] }
  return { text, compare: function (a, b) { return compareTexts(text(a), text(b)) } }
}

function textCells(column) {
  const cells = column.texts
  const number = function (text) { return text === '' ? Infinity : Number(text) }
  return {
    text: function (row) { return cells[row] }, isNumber: column.isNumber,
    compare: function (a, b) {
      if (!column.isNumber) return compareTexts(cells[a], cells[b])
      const [one, other] = [number(cells[a]), number(cells[b])]
      return one === other ? 0 : one < other ? -1 : 1
    },
  }
}
`
