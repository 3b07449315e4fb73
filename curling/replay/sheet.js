// The sheet, drawn to scale: lengths in centimetres, y downwards on the page.

function element(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.append(made);
  return made;
}

const onPage = ([x, y]) => [x / 10, -y / 10];

class SheetView {
  // svg: where to draw; sheet: lines in mm; from, to: what to show along the sheet, mm; detail: numbers, trails;
  // match: whose stones are numbered
  constructor(svg, sheet, from, to, detail, match) {
    Object.assign(this, { detail, match });
    const half = sheet.half_width / 10, edge = detail ? 10 : 14, [, top] = onPage([0, to]), [, bottom] = onPage([0, from]);
    svg.setAttribute("viewBox", `${-half - edge} ${top} ${2 * (half + edge)} ${bottom - top}`);
    svg.replaceChildren();
    const g = element("g", {}, svg), tee = -sheet.tee / 10, house = sheet.house_radius / 10;
    element("rect", { x: -half, y: top, width: 2 * half, height: bottom - top, fill: "var(--ice)" }, g);
    for (const [share, colour] of [[1, "outer"], [2 / 3, "ice"], [1 / 3, "inner"], [1 / 12, "ice"]]) {
      element("circle", { cx: 0, cy: tee, r: house * share, fill: `var(--${colour})` }, g);
    }
    const thin = detail ? 1.2 : 3, line = (x1, y1, x2, y2, colour, width) =>
      element("line", { x1, y1, x2, y2, stroke: `var(--${colour})`, "stroke-width": width }, g);
    line(0, top, 0, bottom, "mark", thin);
    line(-half, tee, half, tee, "mark", thin);
    line(-half, -sheet.back_line / 10, half, -sheet.back_line / 10, "mark", thin);
    line(-half, -sheet.hog_line / 10, half, -sheet.hog_line / 10, "hog", detail ? 5 : 9);
    if (!detail) line(-half, 0, half, 0, "mark", 6);
    this.trails = element("g", { fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round" }, g);
    this.stones = Array.from({ length: SHOTS }, (_, row) => this.stone(row, g));
  }

  stone(row, parent) {
    const g = element("g", { "data-stone": row, visibility: "hidden" }, parent), scale = this.detail ? 1 : 1.9;
    const team = row >> 3, r = RADIUS / 10 * scale, fill = `var(--${COLOURS[team]})`;
    if (this.detail) element("circle", { class: "halo", r: r + 3.5, fill: "none", stroke: "#0b63b5", "stroke-width": 3 }, g);
    element("circle", { r, fill: "var(--granite)" }, g);
    if (team === 0) element("circle", { r: r * .78, fill }, g);
    else element("rect", { x: -r * .64, y: -r * .64, width: r * 1.28, height: r * 1.28, rx: r * .2, fill }, g);
    if (this.detail) {
      element("text", { y: 5.3, "text-anchor": "middle", "font-size": 15, "font-weight": 700,
        "font-family": "system-ui, sans-serif", fill: team === 0 ? "#fff" : "#16212b" }, g).textContent = stoneNumber(row, this.match);
    }
    return g;
  }

  show(stones, counting) {
    stones.forEach((place, row) => {
      const g = this.stones[row];
      g.setAttribute("visibility", place ? "visible" : "hidden");
      if (!place) return;
      const [x, y] = onPage(place);
      g.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
      if (this.detail) g.firstChild.setAttribute("visibility", counting.includes(row) ? "inherit" : "hidden");
    });
  }

  // the ways of the stones of a shot up to time t, the shot as aimed and the judge's choice
  trail(shot, t) {
    this.trails.replaceChildren();
    if (!shot) return;
    const width = this.detail ? 1 : 3;
    this.ghost(shot.aimed, { stroke: "#51606d", "stroke-width": 1.6 }, 6, 6);
    this.ghost(shot.judged?.track, { stroke: "#7a2fa0", "stroke-width": 2.6 }, 0.1, 5.5);
    for (const track of shot.tracks) {
      const thrown = track.stone === shot.row, colour = track.stone >> 3 ? "#b07d00" : "#c22f22";
      this.way(track, t, { stroke: colour, "stroke-width": (thrown ? 3.5 : 2.2) * width, opacity: thrown ? .75 : .5 });
    }
  }

  // the ways of the stones in a shot that may be thrown, and its target
  preview(tracks, target) {
    this.trails.replaceChildren();
    for (const track of tracks) this.ghost(track, { stroke: "var(--aim)", "stroke-width": 2.2 }, 5, 5);
    if (!this.detail) return;
    const [x, y] = onPage(target), arm = RADIUS / 10 * 1.6;
    for (const [stroke, width] of [["#fff", 6], ["var(--aim)", 3]]) {
      element("path", { class: "target", d: `M${x - arm},${y}h${2 * arm}M${x},${y - arm}v${2 * arm}`, stroke, "stroke-width": width }, this.trails);
    }
  }

  // a way that no stone took, with the place where it would have come to rest
  ghost(track, style, dash, gap) {
    if (!track) return;
    const width = this.detail ? 1 : 3, end = track.t.length - 1;
    this.way(track, Infinity, { ...style, "stroke-width": style["stroke-width"] * width, "stroke-dasharray": `${dash * width} ${gap * width}` });
    if (!this.detail || track.out) return;
    const [cx, cy] = onPage([track.x[end], track.y[end]]);
    element("circle", { cx, cy, r: RADIUS / 10, ...style, "stroke-dasharray": `${Math.min(dash, 5)} ${Math.min(gap, 4)}` }, this.trails);
  }

  way(track, t, style) {
    const points = [];
    for (let k = 0; k < track.t.length && track.t[k] <= t; k++) points.push(onPage([track.x[k], track.y[k]]));
    const now = t < Infinity && along(track, t);
    if (now) points.push(onPage(now));
    element("polyline", { points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), ...style }, this.trails);
  }
}
