#include "report/html_assets.h"

namespace ridgeline {

std::string_view page_style() {
  return R"css(
:root {
  color-scheme: light dark;
  --back: #f6f7f9; --card: #ffffff; --ink: #1b1f24; --faint: #5b6470; --line: #e2e6eb;
  --accent: #0072b2; --good: #00734f; --good-back: #e0f4ec; --warn: #8a5a00; --warn-back: #fdf1d8;
  --bad: #a63a00; --bad-back: #fde6da;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #12151a; --card: #1a1f26; --ink: #e8ebef; --faint: #9aa4b1; --line: #2c333d;
    --accent: #56b4e9; --good: #4fd1a1; --good-back: #143529; --warn: #f0b849; --warn-back: #3a2d10;
    --bad: #ff9466; --bad-back: #3f2014;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main, header, nav { max-width: 1280px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 36px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 14px; }
h3 { font-size: 0.95rem; margin: 18px 0 4px; }
.subtitle { color: var(--faint); margin: 0; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; padding-top: 14px; padding-bottom: 18px; font-size: 0.92rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
section {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 20px 22px; margin-bottom: 18px;
}
.scroll { overflow-x: auto; margin: 0 -22px; padding: 0 22px; }
table { border-collapse: collapse; font-size: 0.9rem; min-width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 7px 12px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
td:first-child { white-space: normal; }
th { color: var(--faint); font-weight: 600; }
th.number, td.number { text-align: right; }
tr.told td { border-bottom: 0; padding-bottom: 2px; }
tr.note td { white-space: normal; overflow-wrap: anywhere; padding-top: 0; }
tr.note div { max-width: min(60rem, 80vw); }
tbody tr:last-child td { border-bottom: 0; }
.badge { border-radius: 999px; padding: 2px 10px; font-size: 0.8rem; font-weight: 600; white-space: nowrap; }
.good { color: var(--good); background: var(--good-back); }
.warn { color: var(--warn); background: var(--warn-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; }
.cards > div { border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; min-width: 0; }
.cards .value { font-size: 1.15rem; font-weight: 650; overflow-wrap: anywhere; }
p, .note { overflow-wrap: anywhere; }
.cards .name, .note { color: var(--faint); font-size: 0.88rem; }
ul.plain { list-style: none; margin: 0; padding: 0; }
ul.plain li { padding: 6px 0; overflow-wrap: anywhere; }
code, pre { font: 0.86rem/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
pre { background: var(--back); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 6px 22px; }
.charts figure { margin: 0; min-width: 0; }
footer { color: var(--faint); font-size: 0.85rem; text-align: center; padding: 6px 20px 32px; }
@media (max-width: 600px) {
  header { padding-top: 22px; }
  section { padding: 16px; border-radius: 10px; }
  .scroll { margin: 0 -16px; padding: 0 16px; }
  main, header, nav { padding-left: 12px; padding-right: 12px; }
}
@media print { nav { display: none; } section { break-inside: avoid; } }
)css";
}

std::string_view page_script() {
  return R"js(
(() => {
  const charts = JSON.parse(document.getElementById('chart-data').textContent);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  // Without a pointer that hovers the tool bar would cover the legend for good.
  const hovers = window.matchMedia('(hover: hover)').matches;
  const palettes = {
    light: ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#4D4D4D'],
    dark: ['#56B4E9', '#E69F00', '#2BC49A', '#E08DBB', '#F0E442', '#FF8A50', '#B0B7C3'],
  };
  const axis = (own, line) => Object.assign(
    { gridcolor: line, zerolinecolor: line, linecolor: line, tickcolor: line, automargin: true }, own);
  const draw = () => {
    const css = getComputedStyle(document.documentElement);
    const ink = css.getPropertyValue('--ink').trim();
    const faint = css.getPropertyValue('--faint').trim();
    const line = css.getPropertyValue('--line').trim();
    for (const chart of charts) {
      const layout = Object.assign({
        paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)', autosize: true,
        colorway: dark.matches ? palettes.dark : palettes.light,
        font: { family: 'system-ui, sans-serif', size: 13, color: ink },
        margin: { l: 56, r: 12, t: 32, b: 48 }, hovermode: 'closest',
        modebar: { bgcolor: 'rgba(0,0,0,0)', color: faint, activecolor: ink },
      }, chart.layout);
      layout.legend = Object.assign(
        { orientation: 'h', y: 1.02, yanchor: 'bottom', x: 0 }, chart.layout.legend);
      layout.xaxis = axis(chart.layout.xaxis, line);
      layout.yaxis = axis(chart.layout.yaxis, line);
      Plotly.react(chart.id, structuredClone(chart.data), layout,
                   { responsive: true, displaylogo: false, displayModeBar: hovers ? undefined : false });
    }
  };
  draw();
  dark.addEventListener('change', draw);
})();
)js";
}

}  // namespace ridgeline
