import { PAGE_COLOURS, pageStyle, type Colour } from '../../web/page-style.js'

const OWN: Readonly<Record<string, Colour>> = {
  'warn': ['#fff4e0', '#33260f'], 'warn-line': ['#c24a00', '#f0953f'], 'gain': ['0,97,164', '86,180,233'],
  'loss': ['194,74,0', '240,149,63'],
}

/** The style of a report: from 400 to 2,560 pixels, light and dark, and for paper. */
export const PAGE_STYLE: string = `${pageStyle(PAGE_COLOURS, { own: OWN, size: '15px/1.5' })}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{overflow-wrap:anywhere}
.page{display:grid;grid-template-columns:minmax(0,1fr);max-width:1680px;margin:0 auto;padding:0 1rem 3rem;gap:0 2.5rem}
header{padding:1.2rem 0 .4rem}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.2rem;margin:0 0 .7rem;padding-top:.6rem;border-top:2px solid var(--text)}
h3{font-size:1rem;margin:1.2rem 0 .5rem}
header p,.note{color:var(--faint);margin:.2rem 0}
.note{font-size:.88rem;margin:.4rem 0}
nav{font-size:.9rem}
nav ul{list-style:none;margin:.3rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.1rem .9rem}
section{margin:1.6rem 0 0;min-width:0}
.warning{background:var(--warn);border-left:4px solid var(--warn-line);margin:.4rem 0;padding:.45rem .8rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.6rem;margin:.2rem 0 .8rem}
.tile{background:var(--soft);border-radius:6px;padding:.5rem .7rem;min-width:0}
.tile span,.tile small{display:block;color:var(--faint);font-size:.82rem;line-height:1.3}
.tile b{display:block;font-size:1.15rem;font-variant-numeric:tabular-nums;line-height:1.35}
.pairs{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:0 1.6rem;margin:0}
.pairs div{display:flex;justify-content:space-between;gap:1rem;border-bottom:1px solid var(--line);padding:.22rem 0}
.pairs dt{color:var(--faint);flex:none;max-width:60%}
.pairs dd{margin:0;text-align:right;font-variant-numeric:tabular-nums;min-width:0}
.grid{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem 1.5rem}
.scroll{overflow-x:auto;max-width:100%;margin:.3rem 0 .8rem}
.log{max-height:26rem;overflow-y:auto}
table{font-size:.88rem;overflow-wrap:normal}
caption{text-align:left;font-weight:600;font-size:.92rem;padding:.2rem 0}
th,td{text-align:left;padding:.22rem .7rem .22rem 0;border-bottom:1px solid var(--line);white-space:nowrap;
unicode-bidi:isolate}
th{color:var(--faint);font-weight:600;vertical-align:bottom}
td.long{white-space:normal;min-width:12rem}
.n{text-align:right;padding-left:.7rem}
figure{margin:.4rem 0 1rem;min-width:0}
figure svg{display:block;width:100%;height:auto}
.narrow{display:none}
figcaption{color:var(--faint);font-size:.85rem}
.bars{display:flex;align-items:flex-end;height:130px;gap:1px;border-bottom:1px solid var(--faint)}
.bars i{flex:1 1 0;min-width:0;background:rgb(var(--gain));display:block}
.bars i.minus{background:rgb(var(--loss))}
.ends{display:flex;justify-content:space-between;color:var(--faint);font-size:.82rem}
.heat{display:block;text-align:right;padding:.05rem .35rem;border-radius:3px}
.gain1{background:rgba(var(--gain),.12)}.gain2{background:rgba(var(--gain),.24)}
.gain3{background:rgba(var(--gain),.38)}.gain4{background:rgba(var(--gain),.55)}
.loss1{background:rgba(var(--loss),.12)}.loss2{background:rgba(var(--loss),.24)}
.loss3{background:rgba(var(--loss),.38)}.loss4{background:rgba(var(--loss),.55)}
.none{color:var(--faint)}
.best td{font-weight:600}
.ladder{display:grid;grid-template-columns:1fr 1fr;gap:0 .8rem;max-width:34rem;font-size:.85rem;
font-variant-numeric:tabular-nums}
.ladder>div>div{display:flex;justify-content:space-between;padding:.08rem .4rem;border-bottom:1px solid var(--line)}
.ladder .head{color:var(--faint)}
pre{background:var(--soft);padding:.7rem;overflow:auto;max-height:30rem;font-size:.82rem;white-space:pre-wrap;
word-break:break-word;margin:.3rem 0}
code{font-size:.9em;overflow-wrap:anywhere}
.tools{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.4rem 0}
input,button,select{background:var(--ground);border-color:var(--faint);border-radius:4px;padding:.25rem .6rem}
input[type=search]{flex:1 1 14rem;min-width:0;max-width:30rem}
button{cursor:pointer}
button:disabled{opacity:.45;cursor:default}
th button{border:0;padding:0;background:none;font-weight:600;color:var(--faint)}
th[aria-sort=ascending] button::after{content:" \\25b2"}
th[aria-sort=descending] button::after{content:" \\25bc"}
footer{color:var(--faint);font-size:.85rem;margin-top:2rem}
details summary{cursor:pointer}
@media (max-width:620px){.wide{display:none}.narrow{display:block}html{font-size:14px}
.tiles{grid-template-columns:repeat(auto-fill,minmax(8rem,1fr))}}
@media screen and (min-width:1100px){.page{grid-template-columns:13rem minmax(0,1fr);padding:0 2rem 3rem}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1.5rem 0;grid-row:1/3;
grid-column:1}
nav ul{display:block}nav li{padding:.1rem 0}header{grid-column:2}main{grid-column:2}}
@media screen and (min-width:1500px){.grid{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media screen and (min-width:2200px){.page{max-width:2440px}html{font-size:17px}
.grid.three{grid-template-columns:repeat(3,minmax(0,1fr))}}
@media print{@page{margin:14mm}html{font-size:10.5px}.page{display:block;max-width:none;padding:0}
nav,.tools{display:none}
h2{break-after:avoid}figure,.tile,.moment{break-inside:avoid}.scroll{overflow:visible}.log,pre{max-height:none}
a{color:inherit;text-decoration:none}.narrow{display:none!important}.wide{display:block!important}
table{font-size:9px}th,td{padding-right:.4rem}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.print-small table{font-size:7px}.print-small th,.print-small td{white-space:normal}}
`
