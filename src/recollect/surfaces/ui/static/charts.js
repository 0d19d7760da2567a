// Charts: how sure a memory was, and what happened day by day. Drawn by uPlot where a page brought it.
const language = navigator.languages.find((name) => name.split("-")[0] === document.documentElement.lang) || document.documentElement.lang;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const minute = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

function axes(format) {
  const look = { stroke: colour("--ink-3"), font: `11px ${colour("--font")}`, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
  return [
    { ...look, grid: { show: false }, space: 60, size: 28, values: (_, at) => at.map((one) => day.format(one * 1000)) },
    { ...look, size: 38, values: (_, values) => values.map((value) => (Number.isInteger(value) || format ? (format ? format(value) : value) : "")) },
  ];
}

const kinds = {
  days({ at, memories, lines, used }, words) {
    const bars = window.uPlot.paths.bars({ size: [0.62, 18], radius: 0.25 });
    return {
      data: [at, memories, lines, used],
      options: {
        // Half a day on either side, so that the first and the last bar are whole.
        scales: { x: { range: (_, low, high) => [low - 43200, high + 43200] }, y: { range: (_, low, high) => [0, Math.max(4, high * 1.1)] } },
        axes: axes(),
        series: [
          { value: (_, value) => (value == null ? "–" : day.format(value * 1000)) },
          { label: words[0], stroke: colour("--accent"), fill: colour("--accent"), paths: bars, points: { show: false }, value: (_, value) => value },
          { label: words[1], stroke: colour("--info"), width: 2, points: { show: false }, value: (_, value) => value },
          { label: words[2], stroke: colour("--warn"), width: 2, dash: [4, 4], points: { show: false }, value: (_, value) => value },
        ],
      },
    };
  },
  confidence({ at, confidence }, words) {
    return {
      data: [at, confidence],
      options: {
        scales: { y: { range: [0, 1] } },
        axes: axes((value) => value.toLocaleString(language, { maximumFractionDigits: 2 })),
        series: [
          { value: (_, value) => (value == null ? "–" : minute.format(value * 1000)) },
          { label: words[0], stroke: colour("--accent"), fill: colour("--accent-soft"), width: 2, paths: window.uPlot.paths.stepped({ align: 1 }), points: { show: true, size: 7, fill: colour("--surface"), stroke: colour("--accent") }, value: (_, value) => (value == null ? "–" : value.toLocaleString(language)) },
        ],
      },
    };
  },
};

// What stands under the pointer, said in the line below the chart.
function tell(chart, element) {
  const line = element.parentElement.querySelector("[data-chart-line]");
  if (!line) return;
  const { idx } = chart.cursor;
  line.dataset.rest ??= line.textContent;
  line.textContent = idx == null ? line.dataset.rest : chart.series
    .map((series, place) => (place ? `${series.label} ${series.value(chart, chart.data[place][idx], place, idx)}` : series.value(chart, chart.data[0][idx])))
    .join(" · ");
}

const drawn = new WeakMap();

// In the colours of a theme that has changed.
export function redrawCharts() {
  for (const element of document.querySelectorAll("[data-chart]")) element.replaceChildren();
}

export function drawCharts(root = document) {
  if (!window.uPlot) return;
  for (const element of root.querySelectorAll("[data-chart]")) {
    const values = element.dataset.values;
    if (drawn.get(element)?.values === values && element.firstChild) continue;
    drawn.get(element)?.chart.destroy();
    const { data, options } = kinds[element.dataset.chart](JSON.parse(values), JSON.parse(element.dataset.words));
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const chart = new window.uPlot(
      { ...size(), padding: [8, 14, 0, 0], ...options, cursor: { drag: { x: false, y: false } }, legend: { show: false }, hooks: { setCursor: [(one) => tell(one, element)] } },
      data, element,
    );
    drawn.set(element, { values, chart });
    new ResizeObserver(() => chart.setSize(size())).observe(element);
  }
}
