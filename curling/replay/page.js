// The page: the current position in the match, and everything that shows or changes it.

const SPEEDS = [1, 2, 4, 8, 12, 16, 20], REST = 900; // ms that a shot stays at rest before the next one
const still = matchMedia("(prefers-reduced-motion: reduce)");
let game = null, views = [], curve = null;
let heard = () => {}, overlay = () => {}; // what the page of a game to play does with events, and draws besides
let p = 0, playing = false, speed = 8, rested = 0, drawn = null, follow = false, live = false, lost = false;

function show(force) {
  const [i, t] = game.split(p), over = t === Infinity, stones = game.stones(p), count = game.counting(stones);
  for (const view of views) {
    view.show(stones, over ? count : []);
    view.trail(i >= 0 ? game.shots[i] : null, t);
  }
  overlay();
  const key = `${i} ${over}`;
  if (force || key !== drawn) {
    drawScoreboard(game, i, over, jumpToEnd);
    drawShot(game, i, over);
    const foul = i >= 0 && over && game.shots[i].foul;
    byId("banner").hidden = !(foul || ended(i, t));
    byId("banner").textContent = ended(i, t) ? game.ending() : "Free guard zone foul: the stones go back";
    drawn = key;
  }
  if (force || !curve) curve = drawCurve(game, p); else curve.point(p);
  const slider = byId("slider");
  slider.max = Math.max(game.count, 1);
  slider.value = p;
  slider.setAttribute("aria-valuetext", i < 0 ? "before the first shot" : `${game.endName(game.shots[i].end)}, ${game.shotName(game.shots[i])} of ${game.endShots}`);
  if (!lost) showStatus(game.result && ended(i, t) ? game.ending() : i < 0 ? "Before the first shot" : game.endOf(game.shots[i].end));
  byId("play").classList.toggle("playing", playing);
  byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  byId("start").hidden = playing || p > 0 || game.count === 0;
  byId("live").classList.toggle("at", follow);
}

// whether the match is over at time t of shot i
function ended(i, t) {
  return t === Infinity && i === game.count - 1 && game.result !== null;
}

function go(to) {
  p = Math.max(0, Math.min(game.count, to));
  rested = 0;
  follow = follow && p === game.count;
  show(false);
}

function jumpToEnd(end) {
  const first = game.shots.findIndex(shot => shot.end === end);
  if (first >= 0) go(first + 1e-4); // just after the start of its first shot, so that this end is shown
}

function play(on) {
  if (on && p >= game.count && !follow) p = 0;
  playing = on;
  rested = REST;
  show(false);
}

let before = 0;
function tick(now) {
  const passed = Math.min(now - before, 100);
  before = now;
  if (playing && game && p < game.count) {
    const next = Math.floor(p);
    if (p === next && rested < REST) {
      rested += passed;
    } else if (still.matches) {
      p = next + 1;
      rested = -1000; // without motion, show each position for longer
      show(false);
    } else {
      p = Math.min(next + 1, p + passed * speed / Math.max(game.shots[next].length, 1));
      if (p === next + 1) rested = 0;
      show(false);
    }
  } else if (playing && (!follow || game.result)) {
    play(false);
  }
  requestAnimationFrame(tick);
}

function endStep(step) {
  const starts = game.shots.flatMap((_, k) => game.opens(k) ? [k] : []);
  const now = starts.filter(k => k <= p).length - 1;
  if (step < 0) go(starts[p > starts[now] ? now : Math.max(now - 1, 0)] ?? 0);
  else go(starts[now + 1] ?? game.count);
}

function faster(step) {
  speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(speed) + step))];
  byId("speed").value = speed;
}

const actions = {
  "play": () => play(!playing),
  "back": () => go(Math.ceil(p) - 1),
  "on": () => go(Math.floor(p) + 1),
  "end-back": () => endStep(-1),
  "end-on": () => endStep(1),
  "first": () => go(0),
  "last": () => go(game.count),
  "faster": () => faster(1),
  "slower": () => faster(-1),
  "live": () => { p = game.count; follow = playing = true; show(false); },
  "help": () => byId("help").open ? byId("help").close() : byId("help").showModal(),
};
const keys = { " ": "play", ArrowLeft: "back", ArrowRight: "on", ArrowUp: "end-back", ArrowDown: "end-on", Home: "first",
  End: "last", "+": "faster", "=": "faster", "-": "slower", "?": "help" };

function begin(match) {
  game = new MatchData(match);
  const { sheet } = match;
  views = [new SheetView(byId("house"), sheet, sheet.hog_line - 350, sheet.back_line + 350, true, match),
    new SheetView(byId("run"), sheet, sheet.back_line - 41134, sheet.back_line + 500, false, match)];
  match.players.forEach((name, team) => { byId(`name${team}`).textContent = byId(`name${team}`).title = name; });
  byId("setting").textContent = [match.game === "standard" ? "" : match.game.replace("_", " "), `${match.ends} ${match.ends === 1 ? "end" : "ends"}`, match.rule.replace("_", " ") + " rule",
    match.physics, `${match.noise === "none" ? "no" : match.noise.replace("_", " ")} noise`, `${match.engine} engine`,
    match.allowance].filter(Boolean).join(" \u00b7 ");
  document.title = `${match.players[0]} against ${match.players[1]}`;
}

function showStatus(text) {
  byId("status").textContent = text;
  byId("status").classList.toggle("live", live && !lost && !game?.result);
}

function listen(address) {
  const source = new EventSource(address);
  let seen = 0;
  live = true;
  byId("live").hidden = false;
  showStatus("Waiting for the match");
  source.onopen = () => {
    lost = false;
    if (game) show(true); else showStatus("Waiting for the match");
  };
  source.onmessage = message => {
    if (Number(message.lastEventId) !== seen) return;
    seen += 1;
    const event = JSON.parse(message.data);
    if (event.type === "match") { begin(event); follow = playing = true; } else game?.add(event);
    // a game to play is shown from where it was when the page was loaded, and then without leaving out a shot
    const late = game && follow && (given.play ? game.count <= given.play.shots : game.count - p > 1);
    if (late) { p = game.count - (event.type === "shot" && !given.play ? 1 : 0); rested = REST; }
    heard(event);
    if (game?.result) source.close();
    if (game) show(true); // else a person waits for a match
  };
  source.onerror = () => {
    lost = true;
    showStatus(source.readyState === EventSource.CLOSED ? "Connection lost: load the page again" : "Connection lost, trying again");
  };
}

for (const one of SPEEDS) byId("speed").append(new Option(`${one}\u00d7`, one, one === speed, one === speed));
byId("speed").onchange = event => { speed = Number(event.target.value); };
byId("slider").oninput = event => go(Number(event.target.value));
byId("start").onclick = () => play(true);
for (const button of document.querySelectorAll("[data-do]")) button.onclick = () => game && actions[button.dataset.do]();
byId("curve").onclick = event => game && go(curve.shots(event.clientX - byId("curve").getBoundingClientRect().left));
document.addEventListener("keydown", event => {
  const name = keys[event.key], target = event.target;
  if (!name || !game || event.ctrlKey || event.metaKey || event.altKey) return;
  if (byId("help").open && name !== "help") return;
  if (target.tagName === "SELECT" || (event.key === " " && target.tagName === "BUTTON")) return;
  event.preventDefault();
  actions[name]();
});
new ResizeObserver(() => game && (curve = drawCurve(game, p))).observe(byId("curve"));

const given = JSON.parse(byId("match").textContent);
if (given.events) {
  begin(given.events[0]);
  for (const event of given.events.slice(1)) game.add(event);
  if (game.match.judge) drawSummaries(game, go);
  show(true);
} else {
  listen(given.live);
}
window.replay = { get position() { return p; }, get count() { return game ? game.count : 0; }, get playing() { return playing; },
  get speed() { return speed; }, go };
requestAnimationFrame(tick);
