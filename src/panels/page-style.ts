import { FIGURE_FONT, pageStyle, type Colour, type PageColours } from '../web/page-style.js'

/** Grey behind white panels, which separates them. */
const COLOURS: PageColours = {
  ground: ['#f6f7f9', '#101317'], soft: ['#eef1f5', '#20262e'], text: ['#15181d', '#e8ebf0'],
  faint: ['#5a6370', '#a0a9b6'], line: ['#d8dce3', '#323944'], link: ['#0a58b0', '#7db8ff'],
}
const OWN: Readonly<Record<string, Colour>> = {
  'panel': ['#ffffff', '#181c22'], 'bid': ['#0a58b0', '#7db8ff'], 'bid-back': ['#d7e7fa', '#17324f'],
  'ask': ['#9a4600', '#ffb070'], 'ask-back': ['#fbe3cf', '#472a12'], 'own': ['#6a1b9a', '#dfa8ff'],
  'own-back': ['#efdff7', '#3c2250'], 'mark': ['#fff2b0', '#4a4315'],
}

/** The style of the viewer's page: light and dark by the reader's setting, from 320 pixels on. */
export const PAGE_STYLE: string = `${pageStyle(COLOURS, { own: OWN, size: '14px/1.4' })}
header, main { padding: 0 12px; max-width: 2600px; margin: 0 auto; }
header { padding-top: 8px; }
h1 { font-size: 18px; margin: 0; display: inline; }
h2 { font-size: 13px; margin: 0; font-weight: 600; }
.facts { display: inline; margin-left: 10px; color: var(--faint); }
.facts dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 6px 0; }
.facts dd { margin: 0; overflow-wrap: anywhere; color: var(--text); }
.num, .time, .journal li, input, select { font-variant-numeric: tabular-nums; }
.time, .num, table.rows td, .ladder td, .journal time { font-family: ${FIGURE_FONT}; }
.bar {
  position: sticky; top: 0; z-index: 2; background: var(--ground); padding: 8px 0; display: flex; flex-wrap: wrap;
  gap: 6px; align-items: center;
}
.group { display: flex; gap: 2px; }
button, select, input {
  font-size: 13px; background: var(--panel); border-color: var(--line); border-radius: 5px; padding: 4px 8px;
  min-height: 30px;
}
button:hover { border-color: var(--link); }
button.main { font-weight: 600; min-width: 66px; }
:focus-visible { outline-offset: 1px; }
input.jump { width: 15em; max-width: 100%; }
.now {
  background: var(--panel); border: 1px solid var(--line); border-radius: 7px; padding: 8px 12px; margin-bottom: 8px;
  min-height: 84px;
}
.now .head { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; }
.now .time { font-size: 17px; font-weight: 600; }
.now .words { margin: 4px 0 0; overflow-wrap: anywhere; }
.kind { border-radius: 4px; padding: 0 7px; background: var(--soft); font-weight: 600; font-size: 13px; }
.kind.execution, .kind.receipt { background: var(--own); color: var(--panel); }
.kind.request, .kind.answer, .kind.order { background: var(--own-back); color: var(--own); }
.soft { color: var(--faint); }
.error { color: var(--ask); font-weight: 600; }
.panel {
  background: var(--panel); border: 1px solid var(--line); border-radius: 7px; padding: 8px 10px; min-width: 0;
}
.panel .title {
  display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline; margin-bottom: 4px;
  justify-content: space-between;
}
.pictures { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; margin-bottom: 8px; }
canvas { display: block; width: 100%; height: 110px; cursor: crosshair; touch-action: manipulation; }
.grid { display: flex; flex-direction: column; gap: 8px; padding-bottom: 24px; }
.column { display: contents; }
.trades-panel { order: 1; } .journal { order: 2; }
table { width: 100%; font-size: 13px; }
.rows th {
  font-size: 12px; font-weight: 500; color: var(--faint); text-align: right; border-bottom: 1px solid var(--line);
  padding: 1px 6px; background: var(--panel);
}
.rows td { text-align: right; padding: 1px 6px; white-space: nowrap; border-bottom: 1px solid var(--soft); }
.rows th:first-child, .rows td:first-child, .rows .left { text-align: left; }
.scroll { overflow: auto; max-height: 300px; }
.scroll thead th { position: sticky; top: 0; }
tr.past td { color: var(--faint); }
tr.hit td { background: var(--mark); }
tr.link { cursor: pointer; }
.bid { color: var(--bid); } .ask { color: var(--ask); } .own { color: var(--own); font-weight: 600; }
.ladder { table-layout: fixed; }
.ladder th:first-child, .ladder th:last-child { width: 28%; }
.ladder th:nth-child(3) { width: 16%; }
.ladder th { font-size: 12px; font-weight: 500; color: var(--faint); padding: 0 4px; }
.ladder td {
  padding: 0 4px; height: 20px; position: relative; text-align: right; border-bottom: 1px solid var(--soft);
}
.ladder td.price { text-align: center; font-weight: 600; }
.ladder td.size { overflow: hidden; }
.ladder td.asked, .ladder th.asked { text-align: left; }
.ladder td.mine { font-size: 12px; line-height: 1.15; }
.ladder td span { position: relative; }
.ladder .fill { position: absolute; top: 1px; bottom: 1px; }
.ladder .fill.b { right: 0; background: var(--bid-back); } .ladder .fill.a { left: 0; background: var(--ask-back); }
.ladder tr.hit td.price, .ladder tr.hit td.size { background: var(--mark); }
.ladder tr.hit .fill { opacity: .45; }
.title .num, .title .soft, .legend { font-size: 12px; }
.legend { flex: 1 1 15em; }
.legend .own { font-weight: 400; }
.help { float: right; }
.ladder td.mine.has { background: var(--own-back); color: var(--own); font-weight: 600; }
.ladder td.mine.filled { background: var(--own); color: var(--panel); }
.ladder tr.gap td { text-align: center; color: var(--faint); font-size: 12px; height: 22px; background: var(--soft); }
.meter { display: inline-block; width: 64px; height: 8px; background: var(--soft); vertical-align: middle; }
.meter i { display: block; height: 100%; background: var(--own); }
.journal ol { list-style: none; margin: 0; padding: 0; }
.journal li { padding: 2px 0; border-bottom: 1px solid var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.journal time { color: var(--faint); margin-right: 8px; font-size: 12px; }
.journal pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 4px 0; font-size: 12px; color: var(--faint); }
.journal summary { cursor: pointer; list-style: none; }
.journal summary::-webkit-details-marker { display: none; }
dialog { border: 1px solid var(--line); border-radius: 8px; background: var(--panel); color: var(--text);
  max-width: 640px; }
dialog::backdrop { background: rgb(0 0 0 / 40%); }
dialog h2 { font-size: 16px; margin-bottom: 8px; }
dialog dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 14px; margin: 0 0 10px; }
dialog dd { margin: 0; }
kbd { font: 12px ui-monospace, monospace; border: 1px solid var(--line); border-radius: 4px; padding: 0 5px;
  background: var(--soft); }
noscript, .wait { display: block; padding: 20px; }
@media (max-width: 620px) {
  header, main { padding: 0 6px; }
  .bar { gap: 4px; }
  button, select, input { padding: 4px 5px; font-size: 12px; }
  button.main { min-width: 52px; }
  input.jump { width: 11.5em; }
  .ladder td, .ladder th { padding: 0 2px; }
  .rows td, .rows th { padding: 1px 4px; }
  table { font-size: 12px; }
  .now { min-height: 122px; }
}
@media (min-width: 900px) {
  .grid { display: grid; grid-template: auto 1fr / minmax(400px, 5fr) minmax(0, 7fr); align-items: start; }
  .column { display: grid; gap: 8px; grid-template-columns: minmax(0, 1fr); }
  .left { grid-row: 1 / span 2; }
  .right { grid-column: 2; }
  .pictures { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
}
@media (min-width: 1700px) {
  body { font-size: 15px; }
  table, .journal li { font-size: 14px; }
  .grid { grid-template: auto / minmax(440px, 5fr) minmax(0, 7fr) minmax(0, 6fr); }
  .left, .right { grid-row: 1; }
  .right { grid-column: 3; }
  .journal .scroll { max-height: 980px; }
  .scroll { max-height: 440px; }
  canvas { height: 170px; }
}
@media print { .bar { display: none; } .scroll { max-height: none; } }
`
