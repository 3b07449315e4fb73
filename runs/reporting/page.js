"use strict";
const { charts, looks } = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)"), paper = matchMedia("print"), phone = matchMedia("(max-width: 760px)");
const hidden = {};  // of each environment, the planners that are not shown
const chosen = {};  // of each panel, the budget of profile and outcomes
const plain = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const panel = chart => `${chart.env}|${chart.unit}`;
const figure = value => value === null ? "–" : String(Number(value.toPrecision(4))).replace("-", "−");
const band = "[%{customdata[1]}, %{customdata[2]}]<br>%{customdata[3]} episodes<extra></extra>";
const APART = 1.02;  // between planners that have played one budget alone, whose bars would hide each other
const FONTS = "system-ui, -apple-system, Segoe UI, Roboto, Arial";
const PATTERNS = { "solid": "", "8px,3px": "/", "2px,2px": ".", "8px,3px,2px,3px": "x", "18px,5px": "\\",
  "8px,3px,2px,3px,2px,3px": "+", "4px,4px": "-", "16px,3px,5px,3px": "|" };
let printing = false;

function theme() {
  const night = dark.matches && !printing;
  return night ? { text: "#e4eaf0", muted: "#9ba8b5", line: "#2c3742", ground: "#12181f", colour: look => look.dark }
    : { text: "#1b2430", muted: "#5b6875", line: "#e3e8ec", ground: "#ffffff", colour: look => look.colour };
}

function veil(colour, opacity) {
  const [r, g, b] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
  return `rgba(${r},${g},${b},${opacity})`;
}

function shown(chart) {
  const series = chart.series || chart.budgets[chosen[panel(chart)]] || [];
  return series.map(one => ({ ...one, look: looks[chart.env][one.planner] }))
    .filter(one => !(hidden[chart.env] || new Set()).has(one.planner));
}

function details(one) {
  return one.y.map((y, i) => [figure(y), figure(one.low[i]), figure(one.high[i]),
    (Array.isArray(one.n) ? one.n[i] : one.n).toLocaleString("en"), one.x && one.x[i].toLocaleString("en")]);
}

/* Where the points of a curve stand: at its budgets, beside the others' if all have the same one. */
function places(chart, one) {
  const alone = new Set(chart.series.flatMap(other => other.x)).size === 1;
  const at = chart.series.findIndex(other => other.planner === one.planner) - (chart.series.length - 1) / 2;
  return alone ? one.x.map(x => x * APART ** at) : one.x;
}

/* A band has no width at a single point. */
function bar(one, raised, colour) {
  const [y, low, high] = [one.y, one.low, one.high].map(values => raised(values)[0]);
  return { type: "data", symmetric: false, array: [high - y], arrayminus: [y - low], color: colour, thickness: 1.5, width: 5,
    visible: one.low[0] !== null };
}

/* A line with its band; `x` where the curves share it. */
function lines(chart, one, colours, x, style) {
  const colour = colours.colour(one.look), floor = chart.floor || -Infinity;
  const raised = values => values.map(value => value === null ? null : Math.max(value, floor));
  const crowd = chart.most_bands && shown(chart).length > chart.most_bands;
  const edge = { x, mode: "lines", line: { width: 0, ...style }, hoverinfo: "skip" };
  const band = [{ ...edge, y: raised(one.low) }, { ...edge, y: raised(one.high), fill: "tonexty", fillcolor: veil(colour, .14) }];
  return [...(crowd ? [] : band),
    { x, y: raised(one.y), name: plain(one.look.label), meta: one.planner, customdata: details(one),
      line: { color: colour, dash: one.look.dash, width: 2, ...style },
      ...(x.length === 1 && { error_y: bar(one, raised, colour) }),
      marker: { symbol: one.look.symbol, size: 8, color: colour, line: { width: 1.5, color: colour } } }];
}

const KINDS = {
  curve(chart, colours) {
    const traces = shown(chart).flatMap(one => lines(chart, one, colours, places(chart, one), {}));
    for (const trace of traces)
      if (trace.meta) Object.assign(trace, { mode: "lines+markers",
        hovertemplate: `<b>${trace.name}</b><br>%{customdata[4]} ${chart.unit}<br>%{customdata[0]} ${band}` });
    const layout = { xaxis: { type: "log", tickformat: ",~g" }, yaxis: {}, shapes: [], annotations: [] };
    Object.assign(layout.xaxis, chart.ticks ? { tickvals: chart.ticks } : { dtick: 1 });
    if (chart.ticks && chart.ticks.length === 1)
      layout.xaxis.range = [1 / 1.5, 1.5].map(factor => Math.log10(factor * chart.ticks[0]));
    if (chart.range) layout.xaxis.range = chart.range.map(Math.log10);
    for (const level of chart.levels || []) {
      const optimum = level.name === "optimum", colour = optimum ? colours.text : colours.muted;
      layout.shapes.push({ type: "line", xref: "paper", x0: 0, x1: 1, y0: level.value, y1: level.value, layer: "below",
        line: { color: colour, width: 1.2, dash: optimum ? "solid" : "dash" } });
      const place = { "do nothing": [0, "left"], "constant action": [0.5, "center"] }[level.name] || [1, "right"];
      layout.annotations.push({ xref: "paper", x: place[0], xanchor: place[1], y: level.value, showarrow: false,
        yanchor: optimum ? "bottom" : "top", font: { color: colour, size: 11 },
        bgcolor: veil(colours.ground, .7), borderpad: 0, text: `${level.name} ${level.value.toFixed(3).replace("-", "−")}` });
    }
    if (chart.floor) {
      const every = chart.series.flatMap(one => [...one.y, ...one.high]).filter(value => value !== null);
      const least = Math.min(...chart.series.flatMap(one => one.y.concat(one.low)).filter(value => value > chart.floor));
      const touched = chart.series.some(one => one.y.concat(one.low).some(value => value !== null && value <= chart.floor));
      const low = touched ? chart.floor / 1.6 : least / 1.2, high = Math.max(chart.floor, ...every) * 1.3;
      layout.yaxis = { type: "log", range: [Math.log10(low), Math.log10(high)], tickformat: "~g",
        dtick: high > 100 * low ? 1 : "D2" };
      if (touched) {
        layout.shapes.push({ type: "rect", xref: "paper", x0: 0, x1: 1, y0: low / 100, y1: chart.floor, layer: "below",
          line: { width: 0 }, fillcolor: veil(colours.muted, .12) });
        layout.annotations.push({ xref: "paper", yref: "paper", x: 0, y: 0, xanchor: "left", yanchor: "bottom",
          showarrow: false, font: { color: colours.muted, size: 10 }, text: `${Number(chart.floor.toPrecision(2))} or less` });
      }
    }
    return [traces, layout];
  },
  profile(chart, colours) {
    const traces = shown(chart).flatMap(one => lines(chart, one, colours, chart.at, { shape: "hv" }));
    for (const trace of traces)
      if (trace.meta) Object.assign(trace, { mode: "lines+markers", marker: { ...trace.marker, maxdisplayed: 9 },
        hovertemplate: `<b>${trace.name}</b><br>above %{x:.3~f}: %{customdata[0]} ${band}` });
    return [traces, { yaxis: { range: [-.03, 1.03] }, xaxis: {} }];
  },
  outcomes(chart, colours) {
    const name = value => String(value).replace("-", "−");
    const x = chart.low.map((low, i) => chart.named ? name(low) : (low + chart.high[i]) / 2);
    const text = chart.low.map((low, i) => chart.named ? name(low) : `${figure(low)} to ${figure(chart.high[i])}`);
    const traces = shown(chart).map(one => ({ type: "bar", x, y: one.y, text, textposition: "none", name: plain(one.look.label),
      meta: one.planner, marker: { color: colours.colour(one.look), pattern: { shape: PATTERNS[one.look.dash],
        fgcolor: colours.ground, fillmode: "overlay", solidity: .4, size: 6 } },
      hovertemplate: `<b>${plain(one.look.label)}</b><br>return %{text}: %{y:.1%} of ${one.n.toLocaleString("en")}<extra></extra>` }));
    return [traces, { barmode: "group", xaxis: chart.named ? { type: "category" } : {}, yaxis: { range: [0, 1.03], tickformat: ".0%" } }];
  },
};

/* A title in as many lines as it needs where there are so many pixels for it. */
function folded(title, room, font) {
  const pen = document.createElement("canvas").getContext("2d"), lines = [];
  pen.font = font;
  for (const word of title.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length && pen.measureText(longer).width <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map(plain).join("<br>");
}

function draw(name) {
  const chart = charts[name], colours = theme();
  const [traces, own] = KINDS[chart.kind](chart, colours);
  const axis = { gridcolor: colours.line, linecolor: colours.muted, zeroline: false, ticks: "outside",
    tickcolor: colours.muted, automargin: true };
  const size = printing ? { width: 330, height: 260 } : { height: 340 };
  const points = printing ? 10 : 12, margin = { l: 56, r: 12, t: 10, b: 46 };
  const room = (size.width || document.getElementById(name).clientWidth) - margin.l - margin.r;
  const title = { size: Math.round(1.2 * points) };
  const layout = { paper_bgcolor: colours.ground, plot_bgcolor: colours.ground, showlegend: false, ...size,
    autosize: !printing, hovermode: "closest", dragmode: phone.matches ? false : "zoom",
    font: { color: colours.text, size: points, family: FONTS }, margin, uirevision: "kept", ...own,
    xaxis: { ...axis, title: { text: folded(chart.x, room, `${title.size}px ${FONTS}`), font: title, standoff: 6 }, ...own.xaxis },
    yaxis: { ...axis, title: { text: chart.y, font: title, standoff: 4 }, ...own.yaxis } };
  const config = { displaylogo: false, responsive: !printing, scrollZoom: false, displayModeBar: "hover",
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
    toImageButtonOptions: { format: "svg", filename: `${chart.env}-${chart.title}` } };
  return Plotly.react(name, traces, layout, config);
}

function drawAll(which = () => true) {
  for (const name of Object.keys(charts)) if (which(charts[name])) draw(name);
  document.documentElement.dataset.drawn = printing ? "print" : dark.matches ? "dark" : "light";
}

/* Legends: how planners are drawn, and which of them. */
const MARKS = { circle: "M17 3.5a3.500 3.500 0 1 0 .01 0z", square: "M13.500 3.500h7v7h-7z", diamond: "M17 2.500l4.500 4.500-4.500 4.500-4.500-4.500z",
  "triangle-up": "M17 3l4 7.500h-8z", "triangle-down": "M17 11l4-7.500h-8z", "x-thin": "M13.500 3.500l7 7m0-7l-7 7", cross: "M15.500 3h3v2.500h2.500v3h-2.500v2.500h-3v-2.500h-2.500v-3h2.500z",
  star: "M17 2l1.500 3.500 3.700.300-2.800 2.500.900 3.700-3.300-2-3.300 2 .900-3.700-2.800-2.500 3.700-.300z",
  x: "M18.77 3.11L20.89 5.23L19.12 7.00L20.89 8.77L18.77 10.89L17.00 9.12L15.23 10.89L13.11 8.77L14.88 7.00L13.11 5.23L15.23 3.11L17.00 4.88z",
  "triangle-left": "M13 7l7-4v8z", "triangle-right": "M21 7l-7-4v8z",
  pentagon: "M17 3l4 3-1.500 4.500h-5l-1.500-4.500z", hexagon2: "M17 3l3.500 2v4l-3.500 2-3.500-2v-4z", "diamond-tall": "M17 2l3 5-3 5-3-5z",
  octagon: "M15.500 3.500h3l2 2v3l-2 2h-3l-2-2v-3z", "cross-thin": "M17 3v8m-4-4h8", "y-down": "M17 11.500v-4.500l-4-3m4 3l4-3",
  "y-up": "M17 2.500v4.500l-4 3m4-3l4 3", "y-left": "M12.500 7h4.500l3-4m-3 4l3 4",
  "y-right": "M21.500 7h-4.500l-3-4m3 4l-3 4", "line-ns": "M17 3v8",
  "star-diamond": "M17 1.500l1.500 4 4 1.500-4 1.500-1.500 4-1.500-4-4-1.500 4-1.500z",
  "star-triangle-up": "M17 2l1.300 4.200 3.200 4.300-4.500-1.300-4.500 1.300 3.200-4.300z",
  "hexagram": "M17.000 2.000L18.250 4.835L21.330 4.500L19.500 7.000L21.330 9.500L18.250 9.165L17.000 12.000L15.750 9.165L12.670 9.500L14.500 7.000L12.670 4.500L15.750 4.835z",
  "star-square": "M17.000 2.000L18.085 4.748L20.909 3.883L19.437 6.444L21.875 8.113L18.955 8.559L19.169 11.505L17.000 9.500L14.831 11.505L15.045 8.559L12.125 8.113L14.563 6.444L13.091 3.883L15.915 4.748z",
  "star-triangle-down": "M17.000 2.000L18.148 4.228L20.536 3.464L19.772 5.852L22.000 7.000L19.772 8.148L20.536 10.536L18.148 9.772L17.000 12.000L15.852 9.772L13.464 10.536L14.228 8.148L12.000 7.000L14.228 5.852L13.464 3.464L15.852 4.228z" };

function paintLegends() {
  const colours = theme();
  for (const entry of document.querySelectorAll("[data-planner]")) {
    const look = looks[entry.closest(".env").dataset.env][entry.dataset.planner], colour = colours.colour(look);
    const [symbol, open] = look.symbol.split(/-(open)$/), swatch = entry.querySelector("svg");
    const dash = look.dash === "solid" ? "" : look.dash.replace(/px/g, "");
    swatch.setAttribute("viewBox", "0 0 34 14");
    swatch.setAttribute("aria-hidden", "true");
    swatch.innerHTML = `<path d="M0 7h34" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>
      <path d="${MARKS[symbol]}" stroke="${colour}" stroke-width="1.5" fill="${open ? colours.ground : colour}"/>`;
  }
}

for (const button of document.querySelectorAll(".legend button"))
  button.addEventListener("click", () => {
    const section = button.closest(".env"), { env } = section.dataset, { planner } = button.dataset, out = hidden[env] ||= new Set();
    out.has(planner) ? out.delete(planner) : out.add(planner);
    button.setAttribute("aria-pressed", String(!out.has(planner)));
    for (const entry of section.querySelectorAll(".key span")) entry.hidden = out.has(entry.dataset.planner);
    drawAll(chart => chart.env === env);
  });

for (const label of document.querySelectorAll(".budget")) {
  const select = label.querySelector("select"), { panel: key } = label.dataset;
  const choose = () => { chosen[key] = select.value; label.dataset.chosen = select.selectedOptions[0].text; };
  choose();
  select.addEventListener("change", () => { choose(); drawAll(chart => chart.budgets && panel(chart) === key); });
}

/* Tables: one of several at a time, sorted by a column. */
for (const choice of document.querySelectorAll(".choice")) {
  const tabs = document.createElement("div"), tables = [...choice.children];
  tabs.className = "tabs";
  tabs.setAttribute("role", "group");
  tabs.setAttribute("aria-label", "Which table");
  const select = at => tables.forEach((table, i) => {
    table.hidden = i !== at;
    tabs.children[i].setAttribute("aria-pressed", String(i === at));
  });
  tables.forEach((table, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = table.querySelector("table").dataset.name.split("|")[0];
    button.addEventListener("click", () => select(i));
    tabs.append(button);
  });
  choice.prepend(tabs);
  select(0);
}

for (const button of document.querySelectorAll("thead button"))
  button.addEventListener("click", () => {
    const head = button.parentElement, body = head.closest("table").tBodies[0];
    const down = head.ariaSort !== "descending", column = head.cellIndex;
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = row => row.cells[column].dataset.value === undefined ? null : Number(row.cells[column].dataset.value);
    const order = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null && y === null) return a.cells[column].textContent.localeCompare(b.cells[column].textContent);
      return x === null ? -Infinity : y === null ? Infinity : x - y;
    };
    const rows = [...body.rows].sort(order);
    body.append(...(down ? rows.reverse() : rows));
  });

function dress(print) {
  if (print === printing) return;
  printing = print;
  paintLegends();
  drawAll();
}
dark.addEventListener("change", () => { paintLegends(); drawAll(); });
for (const turned of [phone, matchMedia("(orientation: portrait)")]) turned.addEventListener("change", () => drawAll());
paper.addEventListener("change", () => dress(paper.matches));
addEventListener("beforeprint", () => dress(true));
addEventListener("afterprint", () => dress(paper.matches));

printing = paper.matches;
paintLegends();
drawAll();
