// Every notebook of notebooks/ in a real Jupyter with the tslab kernel, as somebody runs it who has just installed the
// package: each cell runs, the rendered page opens in Chromium from file://, its pictures show something, nothing is
// asked of a network, no error is logged, no path of this machine stands in it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { notebookNames, runNotebooks } from '../../scripts/notebook-runner.mjs'
import { launchBrowser, watchFaults } from '../system/chromium/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const out = mkdtempSync(join(tmpdir(), 'backtape pages '))
process.on('exit', () => rmSync(out, { recursive: true, force: true }))

/** In the page: what each picture of an output shows; a picture of marks alone in its axes and grid is blank. */
async function picturesOf() {
  const size = (element) => element.getBoundingClientRect()
  const isFrame = (shape) => shape.closest('[aria-label*="axis"], [aria-label*="grid"], defs, clipPath, pattern') !== null
  const isDrawn = (shape) => {
    const { fill, stroke, visibility, opacity } = getComputedStyle(shape)
    return (fill !== 'none' || stroke !== 'none') && visibility === 'visible' && opacity !== '0' && !isFrame(shape) &&
      size(shape).width + size(shape).height > 0
  }
  const pictures = []
  for (const svg of document.querySelectorAll('.jp-OutputArea-output svg:not(svg svg)')) {
    const shapes = [...svg.querySelectorAll('path, rect, circle, line, polyline, polygon, image, use')]
    pictures.push({ kind: 'svg', marks: size(svg).width < 2 ? 0 : shapes.filter(isDrawn).length })
  }
  for (const image of document.querySelectorAll('.jp-OutputArea-output img')) {
    await image.decode().catch(() => {})
    const canvas = new OffscreenCanvas(Math.max(1, image.naturalWidth), Math.max(1, image.naturalHeight))
    const context = canvas.getContext('2d')
    if (image.naturalWidth > 0) context.drawImage(image, 0, 0)
    const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)
    pictures.push({ kind: 'img', marks: pixels.filter((pixel) => pixel !== pixels[0]).length })
  }
  return pictures
}

/** The faults of a rendered page, and how many pictures it has. */
async function checkPage(browser, { page: path }) {
  const faults = []
  const text = readFileSync(path, 'utf8')
  for (const place of [root, out, tmpdir() + '/backtape', homedir() + '/'])
    if (text.includes(place)) faults.push(`the path ${place} stands in the page`)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  watchFaults(page, faults)
  await page.goto(pathToFileURL(path).href)
  const pictures = await page.evaluate(picturesOf)
  pictures.forEach(({ kind, marks }, index) => marks > 0 || faults.push(`picture ${index + 1} (${kind}) is blank`))
  if (pictures.length === 0) faults.push('the page has no picture')
  if (process.env.NOTEBOOK_SHOTS) {
    const name = path.slice(out.length + 1).replace('.html', '.png')
    await page.screenshot({ path: join(process.env.NOTEBOOK_SHOTS, name), fullPage: true })
  }
  await page.close()
  return { faults, count: pictures.length }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : notebookNames()
const browser = await launchBrowser()
const rows = await runNotebooks(names, { out, kernel: process.env.NOTEBOOK_KERNEL ?? 'tslab' })
let failed = 0
for (const row of rows) {
  const { faults, count } = row.failure === null ? await checkPage(browser, row) : { faults: [row.failure], count: 0 }
  const words = faults.length === 0 ? `${count} pictures, ${row.seconds.toFixed(1)} s` : `FAILED\n${[...new Set(faults)].join('\n')}`
  console.log(`${row.name}: ${words}`)
  if (faults.length > 0) failed++
}
await browser.close()
if (names.length === 0) failed = 1
console.log(failed === 0 ? `All ${names.length} notebooks run, and their pages show it.` : `${failed} notebooks failed.`)
process.exitCode = failed === 0 ? 0 : 1
