// A person's shots: the aim on the ice, its preview, the throw, the clocks, and what the planner thought of an end.

const { me, weights, aim, root, seat } = given.play, STEP = 0.02, LEAP = 0.2; // m
const FINER = 0.05, NOTCH = 100, LINE = 33; // of the scale of weights; pixels of the wheel for twice that, and of its line
let preview; // the tracks of the aimed shot, null where no throw reaches the target, undefined where they are not known yet
let turn = null, turnAt = 0, asked = null, again = false, throwing = false;
let setup = 0; // the set-up that the person considers, a number in those of the turn

const rival = () => game.match.players[1 - me];
const caughtUp = () => turn !== null && game !== null && game.count === turn.shots && p === game.count;
const aiming = () => caughtUp() && turn.phase === "aim" && !turn.past && !throwing;
const settingUp = () => caughtUp() && turn.phase === "setup" && turn.setups.length > 0 && !turn.past && !throwing;

// the server's answer; null for a refusal, which is told, and for what was given up
async function post(path, data, signal) {
  let answer, body;
  try {
    answer = await fetch(`${root}/${path}`, { method: "POST", body: JSON.stringify(data), signal });
    body = await (answer.ok ? answer.json() : answer.text());
  } catch {
    if (!signal?.aborted) tell("The server does not answer");
    return null;
  }
  if (answer.ok) return body;
  tell(capital(body));
  return null;
}

function tell(text) {
  if (byId("told").textContent !== text) byId("told").textContent = text;
}

// ask for the preview of the latest aim; one request at a time
async function askPreview() {
  again = asked !== null;
  if (again || !aiming()) return;
  byId("throw").setAttribute("aria-busy", true);
  asked = new AbortController();
  const answer = await post("aim", aim, asked.signal);
  asked = null;
  byId("throw").setAttribute("aria-busy", false);
  if (again) { askPreview(); return; }
  if (!answer) return;
  Object.assign(aim, answer.aim);
  preview = answer.tracks && answer.tracks.map(unpack);
  tell(answer.told.map(capital).join(". "));
  show(false);
}

function change(part) {
  if (!aiming()) return;
  Object.assign(aim, part);
  show(false);
  askPreview();
}

const move = (across, ahead) => change({ x: aim.x + across, y: aim.y + ahead });
const weigh = step => change({ weight: Math.round(100 * (aim.weight + step)) / 100 }); // what is off the scale, the server clamps
const nextWeight = () => change({ weight: (Math.floor(aim.weight) + 1) % weights.length });
const spin = () => change({ side: -aim.side });
const consider = number => { setup = number; show(false); };

// what the one button would begin or do now; null where it does nothing
function nextAct() {
  if (!turn || throwing) return null;
  const now = caughtUp();
  if (turn.phase === "seat") return "Take the seat";
  if (turn.phase === "wait") return null;
  if (!now && playing && follow) return ["aim", "setup"].includes(turn.phase) ? "Skip" : null; // one's clock is running
  if (!now) return "Back to the game";
  if (turn.phase === "setup") return settingUp() ? "Set up the end" : null;
  if (turn.phase === "end") return "Next end";
  if (turn.phase === "over") return seat ? "Next match" : null;
  return aiming() && preview !== null ? "Throw" : null;
}

async function press() {
  const act = nextAct();
  if (act === "Skip" || act === "Back to the game") { actions.live(); askPreview(); }
  if (act === "Take the seat" || act === "Next end") await post("next", {});
  if (act === "Next match" && await post("next", {})) location.reload();
  if (act !== "Throw" && act !== "Set up the end") return;
  throwing = true; // until the stone is on its way, or the end is set up
  actions.live();
  if (asked) { asked.abort(); preview = undefined; } // the stone does not wait for the picture of its path
  const answer = await (act === "Throw" ? post("throw", { ...aim, shot: turn.shots })
    : post("setup", { end: turn.end, choice: turn.setups[setup].choice }));
  if (answer) tell(answer.told.map(capital).join(". "));
  else { throwing = false; show(false); }
}

heard = event => {
  if (event.type === "shot" && event.team === me) { throwing = false; rested = REST; } // it is on its way at once
  if (event.type === "turn") {
    turn = event;
    throwing = false;
    turnAt = performance.now() - 1000 * event.seconds;
    if (event.reason && !event.past) tell(capital(event.reason));
    if (event.phase === "setup") drawSetups(event.setups);
    preview = undefined;
    if (game) askPreview(); else drawForm(false);
  }
  if (event.type === "review") drawReview(event);
};

overlay = () => {
  const now = caughtUp(), mine = aiming();
  if (now && !game.result) follow = playing = true; // who looks at the newest shot also sees the next one
  if (now && turn.shots % game.endShots === 0 && turn.phase !== "end" && turn.phase !== "over") {
    const stones = settingUp() ? turn.setups[setup].stones : game.atStart(turn.end);
    for (const view of views) { view.show(stones, []); view.trail(null, 0); }
  }
  if (mine) {
    for (const view of views) view.preview(preview || [], [1000 * aim.x, 1000 * aim.y]);
    if (preview === undefined) askPreview();
  }
  drawForm(mine);
};

// a button for each set-up of the end; the hammer is taken if nothing else is chosen
function drawSetups(setups) {
  setup = Math.max(0, setups.findIndex(one => one.choice === "center_house"));
  byId("setups").replaceChildren(...setups.map(({ choice }, number) => {
    const button = html("button", capital(SETUPS[choice]));
    button.type = "button";
    button.onclick = () => consider(number);
    return button;
  }));
}

function drawForm(mine) {
  document.querySelector("main").classList.toggle("empty", !game);
  document.querySelector("main").classList.toggle("setup", settingUp());
  for (const [number, button] of [...byId("setups").children].entries()) button.setAttribute("aria-pressed", number === setup);
  byId("weight").value = aim.weight;
  byId("weight").setAttribute("aria-valuetext", weightName());
  byId("weight-name").textContent = weightName();
  for (const [index, button] of named.entries()) {
    button.disabled = !mine;
    button.setAttribute("aria-pressed", index === aim.weight);
  }
  byId("spin-name").textContent = aim.side > 0 ? "out-turn" : "in-turn";
  byId("choices").classList.toggle("idle", !mine);
  byId("choices").classList.toggle("out-turn", aim.side > 0);
  byId("weight").disabled = byId("spin").disabled = !mine;
  const act = nextAct(), said = situation();
  byId("release").textContent = act || "Throw";
  byId("release").disabled = act === null;
  if (byId("say").textContent !== said) byId("say").textContent = said;
}

function weightName() {
  const place = Math.max(0, Math.min(weights.length - 1, aim.weight)), lower = Math.floor(place);
  return place === lower ? weights[lower] : `between ${weights[lower]} and ${weights[lower + 1]}`;
}

function situation() {
  if (!turn) return "Waiting for the server";
  if (turn.phase === "seat") return `You play ${COLOURS[me]}. Your clock runs as soon as both teams are there`;
  if (turn.phase === "wait") return `You play ${COLOURS[me]}. Waiting for the other team`;
  const now = caughtUp();
  if (turn.phase === "over" && now) return game.result ? capital(game.ending()) : "The match is over";
  if (!now) return playing && follow ? "The stone is on its way" : "You look at earlier shots";
  if (turn.phase === "end") return `${game.endName(turn.end - 1)} is over`;
  if (turn.phase === "setup") return `${game.endName(turn.end)}: ${turn.setups.length ? "set it up" : `${rival()} sets it up`}`;
  if (preview === null) return "No throw of this weight reaches the target";
  const stone = `${game.endName(turn.end)}, stone ${turn.shots % game.endShots + 1} of ${game.endShots}`;
  return turn.phase === "think" ? `${stone}: ${rival()} is thinking` : `${stone}: your shot`;
}

function drawReview({ end, thoughts }) {
  byId("review").hidden = thoughts.length === 0;
  byId("review-title").textContent = `What ${rival()} thought: ${game.endName(end)}`;
  byId("thoughts").replaceChildren(...thoughts.map(({ number, ideas }) => {
    const item = html("li"), [chosen] = ideas;
    const jump = html("button", capital(game.shotName(game.shots[number])), "", item);
    jump.type = "button";
    jump.onclick = () => { playing = false; go(number + 1); };
    html("span", chosen.chance === null ? "no estimate" : `expected to win ${percent(chosen.chance)}`, "expected", item);
    const list = html("ul", "", "", item);
    for (const { name, chance, visits } of ideas) {
      html("li", chance === null ? name : `${name}: ${percent(chance)}, ${visits} simulations`, "", list);
    }
    return item;
  }));
}

function drawClocks() {
  if (!game || !(turn?.left || turn?.used)) return;
  const minutes = seconds => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  const running = turn.phase === "aim" ? me : turn.phase === "think" ? 1 - me : -1, passed = (performance.now() - turnAt) / 1000;
  const times = [0, 1].map(team => {
    const now = team === running ? passed : 0;
    return minutes(turn.left ? Math.max(turn.left[team] - now, 0) : turn.used[team] + now);
  });
  byId("clocks").textContent = `${turn.left ? "Time left" : "Thinking time"}: you ${times[me]}, ${rival()} ${times[1 - me]}`;
}

// the place on the ice under the pointer, in m
function pointed(event) {
  const { a, d, e, f } = byId("house").getScreenCTM();
  change({ x: (event.clientX - e) / a / 100, y: (event.clientY - f) / d / -100 });
}

const ice = byId("house");
ice.onpointerdown = event => {
  if (event.button !== 0) return;
  ice.setPointerCapture(event.pointerId);
  pointed(event);
};
ice.onpointermove = event => { if (ice.hasPointerCapture(event.pointerId)) pointed(event); };
ice.oncontextmenu = event => { if (aiming()) { event.preventDefault(); spin(); } };
ice.addEventListener("wheel", event => {
  if (!aiming()) return;
  event.preventDefault();
  const turned = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1) / NOTCH;
  weigh(-2 * FINER * Math.max(-1, Math.min(1, turned)));
}, { passive: false });
const named = weights.map((name, weight) => {
  const button = html("button", name, "", byId("weights"));
  button.type = "button";
  button.disabled = true;
  button.onclick = () => change({ weight });
  return button;
});
byId("weight").max = weights.length - 1;
byId("weight").oninput = event => change({ weight: Number(event.target.value) });
byId("spin").onclick = spin;
byId("throw").onsubmit = event => { event.preventDefault(); press(); };

const aimKeys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
document.addEventListener("keydown", event => {
  if (!game || byId("help").open || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event, way = aimKeys[key], size = event.shiftKey ? LEAP : STEP;
  if (target === byId("weight")) { event.stopPropagation(); return; }
  if (["SELECT", "BUTTON"].includes(target.tagName) && (key === "Enter" || key === " ")) { event.stopPropagation(); return; }
  const act = way && aiming() ? () => move(size * way[0], size * way[1])
    : aiming() && ["+", "-"].includes(key) ? () => weigh(key === "-" ? -FINER : FINER)
    : settingUp() && key.toLowerCase() === "w" ? () => consider((setup + 1) % turn.setups.length)
    : aiming() && key.toLowerCase() === "w" ? nextWeight
    : aiming() && key.toLowerCase() === "s" ? spin
    : key === "Enter" || (key === " " && (aiming() || settingUp())) ? press : null;
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}, true);
document.querySelector("main").classList.add("play");
setInterval(drawClocks, 250);
