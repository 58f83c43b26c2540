import { PAGE_STYLE } from '../../panels/page-style.js'

/** The style of the live view: that of the viewer, with a list of instances and a form. */
export const LIVE_STYLE: string = `${PAGE_STYLE}
main > * { margin-bottom: 8px; }
.words { margin: 0; min-height: 1.2em; color: var(--ask); }
.instances td { padding: 3px 6px; }
.instances th:nth-child(-n+4) { text-align: left; }
button:disabled { opacity: .4; }
button[aria-pressed=true] { border-color: var(--own); }
.instances .name { font-weight: 600; color: var(--link); }
.instances tr.chosen td:not(.venue) { background: var(--own-back); }
.instances td.group { display: flex; }
.replay-panel { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; }
.replay-panel[hidden] { display: none; }
.replay-panel .name { font-weight: 600; color: var(--link); }
.replay-panel .group { align-items: center; gap: 4px; }
.now-bar { border-bottom: 1px solid var(--line); }
.now-bar h2 { font-size: 17px; }
.venue { border-radius: 4px; padding: 0 7px; }
.venue.replay, .venue.simulated { background: var(--bid-back); color: var(--bid); }
.venue.missing { background: var(--mark); }
.venue.live { background: var(--ask); color: var(--panel); font-weight: 700; outline: 2px dashed var(--ask);
  outline-offset: 1px; }
.note { margin: 0 0 6px; font-size: 12px; }
.line canvas { height: 80px; cursor: default; }
.as-table { font-size: 12px; color: var(--faint); }
.field { display: grid; grid-template-columns: 10em minmax(10em, 1fr) auto; gap: 2px 10px; margin: 4px 0;
  align-items: center; }
.field .error { grid-column: 2 / span 2; }
fieldset { border: 1px solid var(--line); border-radius: 5px; margin: 6px 0; }
.watch.following tr.hit td, .watch.following .ladder tr.hit td.size { background: none; }
.watch.following .ladder tr.hit .fill { opacity: 1; }
.search { width: 12em; }
input[type=checkbox] { justify-self: start; min-height: 0; }
@media (max-width: 620px) { .field { grid-template-columns: 1fr; } }
@media (min-width: 1100px) { .pictures.lines { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
`
