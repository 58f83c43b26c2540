import { PAGE_COLOURS, pageStyle, type Colour } from '../../web/page-style.js'

/** The colours of the shop beside those of every page: of buttons, of what is well, of what asks for care. */
const OWN: Readonly<Record<string, Colour>> = {
  'button': ['#0061a4', '#1f6fb2'], 'on-button': ['#fff', '#fff'], 'well': ['#1a7f37', '#57c27a'],
  'care': ['#9a3412', '#f0a072'], 'mark': ['#ddebf7', '#1b3a55'],
}

/** The style of the shop's pages: from 400 pixels on, light and dark. */
export const SHOP_STYLE: string = `${pageStyle(PAGE_COLOURS, { size: '16px/1.55', own: OWN })}
header,main,footer{max-width:58rem;margin:0 auto;padding:0 1.1rem}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.2rem 1.4rem;padding-top:1rem;padding-bottom:.8rem}
header .brand{font-weight:650;color:var(--text);text-decoration:none;margin-right:auto}
header nav{display:flex;gap:1.2rem}
header nav a{text-decoration:none}
header nav a:hover,header nav a[aria-current]{text-decoration:underline;text-underline-offset:.3em}
.rule{height:1px;background:var(--line);border:0;margin:0}
main{padding-top:1.6rem;padding-bottom:2.5rem}
footer{color:var(--faint);font-size:.85rem;padding-top:.9rem;padding-bottom:2rem}
h1{font-size:1.65rem;line-height:1.25;margin:0 0 .35rem;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2rem 0 .6rem;font-weight:600}
p{margin:.45rem 0}
.lead,.faint{color:var(--faint)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.4rem;background:var(--ground);padding:.3rem .6rem}
.box{border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.2rem;margin:1rem 0;background:var(--soft)}
.note{border-left:.25rem solid var(--care);padding:.2rem .9rem;margin:1rem 0}
.note.well{border-color:var(--well)}
.line{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end;margin:.9rem 0}
label{display:block;font-size:.9rem;color:var(--faint)}
label span{display:block;margin-bottom:.2rem}
.line label{flex:1 1 14rem}
input,select{width:100%;padding:.5rem .7rem;border-color:var(--line);border-radius:.45rem;background:var(--ground)}
input:hover,select:hover{border-color:var(--faint)}
button,a.button{display:inline-block;padding:.5rem 1.15rem;border:1px solid var(--line);border-radius:.45rem;
background:var(--ground);color:var(--text);text-decoration:none;cursor:pointer;font-weight:550}
button:hover,a.button:hover{border-color:var(--faint)}
button.main,a.button.main{background:var(--button);border-color:var(--button);color:var(--on-button)}
button.main:hover,a.button.main:hover{filter:brightness(1.1)}
details{margin:.8rem 0}
summary{cursor:pointer;font-weight:600;padding:.2rem 0}
.box h2{margin-top:0}
.buttons{display:flex;flex-wrap:wrap;gap:.6rem;margin:1.1rem 0 .3rem}
.scroll{overflow-x:auto}
table{width:100%;margin:.4rem 0}
th,td{text-align:left;padding:.42rem .9rem .42rem 0;border-bottom:1px solid var(--line);vertical-align:baseline}
th{font-weight:550;color:var(--faint);font-size:.85rem}
td.number,th.number{text-align:right;white-space:nowrap}
td.day{white-space:nowrap}
.note ul{margin:.3rem 0;padding-left:1.2rem}
::placeholder{color:var(--faint);opacity:.8}
td:last-child,th:last-child{padding-right:0}
tfoot td{border-bottom:0;font-weight:600}
.total{font-size:1.35rem;font-weight:650}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.2rem;margin:.6rem 0}
dt{color:var(--faint)}
dd{margin:0;overflow-wrap:anywhere}
code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
.months{display:grid;grid-template-columns:repeat(auto-fill,minmax(14.5rem,1fr));gap:1.2rem 1.6rem;margin:.8rem 0}
.month caption{text-align:left;font-weight:600;padding-bottom:.25rem}
.month th,.month td{padding:0;border:0;text-align:center;height:2rem;width:14.28%}
.month th{height:1.5rem;font-weight:400}
.month td{color:var(--faint);font-size:.9rem;line-height:2rem}
.month label{color:inherit;font-size:inherit;height:100%;display:grid;place-items:center;
cursor:pointer;position:relative}
.month input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.month label span{margin:.06rem;width:calc(100% - .12rem);height:calc(100% - .12rem);display:grid;
place-items:center;
border-radius:.4rem;background:var(--mark);color:var(--text)}
.month label:hover span{outline:1px solid var(--link)}
.month input:checked+span{background:var(--button);color:var(--on-button);font-weight:600}
.month input:focus-visible+span{outline:2px solid var(--link);outline-offset:1px}
@media (max-width:30rem){h1{font-size:1.4rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}
.wide{display:none}main{padding-top:1.2rem}}
@media print{header nav,footer,.buttons{display:none}}
`
