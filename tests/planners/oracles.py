"""UCT, PW, DPW and Weighted UCT as their papers state them: recursion over dictionaries, without the planners' code.

Random numbers are drawn, and means are averaged, in the same order as in the planners, so that results are equal bit by
bit. A model is used through its functions alone.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np


@dataclass
class Edge:
    """An action tried in a node: its outcomes are [node, reward, terminated, count], the oldest first."""

    action: np.ndarray
    visits: int = 0
    mean: float = 0.0
    outcomes: list = field(default_factory=list)
    variance: float = 0.0
    gains: list = field(default_factory=list)


@dataclass
class Node:
    state: np.ndarray
    player: float
    visits: int = 0
    edges: list = field(default_factory=list)


def may_widen(count, visits, k, alpha):
    """Couetoux et al. 2011: count <= k N^alpha, in whole numbers as count^q <= k^q N^p for alpha = p / q."""
    alpha = Fraction(str(alpha))
    return count**alpha.denominator <= Fraction(str(k)) ** alpha.denominator * visits**alpha.numerator


def best_of(keys, rng):
    """Index of the largest key; of equals one is drawn."""
    equals = [i for i, key in enumerate(keys) if key == max(keys)]
    return equals[int(rng.random() * len(equals))] if len(equals) > 1 else equals[0]


def ucb1(means, visits, total, exploration, rng):
    """Index of the largest mean + C sqrt(2 ln N / n), equals drawn."""
    width = exploration * math.sqrt(2.0 * math.log(max(total, 1)))
    scores = [mean + width * (1.0 / math.sqrt(n)) if n else math.inf for mean, n in zip(means, visits, strict=True)]
    return best_of(scores, rng)


def cells_of(model):
    """(state, d) -> the model's own cell at depth d, or that of its box with every axis cut into 2^d equal parts."""

    def own(state, depth):
        out = np.empty(1, np.uint64)
        model.cells(state, depth, depth + 1, model.params, out)
        return depth, int(out[0])

    def of_box(state, depth):
        fractions = (state - model.state_low) / (model.state_high - model.state_low)
        return depth, *(np.clip(fractions, 0.0, 1.0 - 2.0**-32) * 2**depth).astype(int).tolist()

    return own if hasattr(model, "cells") else of_box


def fixed_actions(model, n):
    """Middles of n equal intervals of a one-dimensional box, for every state."""
    low, high = model.action_low, model.action_high
    return lambda state: [low + (high - low) * ((i + 0.5) / n) for i in range(n)]


def proposed_actions(model):
    """The proposals of the model's `actions` in a state."""

    def propose(state):
        out, keys = np.empty((model.max_actions, len(model.action_low))), np.empty(model.max_actions, np.uint64)
        return list(out[: model.actions(state, model.params, out, keys)])

    return propose


class TreeOracle:
    """The recursion that UCT, PW and DPW share; they differ in when a node gets an action and an edge an outcome.

    Args:
        model: the model to search.
        rng: the source of every random draw.
        exploration: C of UCB1.
        choices: state -> the actions of UCT, each tried once before UCB1 chooses; None widens instead.
        actions: (k, alpha) of action widening.
        outcomes: (k, alpha) of state widening; None samples an outcome at every visit.
        least_visited: whether an old outcome is the least visited one, or drawn in proportion to its count.
        rollout: the number of the model's rollouts that value a new node; 0 acts on in the tree.
        omega: probability that a new action is drawn anywhere, and not by `near_best`.
        uniform: how many uniform proposals `near_best` makes before Gaussian ones.
        bonus: (mean, C, N, n, variance of the returns) -> the score; UCB1's if None. It is rounded as the planners
            round it, so that the same edges are equal.
        first_play: an untried action waits until no tried one has a higher score.
        scaled: whether C is in units of the range of the returns so far.
        blind_values: number of candidates for a new action.
    """

    def __init__(
        self,
        model,
        rng,
        exploration=1.0,
        choices=None,
        actions=(1, 0.3),
        outcomes=None,
        least_visited=False,
        rollout=0,
        omega=1.0,
        uniform=0,
        bonus=None,
        first_play=math.inf,
        scaled=False,
        blind_values=0,
    ):
        self.bonus, self.first_play, self.scaled, self.blind_values = bonus, first_play, scaled, blind_values
        self.returns = []
        self.model, self.rng, self.exploration, self.choices = model, rng, exploration, choices
        self.actions, self.outcomes, self.least_visited, self.rollout = actions, outcomes, least_visited, rollout
        self.omega, self.uniform = omega, uniform

    def node(self, state):
        has_players = hasattr(self.model, "player")
        return Node(state, self.model.player(state, self.model.params) if has_players else 1.0)

    def search(self, state, steps, simulations):
        """The root's edges after these simulations from this state, of which each rollout is one."""
        root = self.node(np.array(state, float))
        while root.visits < simulations:
            self.returns.append(self.simulate(root, steps, simulations - root.visits)[0])
        return root.edges

    def simulate(self, node, left, budget):
        """The return, and the number of visits that it counts for."""
        edge = self.choose(node)
        outcome, reward, terminated, is_new = self.follow(edge, node)
        child = outcome[0]
        left -= 1
        value, weight = 0.0, 1
        if terminated or left == 0:
            pass
        elif is_new and self.rollout:
            weight = min(self.rollout, budget)
            value = sum(self.roll_out(child.state, left) for _ in range(weight)) / weight
            if self.outcomes is not None:  # DPW counts the rollouts as visits of the new node, UCT and PW do not
                child.visits += weight
        else:
            value, weight = self.simulate(child, left, budget)
        value = reward + self.model.discount * value
        outcome[3] += weight
        node.visits += weight
        edge.visits += weight
        off, part = node.player * value - edge.mean, weight / edge.visits
        edge.variance = (edge.variance + off * off * part) * (1.0 - part)  # equal gains have none, in any order
        edge.mean += off * weight / edge.visits
        edge.gains += [node.player * value] * weight
        return value, weight

    def roll_out(self, state, left):
        return self.model.rollout(state.copy(), np.empty_like(state), left, self.model.params, self.rng)

    def scores(self, node):
        c = self.exploration
        if self.scaled and len(set(self.returns)) > 1:
            c *= max(self.returns) - min(self.returns)
        bonus = self.bonus or (
            lambda mean, c, total, n, variance: mean + c * math.sqrt(2.0 * math.log(total)) * (1.0 / math.sqrt(n))
        )
        return [bonus(edge.mean, c, node.visits, edge.visits, edge.variance) for edge in node.edges]

    def is_urgent(self, node):
        return not node.edges or self.first_play > max(self.scores(node))

    def sample(self, node):
        action = np.empty(len(self.model.action_low))
        self.model.sample_action(node.state, action, self.model.params, self.rng)
        return action

    def new_action(self, node):
        """As in VOOT, or by blind values (Couetoux, Doghmen, Teytaud 2012) with distances in widths of the box."""
        if self.omega < 1.0 and len(node.edges) > 1 and self.rng.random() >= self.omega:
            return near_best(node.edges, self.model.action_low, self.model.action_high, self.rng, self.uniform)
        if self.blind_values == 0 or not node.edges:
            return self.sample(node)
        low, high = self.model.action_low, self.model.action_high
        pool, scores = [self.sample(node) for _ in range(self.blind_values)], self.scores(node)

        def distance(a, b):
            return np.linalg.norm((a - b) / (high - low))

        rho = np.std(scores) / np.std([distance(a, (low + high) / 2) for a in pool])
        tried = list(zip(node.edges, scores, strict=True))
        return max(pool, key=lambda a: min(rho * distance(a, edge.action) + score for edge, score in tried))

    def choose(self, node):
        if self.choices is not None:
            tried = [edge.action.tolist() for edge in node.edges]
            untried = [action for action in self.choices(node.state) if action.tolist() not in tried]
            if untried and self.is_urgent(node):
                node.edges.append(Edge(untried[int(self.rng.random() * len(untried))]))
                return node.edges[-1]
        elif may_widen(len(node.edges), node.visits, *self.actions) and self.is_urgent(node):
            node.edges.append(Edge(self.new_action(node)))
            return node.edges[-1]
        return node.edges[best_of(self.scores(node), self.rng)]

    def follow(self, edge, node):
        """(outcome, reward, terminated, whether it is new); equal states with equal rewards are one outcome."""
        if self.outcomes is not None and not may_widen(len(edge.outcomes), edge.visits, *self.outcomes):
            outcome = self.revisit(edge)
            return outcome, *outcome[1:3], False
        state = np.empty_like(node.state)
        reward, terminated = self.model.step(node.state, edge.action, state, self.model.params, self.rng)
        for outcome in edge.outcomes:
            if outcome[0].state.tolist() == state.tolist() and (
                self.outcomes is None or outcome[1:3] == [reward, terminated]
            ):
                return outcome, reward, terminated, False
        edge.outcomes.append([self.node(state), reward, terminated, 0])
        return edge.outcomes[-1], reward, terminated, True

    def revisit(self, edge):
        if self.least_visited:
            return min(edge.outcomes, key=lambda outcome: outcome[3])
        return drawn(edge.outcomes, edge.visits, self.rng)


def drawn(outcomes, visits, rng):
    """An outcome in proportion to its count."""
    left = int(rng.random() * visits)
    for chosen in outcomes:
        left -= chosen[3]
        if left < 0:
            break
    return chosen


def near_best(edges, low, high, rng, uniform):
    """VOO's draw from the Voronoi cell of the best action (Kim et al. 2020), with Gaussians cut at the bounds."""

    def gap(a, b):
        return sum(((x - y) / (top - bottom)) ** 2 for x, y, bottom, top in zip(a, b, low, high, strict=True))

    equals = [edge.action for edge in edges if edge.mean == max(edge.mean for edge in edges)]
    best = equals[int(rng.random() * len(equals))]
    tried = []
    for attempt in range(uniform + 16):
        proposal = []
        for centre, bottom, top in zip(best, low, high, strict=True):
            if attempt < uniform:
                proposal.append(bottom + (top - bottom) * rng.random())
            else:
                sd = (top - bottom) * math.exp(uniform - attempt)
                proposal.append(min(max(centre + sd * rng.standard_normal(), bottom), top))
        tried.append(np.array(proposal))
        if all(gap(proposal, best) <= gap(proposal, edge.action) for edge in edges):
            return tried[-1]
    return min(tried, key=lambda action: gap(action, best))


def weighted_uct(model, actions, steps, simulations, rng, exploration=1.0, bandwidth=0.5, action_bandwidth=0.0):
    """The thesis's algorithm 4: a list of experiences (class, place, action, return, sigma); root visits and means."""
    weights = getattr(model, "distance_weights", np.ones(model.state_dim))
    compared = (weights > 0.0) & (weights < np.inf)
    experiences = []
    root_visits, root_means = [0] * len(actions), [0.0] * len(actions)

    def player(state):
        return model.player(state, model.params) if hasattr(model, "player") else 1.0

    def alike(a, b):
        if action_bandwidth == 0.0:
            return float(a == b)
        return math.exp(-sum((actions[a] - actions[b]) ** 2) / (2.0 * action_bandwidth**2))

    def nearness(cls, place, action, known):
        """(kernel, return) of the experiences of this class, as they tell about this action."""
        for other_cls, other, b, value, sigma in known:
            if other_cls == cls and alike(action, b) > 0.0:
                yield alike(action, b) * math.exp(-sum((place - other) ** 2) / (2.0 * sigma**2)), value

    def simulate(state, left, is_root, simulation):
        mover = player(state)
        if is_root:
            a = ucb1(root_means, root_visits, simulation, exploration, rng)
        else:
            cls = mover, *state[weights == np.inf]
            place = state[compared] * np.sqrt(weights[compared])
            near = [list(nearness(cls, place, a, experiences)) for a in range(len(actions))]
            n = [sum(kernel for kernel, _ in pairs) for pairs in near]
            untried = [
                a for a in range(len(actions)) if n[a] < math.exp(-8.0)
            ]  # further than 4 kernel widths from one experience
            if untried:
                a = untried[int(rng.random() * len(untried))]
            else:
                means = [sum(k * value for k, value in near[a]) / n[a] for a in range(len(actions))]
                a = ucb1(means, n, sum(n), exploration, rng)
        after = np.empty_like(state)
        reward, terminated = model.step(state, actions[a], after, model.params, rng)
        value = reward
        if not terminated and left > 1:
            value += model.discount * simulate(after, left - 1, False, simulation)
        if is_root:
            root_visits[a] += 1
            root_means[a] += (mover * value - root_means[a]) / root_visits[a]
        else:
            neighbours = sum(kernel for kernel, _ in nearness(cls, place, a, experiences))
            experiences.append((cls, place, a, mover * value, bandwidth / math.sqrt(1.0 + neighbours)))
        return value

    for simulation in range(simulations):
        simulate(model.initial_state(rng), steps, True, simulation)
    return root_visits, root_means


@dataclass
class KernelEdge:
    """An action of KR-UCT: its own visits and mean, W(a) and E[v|a]; its outcomes are [node, reward, ended, count]."""

    action: np.ndarray
    visits: int = 0
    own: float = 0.0
    weight: float = 0.0
    mean: float = 0.0
    outcomes: list = field(default_factory=list)


def kr_uct(
    model,
    sd,
    steps,
    simulations,
    rng,
    exploration=1.0,
    tau=0.05,
    widening=(1, 0.5),
    outcomes=(1, 0.25),
    n_initial=8,
    exact=False,
):
    """Yee, Lisy and Bowling 2016: the root's edges; E[v|a] and W(a) are updated by each return, as in the planner.

    Outcomes that are not exact widen by `outcomes`, (k, alpha), as in DPW.
    """

    def kernel(a, b):
        gaps = [(x - y) / s if x != y else 0.0 for x, y, s in zip(a, b, sd, strict=True)]
        half = 0.5 * sum(gap * gap for gap in gaps)
        return math.exp(-half) if half <= 12.5 else 0.0

    def new_node(state):
        return Node(state, model.player(state, model.params) if hasattr(model, "player") else 1.0)

    def best_of(node):
        total = sum(edge.weight for edge in node.edges)
        means, weights = [edge.mean for edge in node.edges], [edge.weight for edge in node.edges]
        return node.edges[ucb1(means, weights, int(total), exploration, rng)]

    def neighbour(node, best, tries):
        """The least explored of some actions that are near the best one."""
        least, found = math.inf, best.action
        for _ in range(tries):
            shift = np.array([s * rng.standard_normal() for s in sd])
            action = np.clip(best.action + shift, model.action_low, model.action_high)
            if kernel(best.action, action) > tau:
                density = sum(kernel(action, edge.action) * edge.visits for edge in node.edges) if tries > 1 else 0.0
                if density < least:
                    least, found = density, action
        return regressed(node, found.copy())

    def regressed(node, action):
        """An edge that begins with what those of the node know of its action."""
        pairs = [(kernel(action, edge.action) * edge.visits, edge.own) for edge in node.edges]
        new = KernelEdge(action, weight=sum(weight for weight, _ in pairs))
        equals = [edge for edge in node.edges if kernel(action, edge.action) == 1.0 and edge.weight > 0.0]
        if equals:
            new.weight, new.mean = equals[0].weight, equals[0].mean
        elif new.weight > 0.0:
            new.mean = sum(weight * own for weight, own in pairs) / new.weight
        return new

    def choose(node):
        if not node.edges and hasattr(model, "actions"):
            node.edges = [KernelEdge(action) for action in proposed_actions(model)(node.state)]
        count = len(node.edges)
        initial = 0 if hasattr(model, "actions") else n_initial
        if count < initial:
            if node.visits >= count:
                action = np.empty(len(model.action_low))
                model.sample_action(node.state, action, model.params, rng)
                node.edges.append(regressed(node, action))
                return node.edges[-1]
            return best_of(node)
        edge, due = best_of(node), may_widen(count, node.visits, *widening)
        if due or (exact and edge.outcomes and edge.outcomes[0][2]):
            node.edges.append(neighbour(node, edge, 16 if due else 1))
            return node.edges[-1]
        return edge

    def step(node, edge, left):
        """(outcome, whether it is new): nothing is kept of a last step with noise."""
        if exact and edge.outcomes:
            return edge.outcomes[0], False
        if not exact and left > 1 and not may_widen(len(edge.outcomes), edge.visits, *outcomes):
            return drawn(edge.outcomes, edge.visits, rng), False
        state = np.empty_like(node.state)
        function = model.step_exact if exact else model.step
        reward, terminated = function(node.state, edge.action, state, model.params, rng)
        for outcome in edge.outcomes:
            if outcome[0].state.tolist() == state.tolist() and outcome[1:3] == [reward, terminated]:
                return outcome, False
        outcome = [new_node(state), reward, terminated or left == 1, 0]
        if exact or left > 1:
            edge.outcomes.append(outcome)
        return outcome, True

    def simulate(node, left):
        edge = choose(node)
        outcome, is_new = step(node, edge, left)
        child, value, ended, _ = outcome
        outcome[3] += 1
        if not ended and is_new and hasattr(model, "rollout"):
            state, scratch = child.state.copy(), np.empty_like(child.state)
            value += model.discount * model.rollout(state, scratch, left - 1, model.params, rng)
            child.visits += not exact  # as in DPW
        elif not ended:
            value += model.discount * simulate(child, left - 1)
        gain = node.player * value
        node.visits += 1
        edge.visits += 1
        edge.own += (gain - edge.own) / edge.visits
        for other in node.edges:
            near = kernel(other.action, edge.action)
            if near > 0.0:
                other.weight += near
                other.mean += near * (gain - other.mean) / other.weight
        return value

    root = new_node(model.initial_state(rng))
    for _ in range(simulations):
        simulate(root, steps)
    return root.edges
