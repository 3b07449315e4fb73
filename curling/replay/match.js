// The data of a match: the stones at any time, and a description of each shot.

const TEAM_STONES = 8, SHOTS = 16, RADIUS = 145;
const COLOURS = ["red", "yellow"];
const SETUPS = { center_guard: "the guard and the first stone", center_house: "the hammer",
  pp_left: "the hammer and a power play on the left", pp_right: "the hammer and a power play on the right" };

// number of a stone of its team; 0 is the one that is set up in mixed doubles
const stoneNumber = (row, match) => (row & 7) + 1 - match.first_shot / 2;

const capital = word => word[0].toUpperCase() + word.slice(1);

const sentence = text => text.startsWith("you ") ? capital(text) : text; // names of teams stay as they are

const does = (name, verb) => name === "you" ? `you ${verb}` : `${name} ${verb}s`;

function running(steps) {
  let sum = 0;
  return steps.map(step => (sum += step));
}

function unpack(track) {
  return track && { stone: track.stone, t: running(track.t), x: running(track.x), y: running(track.y), out: track.out };
}

// position of a stone, [x, y] in mm; null once it has left the sheet
function along(track, t) {
  const last = track.t.length - 1;
  if (t >= track.t[last]) return track.out ? null : [track.x[last], track.y[last]];
  let low = 0, high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (track.t[middle] <= t) low = middle; else high = middle;
  }
  const share = (t - track.t[low]) / (track.t[high] - track.t[low]);
  return [track.x[low] + share * (track.x[high] - track.x[low]), track.y[low] + share * (track.y[high] - track.y[low])];
}

class MatchData {
  constructor(match) {
    Object.assign(this, { match, setups: [], shots: [], ends: [], result: null });
  }

  add(event) {
    if (event.type === "shot") {
      event.tracks = event.tracks.map(unpack);
      event.aimed = unpack(event.aimed);
      if (event.judged) event.judged.track = unpack(event.judged.track);
      event.row = TEAM_STONES * event.team + (event.shot >> 1);
      this.shots.push(event);
    } else if (event.type === "setup") {
      this.setups.push(event);
    } else if (event.type === "end") {
      this.ends.push(event);
    } else if (event.type === "result") {
      this.result = event;
    }
  }

  get count() { return this.shots.length; }

  // shots of an end; in mixed doubles their numbers begin at 6
  get endShots() { return SHOTS - this.match.first_shot; }

  // whether shot i is the first one of its end
  opens(i) { return this.shots[i].shot === this.match.first_shot; }

  shotName(shot) { return `shot ${shot.shot - this.match.first_shot + 1}`; }

  // the stones before the first shot of an end
  atStart(end) {
    return this.setups.find(setup => setup.end === end)?.stones ?? Array(SHOTS).fill(null);
  }

  before(i) {
    return this.opens(i) ? this.atStart(this.shots[i].end) : this.shots[i - 1].stones;
  }

  // position p: its integer part counts the finished shots, the rest is the elapsed fraction of the next one
  split(p) {
    const i = Math.min(Math.floor(p), this.count - 1);
    return p > i && i >= 0 && p < i + 1 ? [i, (p - i) * this.shots[i].length] : [Math.round(p) - 1, Infinity];
  }

  stones(p) {
    if (this.count === 0 || p <= 0) return this.atStart(0);
    const [i, t] = this.split(p);
    if (t === Infinity) return this.shots[i].stones;
    const places = this.before(i).slice();
    for (const track of this.shots[i].tracks) places[track.stone] = along(track, t);
    return places;
  }

  // points of each team in the ends before shot i
  points(i) {
    const played = this.shots[i], ends = this.ends.filter(end => played && (end.end < played.end ||
      (end.end === played.end && played.shot === SHOTS - 1)));
    return [0, 1].map(team => ends.reduce((sum, end) => sum + end.points[team], 0));
  }

  // team 0's win probability after `i` shots
  chance(i) {
    const played = this.result && ["score", "draw"].includes(this.result.reason);  // not conceded or forfeited
    if (i === this.count && played && this.result.value !== null) return this.result.value;
    return i === 0 ? this.match.chance : this.shots[i - 1].chance;
  }

  distance(place) {
    return Math.hypot(place[0], place[1] - this.match.sheet.tee);
  }

  // rows of the stones that count
  counting(stones) {
    const near = stones.map((place, row) => [place ? this.distance(place) : Infinity, row])
      .filter(([d]) => d < this.match.sheet.house_radius + RADIUS).sort((a, b) => a[0] - b[0]);
    if (near.length === 0) return [];
    const team = near[0][1] >> 3, other = near.find(([, row]) => row >> 3 !== team);
    return near.filter(([d, row]) => row >> 3 === team && (!other || d < other[0])).map(([, row]) => row);
  }

  endName(end) {
    return end < this.match.ends ? `End ${end + 1}` : `Extra end ${end - this.match.ends + 1}`;
  }

  endOf(end) {
    return this.endName(end) + (end < this.match.ends ? ` of ${this.match.ends}` : "");
  }

  // a sentence or two about the outcome of a shot
  describe(i) {
    const shot = this.shots[i], after = shot.stones, before = this.before(i), own = after[shot.row], sentences = [];
    const nameOf = row => `${COLOURS[row >> 3]} ${stoneNumber(row, this.match)}`, setup = this.setups.find(one => one.end === shot.end);
    if (setup && this.opens(i)) sentences.push(sentence(`${this.match.players[setup.team]} took ${SETUPS[setup.choice]}.`));
    if (shot.foul) {
      sentences.push("Free guard zone foul: all stones go back, the thrown one is lost.");
    } else {
      sentences.push(own ? `The stone rests ${this.spot(own)}.` : "The stone is lost.");
      const gone = before.map((place, row) => place && !after[row] ? nameOf(row) : null).filter(Boolean);
      if (gone.length) sentences.push(`Out: ${gone.join(", ")}.`);
    }
    const count = this.counting(after);
    const end = shot.shot === SHOTS - 1 && this.ends.find(found => found.end === shot.end);
    if (end) {
      const team = end.points[0] ? 0 : 1;
      sentences.push(end.points[team] ? `${sentence(does(this.match.players[team], "score"))} ${end.points[team]}.` : "A blank end.");
    } else if (count.length) {
      sentences.push(`${capital(COLOURS[count[0] >> 3])} lies ${count.length}.`);
    }
    return sentences.join(" ");
  }

  // distance between the final position and the one aimed at
  missed(shot) {
    const own = shot.stones[shot.row], end = shot.aimed.t.length - 1;
    if (!own || shot.aimed.out || shot.tracks.length > 1) return "";
    return `, ${(Math.hypot(own[0] - shot.aimed.x[end], own[1] - shot.aimed.y[end]) / 1000).toFixed(2)} m off`;
  }

  spot(place) {
    const { tee, house_radius } = this.match.sheet, d = this.distance(place) / 1000;
    if (d < .15) return "on the button";
    const side = Math.abs(place[0]) < 150 ? "" : place[0] < 0 ? " left" : " right";
    const along = place[1] < tee ? "before" : "behind";
    const where = this.distance(place) < house_radius + RADIUS ? "in the house" : place[1] < tee ? "as a guard" : "behind the house";
    return `${where}, ${d.toFixed(2)} m from the tee,${side}${side ? " and" : ""} ${along} it`;
  }

  ending() {
    const { result, match } = this;
    if (!result) return "";
    const winner = result.winner === null ? "" : match.players[result.winner];
    const loser = result.winner === null ? "" : match.players[1 - result.winner];
    const text = {
      score: does(winner, "win"), draw: "A draw", concede: `${does(loser, "concede")}, ${does(winner, "win")}`,
      time_limit: `${loser === "you" ? "you are" : `${loser} is`} out of time, ${does(winner, "win")}`, forfeit: `${does(loser, "forfeit")}, ${does(winner, "win")}`,
      abandoned: "Abandoned", unfinished: "Unfinished",
    }[result.reason];
    return sentence(text) + (result.detail ? ` (${result.detail})` : "");
  }
}
