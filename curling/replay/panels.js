// The scoreboard, the numbers of a shot and the curve of the win probability.

const byId = id => document.getElementById(id);
const percent = share => `${Math.round(100 * share)} %`;
const BLUNDER = "??";
const signed = (number, digits) => `${number < 0 ? "\u2212" : "+"}${Math.abs(number).toFixed(digits)}`;

function clock(seconds) {
  if (seconds < 10) return `${seconds.toFixed(seconds < 1 ? 3 : 1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

function html(name, text = "", className = "", parent = null) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  if (parent) parent.append(made);
  return made;
}

function side(team, name) {
  const made = html("span", "", "side");
  html("span", "", `stone team${team}`, made).setAttribute("aria-hidden", "true");
  html("span", name, "name", made).title = name;
  return made;
}

// one column an end, the hammer marked, during shot i or, if it is over, after it; jump(end) is called for a click
function drawScoreboard(game, i, over, jump) {
  const table = byId("scoreboard"), { match, shots, ends } = game;
  const last = shots.length ? shots[shots.length - 1].end : 0, columns = Math.max(match.ends, last + 1);
  const current = i >= 0 ? shots[i].end : 0, focused = document.activeElement?.dataset?.cell, total = game.points(over ? i : i - 1);
  const head = html("tr"), rows = [0, 1].map(() => html("tr"));
  html("th", "", "team", head).setAttribute("aria-label", "Team");
  rows.forEach((row, team) => { const th = html("th", "", "team", row); th.scope = "row"; th.append(side(team, match.players[team])); });
  for (let end = 0; end < columns; end++) {
    html("th", end < match.ends ? end + 1 : `E${end - match.ends + 1}`, "", head).scope = "col";
    const first = shots.find(shot => shot.end === end), found = ends.find(one => one.end === end);
    const shown = found && (end < current || (end === current && over && i >= 0 && shots[i].shot === SHOTS - 1));
    rows.forEach((row, team) => {
      const cell = html("td", "", `${end === current ? "now" : ""} ${shown && found.points[team] ? "won" : ""}`, row);
      if (!first) return;
      const button = html("button", shown ? found.points[team] : "", "", cell);
      button.type = "button"; button.dataset.cell = `${team}-${end}`;
      const hammer = first.hammer === team;
      button.setAttribute("aria-label", `${game.endName(end)}, ${COLOURS[team]}${shown ? `: ${found.points[team]}` : ""}${hammer ? ", hammer" : ""}`);
      button.onclick = () => jump(end);
      if (hammer && end <= current) {
        const icon = element("svg", { viewBox: "0 0 24 24", class: "hammer", "aria-hidden": "true" }, button);
        element("path", { d: "M3 5h14v7H3zM17 6h4v5h-4zM8.5 12h3.600v10H8.500z" }, icon);
      }
    });
  }
  html("th", "Total", "total", head).scope = "col";
  rows.forEach((row, team) => html("td", total[team], "total", row));
  const thead = html("thead"), tbody = html("tbody");
  thead.append(head); tbody.append(...rows); table.replaceChildren(thead, tbody);
  if (focused) table.querySelector(`[data-cell="${focused}"]`)?.focus();
  byId("score").textContent = `${total[0]} : ${total[1]}`;
}

// aim, throw, time and win probabilities of shot i; over: whether the stones are at rest
function drawShot(game, i, over) {
  const list = byId("numbers");
  list.replaceChildren();
  if (i < 0) {
    byId("where").textContent = "Before the first shot";
    byId("description").textContent = game.count ? `${game.match.players[game.shots[0].hammer]} has the hammer.` : "No shot has been thrown.";
    return;
  }
  const shot = game.shots[i], row = (name, value, note = "") => {
    const cell = html("div", "", "", list);
    html("dt", name, "", cell);
    const dd = html("dd", `${value} `, "", cell);
    if (note) html("small", note, "", dd);
  };
  const where = byId("where");
  where.replaceChildren(side(shot.team, `${game.endName(shot.end)}, ${game.shotName(shot)}: ${game.match.players[shot.team]}`));
  if (shot.judged?.blunder) html("span", `${BLUNDER} Blunder`, "blunder", where);
  const description = over ? game.describe(i) + (i === game.count - 1 && game.result ? ` ${game.ending()}.` : "")
    : `${capital(COLOURS[shot.team])} ${stoneNumber(shot.row, game.match)} is on its way, ${shot.turn > 0 ? "counter-clockwise" : "clockwise"}.`;
  if (byId("description").textContent !== description) byId("description").textContent = description;
  const side_ = angle => `${Math.abs(angle).toFixed(2)}\u00b0 ${angle < 0 ? "left" : "right"}`;
  row("Aimed", `${shot.aim[0].toFixed(3)} m/s`, side_(shot.aim[1]));
  row("Thrown", `${shot.thrown[0].toFixed(3)} m/s`, side_(shot.thrown[1]));
  row("Error", shot.aimed ? `${signed(1000 * (shot.thrown[0] - shot.aim[0]), 0)} mm/s` : "none",
    shot.aimed ? `${signed(shot.thrown[1] - shot.aim[1], 2)}\u00b0${over ? game.missed(shot) : ""}` : "");
  const used = game.shots.slice(0, i + 1).reduce((sum, one) => sum + (one.team === shot.team ? one.seconds : 0), 0);
  row("Thinking time", clock(shot.seconds), `${clock(used)} so far`);
  if (shot.simulations) row("Simulations", shot.simulations.toLocaleString("en"));
  const own = share => shot.team === 0 ? share : 1 - share;
  if (shot.value !== null) row("Expected to win", percent(own(shot.value)), "by the thrower");
  const [before, after] = [own(game.chance(i)), own(game.chance(i + 1))];
  if (shot.judged) drawJudgement(shot.judged, over, row);
  row("Chance to win", over ? `${percent(before)} \u2192 ${percent(after)}` : percent(before), over ? signed(100 * (after - before), 0) : "");
}

// what the judge says of a shot
function drawJudgement(judged, over, row) {
  row("Shot", judged.played, `wins ${percent(judged.aimed)}`);
  row("Judge's choice", judged.choice, `wins ${percent(judged.before)}${judged.track ? ", dotted line" : ""}`);
  row("Loss", ...lossOf(judged));
  if (over) row("Luck of the throw", `${signed(100 * judged.luck, 1)} %`, `\u00b1 ${(100 * judged.luck_error).toFixed(1)}`);
}

// a loss in words; below 0 it says no more than that the shot is not worse
function lossOf({ loss, loss_error }) {
  return loss > 0 ? [`${(100 * loss).toFixed(1)} %`, `\u00b1 ${(100 * loss_error).toFixed(1)}`] : ["not worse", "than the judge's choice"];
}

// the teams' summaries; jump(p) is called for a click on one of the costliest shots
function drawSummaries(game, jump) {
  const { judge, players } = game.match, list = byId("judged");
  list.hidden = false;
  byId("marks").hidden = !game.shots.some(shot => shot.judged?.blunder);
  list.replaceChildren(html("li", `Judge: ${judge.name}`), ...[0, 1].filter(team => judge.teams[team]).map(team => {
    const sum = judge.teams[team], item = html("li");
    item.append(side(team, players[team]));
    const [loss, error] = lossOf(sum), mean = sum.loss > 0 ? `mean loss ${loss} ${error}` : "on the mean not worse than the judge";
    html("p", `${sum.shots} ${sum.shots === 1 ? "shot" : "shots"}, ${mean}, ${sum.blunders} ${sum.blunders === 1 ? "blunder" : "blunders"}, ` +
      `luck of the throws ${signed(100 * sum.luck, 1)} % \u00b1 ${(100 * sum.luck_error).toFixed(1)}`, "", item);
    for (const number of sum.costliest) {
      const shot = game.shots[number], { blunder, loss: lost } = shot.judged;
      const button = html("button", `${game.endName(shot.end)}, ${game.shotName(shot)}: ${(100 * lost).toFixed(1)} %${blunder ? ` ${BLUNDER}` : ""}`, "", item);
      button.type = "button";
      button.onclick = () => jump(number + 1);
    }
    return item;
  }));
}

// the curve; `point` moves its cursor, `shots` converts px from its left edge to a number of shots
function drawCurve(game, p) {
  const svg = byId("curve"), { width, height } = svg.getBoundingClientRect(), left = 42, right = width - 8, top = 8;
  const bottom = height - 20, { match, count, shots, endShots } = game;
  const most = game.result ? count : Math.max(count, endShots * match.ends, shots.length ? endShots * (shots[count - 1].end + 1) : 0);
  const x = k => left + (right - left) * k / Math.max(most, 1), y = share => bottom - (bottom - top) * share;
  byId("dots").hidden = shots.every(shot => shot.value === null);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const words = { "font-size": 11, fill: "var(--muted)" };
  const text = (at, share, said, anchor) => { element("text", { x: at, y: share, "text-anchor": anchor, ...words }, svg).textContent = said; };
  const spots = Array.from({ length: count + 1 }, (_, k) => [x(k), y(game.chance(k))]);
  const path = spots.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" L");
  element("path", { d: `M${path} L${x(count)},${top} L${left},${top}Z`, fill: "var(--yellow)", opacity: .3 }, svg);
  element("path", { d: `M${path} L${x(count)},${bottom} L${left},${bottom}Z`, fill: "var(--red)", opacity: .28 }, svg);
  for (const share of [0, .5, 1]) {
    element("line", { x1: left, x2: right, y1: y(share), y2: y(share), stroke: "var(--line)", "stroke-dasharray": share === .5 ? "4 4" : "none" }, svg);
    text(left - 5, y(share) + 4, `${100 * share} %`, "end");
  }
  for (let end = 0; endShots * end < most; end++) {
    const from = x(endShots * end), to = x(Math.min(endShots * (end + 1), most));
    if (end) element("line", { x1: from, x2: from, y1: top, y2: bottom, stroke: "var(--line)" }, svg);
    if (to - from > 14) text((from + to) / 2, height - 5, end < match.ends ? end + 1 : `E${end - match.ends + 1}`, "middle");
  }
  shots.forEach((shot, k) => {
    if (shot.value !== null) element("circle", { cx: x(k), cy: y(Math.max(0, Math.min(1, shot.value))), r: 2.2, fill: "none", stroke: `var(--dot${shot.team})`, "stroke-width": 1.2 }, svg);
  });
  element("path", { d: `M${path}`, fill: "none", stroke: "var(--text)", "stroke-width": 1.8, "stroke-linejoin": "round" }, svg);
  shots.forEach((shot, k) => {
    if (!shot.judged?.blunder) return;
    const mark = element("g", { class: "mark", transform: `translate(${x(k).toFixed(1)} ${y(game.chance(k)).toFixed(1)})` }, svg);
    element("title", {}, mark).textContent = `Blunder: ${game.endName(shot.end)}, ${game.shotName(shot)}, ${game.match.players[shot.team]}, ${lossOf(shot.judged)[0]}`;
    element("circle", { r: 8, fill: "var(--bad)", stroke: `var(--${COLOURS[shot.team]})`, "stroke-width": 2 }, mark);
    element("text", { y: 3.8, "text-anchor": "middle", "font-size": 11, "font-weight": 700, fill: "var(--card)" }, mark).textContent = BLUNDER;
  });
  const cursor = element("g", { id: "cursor" }, svg);
  element("line", { y1: top, y2: bottom, stroke: "var(--accent)", "stroke-width": 2 }, cursor);
  element("circle", { r: 4.5, fill: "var(--accent)", stroke: "var(--card)", "stroke-width": 1.5 }, cursor);
  const point = now => {
    const k = Math.min(Math.floor(now), count), share = now - k;
    const chance = k < count ? (1 - share) * game.chance(k) + share * game.chance(k + 1) : game.chance(k);
    cursor.firstChild.setAttribute("x1", x(now)); cursor.firstChild.setAttribute("x2", x(now));
    cursor.lastChild.setAttribute("cx", x(now)); cursor.lastChild.setAttribute("cy", y(chance));
    [chance, 1 - chance].forEach((share, team) => { byId(`chance${team}`).textContent = percent(share); });
  };
  point(p);
  return { point, shots: at => Math.max(0, Math.min(count, Math.round((at - left) / (right - left) * most))) };
}
