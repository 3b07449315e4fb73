"""`adaptive` with one coordinate as its pseudo-code in docs/guides/abstraction-tree.md: dictionaries and lists."""

import math
from collections import defaultdict

import numpy as np

from bonspiel.planners import Budget
from bonspiel.planners.checks import steps_left
from tests.planners.oracles import best_of, cells_of

SIGHTS = [16 * 1.5**i for i in range(8)]


def nearness(actions, bandwidth):
    """Of every two of the actions, [n, n], given in ranges of an action."""
    squared = ((actions[:, None] - actions[None]) ** 2).sum(-1)
    return np.eye(len(actions)) if bandwidth == 0 else np.exp(-squared / (2 * bandwidth**2))


class PlainRoot:
    """The root's actions in one dimension with all of their returns."""

    def __init__(self, low, high, rng):
        n, golden, self.rng = 16, (math.sqrt(5) - 1) / 2, rng
        order = sorted(range(n), key=lambda i: i * golden % 1)
        if rng.random() < 0.5:
            order = [n - 1 - i for i in order]
        self.grid, self.own = list(order), None
        self.middles = [low + (high - low) * (i + 0.5) / n for i in order]
        self.range, self.gains = high - low, [[] for _ in self.middles]
        self.seen, self.returned = ([[] for _ in self.middles] for _ in range(2))
        self.divided, self.began = [0] * n, [0.0] * n
        self.bandwidth, self.due, self.pulls, self.next = 0.0, 0, 0, 0
        self.chosen = [0] * n

    def arrays(self):
        visits = np.array([len(g) for g in self.gains], float)
        means = np.array([np.mean(g) if g else m for g, m in zip(self.gains, self.began, strict=True)])
        return visits, means

    def smoothed(self):
        visits, means = self.arrays()
        near = nearness(np.array(self.middles)[:, None] / self.range, self.bandwidth)
        alone = visits == 0
        return (near @ (visits * means) + alone * means) / np.maximum(near @ visits + alone, 1e-300)

    def choose(self, c):
        while self.next < 16 and self.gains[self.next]:
            self.next += 1
        cell = self.next
        if cell == 16:
            visits, _ = self.arrays()
            bonus = c * np.sqrt(2 * np.log(self.pulls) / np.maximum(visits, 1))
            cell = best_of(self.smoothed() + bonus, self.rng)
        self.chosen[cell] += 1
        return cell

    def decided(self, sequence):
        often = (np.array(self.chosen) >= 0.5 * max(self.chosen)) & (self.arrays()[0] > 0)
        best = best_of(np.where(often, self.smoothed(), -np.inf), self.rng)
        if sequence is not None:
            mean = np.mean(sequence.repeats) if sequence.repeats else sequence.taken
            if mean - 4 * sequence.sd() - np.mean(self.seen[best]) > 1e-13 * abs(mean):
                best = sequence.cell
        return self.middles[best]

    def place(self, action, nearest):
        """The sequence's own cell, with this action."""
        if self.own is None:
            self.own = self.cell(math.inf, 0.0)
        cell = self.own
        self.began[cell] = np.mean(self.gains[cell]) if self.gains[cell] else self.began[cell]
        self.middles[cell], self.grid[cell], self.chosen[cell] = action, nearest(action), 0
        self.gains[cell], self.seen[cell], self.returned[cell] = [], [], []
        return cell

    def cell(self, divided, began):
        for of_actions in (self.gains, self.seen, self.returned):
            of_actions.append([])
        for values, value in ((self.chosen, 0), (self.divided, divided), (self.began, began)):
            values.append(value)
        for values in (self.middles, self.grid):
            values.append(None)
        return len(self.gains) - 1

    def add(self, cell, gain, seen, returned):
        self.gains[cell].append(gain)
        self.seen[cell].append(seen)
        self.returned[cell].append(returned)
        self.pulls += 1
        split = len(self.gains[cell]) >= 5 * 2 ** self.divided[cell]
        if split:
            self.divided[cell] += 1
            for side in (-1, 1):
                part = self.cell(self.divided[cell], np.mean(self.gains[cell]))
                self.middles[part] = self.middles[cell] + side * self.range / 16 / 3 ** self.divided[cell]
                self.grid[part] = self.grid[cell]
        if (split or self.pulls >= self.due) and self.pulls > 16:
            self.bandwidth, self.due = self.best_bandwidth(), int(1.1 * self.pulls) + 1

    def best_bandwidth(self):
        visits, means = self.arrays()
        tried = visits > 0
        visits, means, actions = visits[tried], means[tried], np.array(self.middles)[tried, None] / self.range
        degrees = (visits - 1).sum()
        if degrees == 0:
            return 0.0
        noise = sum(((np.array(g) - np.mean(g)) ** 2).sum() for g in self.gains if g) / degrees

        def risk(bandwidth):
            weights = nearness(actions, bandwidth) * visits
            average = weights / weights.sum(1, keepdims=True)
            return (visits * (average @ means - means) ** 2).sum() + 2 * noise * np.trace(average)

        return min([0.0, *(2.0**i / 32 for i in range(4))], key=risk)


class PlainSequence:
    """The best sequence of actions in one dimension."""

    def __init__(self, actions, last):
        self.actions, self.cell, self.taken, self.repeats, self.since = actions, None, None, [], 0
        known = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0) if last is None else last.known()
        self.noise, self.degrees, self.changes, self.changed, self.tree, self.found = (0.8 * x for x in known)

    def known(self):
        return self.noise, self.degrees, self.changes, self.changed, self.tree, self.found

    def plays(self):
        return [*([] if self.taken is None else [self.taken]), *self.repeats]

    def sd(self):
        return math.sqrt(self.noise / self.degrees) if self.degrees else 0.0

    def share(self, changes):
        one = changes * (self.changed + 1) / (self.changes + 10)
        other = (1 - changes) * (self.found + 1) / (self.tree + 10)
        return min(one / (one + other), 0.8)

    def is_to_repeat(self):
        return len(self.repeats) < min(
            0.15 * self.since, math.inf if self.noise > 0 else 2 + 2 * math.log(1 + self.since)
        )

    def change(self, low, high, rng):
        """The sequence with a change, and its first step."""
        steps, (a, b) = len(self.actions), (0, len(self.actions))
        scale = 2.0 ** (-10 * rng.random())
        if rng.random() >= 0.15:
            a = int(rng.random() * steps) if rng.random() < 0.5 else 0
            b = min(a + 1 + int(steps * rng.random() ** 2), steps)
        kind, _, knots, level = rng.random(), rng.random(), int(4 ** rng.random()), low + (high - low) * rng.random()
        between, one = max((b - a) // max(knots - 1, 1), 1), rng.standard_normal()
        tried, at = np.array(self.actions), np.arange(a, b)
        if kind < 0.15:
            tried[a:b] = level
        else:
            if kind >= 0.7:
                amount = rng.standard_normal(b - a)
            elif knots == 1:
                amount = one
            else:
                others = rng.standard_normal(-(-(b - a) // between))
                amount = np.interp(at, a + between * np.arange(len(others) + 1), [one, *others])
            tried[a:b] = np.clip(tried[a:b] + amount * scale * (high - low), low, high)
        return tried.tolist(), a

    def repeat(self, seen):
        if plays := self.plays():
            if abs(seen - np.mean(plays)) > 1e-13 * abs(seen):
                self.noise += (seen - np.mean(plays)) ** 2 * len(plays) / (len(plays) + 1)
            self.degrees += 1
        self.repeats.append(seen)

    def take(self, actions, seen, spread, is_change):
        known = np.mean(self.plays())
        is_better = seen - known > max(1e-9 * spread, 1e-13 * abs(known)) + self.sd()
        if is_change:
            self.changes, self.changed = self.changes + 1, self.changed + is_better
        else:
            self.tree, self.found = self.tree + 1, self.found + is_better
        self.since += 1
        if is_better:
            steps = len(self.actions)
            self.actions = (actions + [actions[-1]] * steps)[:steps]
            self.taken, self.repeats, self.since = seen, [], 0
        return is_better


class PlainSights:
    """The returns of all simulations of an episode so far with each sight."""

    def __init__(self):
        self.weights, self.wholes, self.returns = [], [], []

    def best(self):
        """The shortest sight of those that explain three quarters of the variance of the whole returns."""
        self.weights = [0.8 * w for w in self.weights]
        if not self.weights or np.ptp(self.wholes) == 0:
            return 36.0
        for sight, returns in zip(SIGHTS, np.transpose(self.returns), strict=True):
            if np.ptp(returns) > 0:
                (a, ab), (_, b) = np.cov(returns, self.wholes, aweights=self.weights)
                if ab > 0 and ab * ab > 0.75 * a * b:
                    return sight
        return math.inf

    def add(self, rewards, discount):
        def returned(factor):
            return sum(reward * (discount * factor) ** k for k, reward in enumerate(rewards))

        self.weights.append(1.0)
        self.wholes.append(returned(1.0))
        self.returns.append([returned(1 - 1 / sight) for sight in SIGHTS])


def plain_search(model, state, simulations, rng, last, sights, hold, memory, changes, proposals=None):
    """The root and the best sequence after a search with dictionaries; `last` is the last decision's sequence."""
    exploration, spread, trace, steps = 0.15, 0.5, 0.9, steps_left(model, state)
    near = model.discount * (1 - 1 / sights.best())
    low, high = model.action_low[0], model.action_high[0]
    grid = [low + (high - low) * (i + 0.5) / 16 for i in range(16)]

    def nearest(action):
        apart = [((middle - action) / (high - low)) ** 2 for middle in grid]
        equals = [i for i in range(16) if apart[i] == min(apart)]
        best = equals[0]
        for number, other in enumerate(equals[1:], 2):
            best = other if rng.random() * number < 1 else best
        return best

    hold = min(hold, 4 * steps)
    if hasattr(model, "player"):
        memory, changes = 0.0, 0.0
    begun = [min(max(0.0, low), high)] * steps
    if last is not None:
        begun = (last.actions[1:] + [last.actions[-1]] * steps)[:steps]
    if proposals is not None:
        proposed, spent, _ = proposals.propose(np.array(begun)[:, None], state, Budget(simulations), rng)
        begun, simulations = proposed[:, 0].tolist(), simulations - spent
    root, cell = PlainRoot(low, high, rng), cells_of(model)
    sequence = PlainSequence(begun, last) if memory > 0 or changes > 0 else None
    if sequence is not None:
        same = [i for i in range(16) if root.middles[i] == begun[0]]
        sequence.cell = same[0] if same else root.place(begun[0], nearest)
    known, stats = set(), defaultdict(lambda: np.zeros((2, 16)))
    squares, totals = defaultdict(float), []
    baseline = defaultdict(list)

    def player(x):
        return model.player(x, model.params) if hasattr(model, "player") else 1.0

    for _ in range(simulations):
        c_root = exploration
        if totals:
            c_root *= max(max(totals) - min(totals), 1e-9 * abs(max(totals)), 1e-300)
        use, leave, plan, changed = "tree", 0, [], 1
        if sequence is not None:
            plan = sequence.actions
            if not sequence.plays() or sequence.is_to_repeat():
                use = "repeat"
            elif rng.random() < sequence.share(changes):
                use = "change"
            elif root.next == 16 and rng.random() < memory:
                use = "follow"
        if use == "change":
            plan, changed = sequence.change(low, high, rng)
        if use == "follow":
            leave = 1 + int(rng.random() * steps)
        elif use != "tree":
            leave = steps
        x, terminated, path = state, False, []
        while not terminated and len(path) < steps:
            mover, walk, value = player(x), [], 0.0
            if not path:
                place = root.choose(c_root) if leave == 0 else sequence.cell
                if changed == 0:
                    place = next((i for i, middle in enumerate(root.middles) if middle == plan[0]), None)
                action = plan[0] if place is None else root.middles[place]
                arm = 0 if place is None else root.grid[place]
            else:
                held = arm
                n, r, total, square = np.full(16, 1e-3), np.zeros(16), 0.0, 0.0
                for d in range(25):
                    s = (mover, *cell(x, d))
                    if s not in known and d > 0 and stats[walk[-1]][0].sum() < 1.8 * 2.9 ** (d - 1):
                        break
                    new = s not in known
                    known.add(s)
                    walk.append(s)
                    w = (d + 1.0) ** 2
                    n, r = n + w * stats[s][0], r + w * stats[s][1]
                    total, square = total + w * stats[s][0].sum(), square + w * squares[s]
                    if new and d > 0:
                        break
                own = stats[walk[-1]][0].sum()
                value = r.sum() / (total + len(walk) ** 2)
                if len(path) < leave:
                    arm = nearest(plan[len(path)])
                elif len(path) != leave and mover == path[-1][0] and rng.random() * (hold + own) < hold:
                    arm = held
                else:
                    c = c_root
                    if total >= 2:
                        c = max(spread * math.sqrt(max(square / total - (r.sum() / total) ** 2, 0)), 0.01 * c_root)
                    count, q = total + 16 * 1e-3, 2 / 3
                    width = c * math.sqrt(2 * max(q * math.log(count), 0) * math.exp((1 - q) * math.log(count)))
                    means = r * (1 / n)
                    scores = means + width * np.sqrt(1 / n)
                    arm = held if scores[held] == max(scores) else best_of(scores, rng)
                action = plan[len(path)] if len(path) < leave else grid[arm]
            after = np.empty_like(x)
            reward, terminated = model.step(x, np.array([action]), after, model.params, rng)
            path.append((mover, walk, arm, value, reward, action))
            x = after
        total = seen = target = expected = 0.0
        for i in reversed(range(len(path))):
            mover, walk, arm, value, reward, _ = path[i]
            following = 0.0 if i == len(path) - 1 else trace * target + (1 - trace) * expected
            total, seen, target = reward + model.discount * total, reward + near * seen, reward + near * following
            baseline[i].append(seen)
            expected = np.mean(baseline[i]) + mover * value
            gain = mover * (target - np.mean(baseline[i]))
            for s in walk:
                stats[s][:, arm] += 1, gain
                squares[s] += gain**2
        totals.append(total)
        sights.add([step[4] for step in path], model.discount)
        played, taken = [step[5] for step in path], False
        if use == "repeat" or (use != "tree" and played == sequence.actions[: len(played)]):
            sequence.repeat(seen)
        elif sequence is not None:
            taken = sequence.take(played, seen, max(totals) - min(totals), use == "change")
        if taken and place is None:
            place = root.place(plan[0], nearest)
        if taken:
            sequence.cell = place
        if place is not None:
            root.add(place, gain, mover * seen, mover * total)
    return root, sequence
