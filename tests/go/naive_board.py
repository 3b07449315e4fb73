"""A board in plain Python, written for the eye: chains and their liberties are looked for anew at every question."""

from itertools import product

PASS = None


class NaiveBoard:
    """Points are (row, column); `stones` has +1 for Black's and -1 for White's."""

    def __init__(self, size, superko):
        self.size, self.superko = size, superko
        self.stones = {}
        self.mover = 1
        self.ko = None
        self.positions = [{}]

    def points(self):
        return list(product(range(self.size), repeat=2))

    def neighbours(self, point):
        row, column = point
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [(r, c) for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def chain(self, stones, point):
        found, due = set(), [point]
        while due:
            one = due.pop()
            if one not in found:
                found.add(one)
                due += [near for near in self.neighbours(one) if stones.get(near) == stones[point]]
        return found

    def liberties(self, stones, point):
        near = {other for stone in self.chain(stones, point) for other in self.neighbours(stone)}
        return {other for other in near if other not in stones}

    def after(self, point):
        """The stones after a move, and what it captures; None if it is suicide."""
        stones = {**self.stones, point: self.mover}
        captured = set()
        for near in self.neighbours(point):
            if stones.get(near) == -self.mover and not self.liberties(stones, near):
                captured |= self.chain(stones, near)
        for stone in captured:
            del stones[stone]
        return (stones, captured) if self.liberties(stones, point) else (None, captured)

    def is_legal(self, point):
        if point in self.stones or point == self.ko:
            return False
        stones, _ = self.after(point)
        return stones is not None and not (self.superko and stones in self.positions)

    def play(self, point):
        self.ko = None if point is PASS else self._play_stone(point)
        self.positions.append(self.stones)
        self.mover = -self.mover

    def _play_stone(self, point):
        """Play; the point that may not be retaken at once."""
        self.stones, captured = self.after(point)
        lone = self.chain(self.stones, point) == {point} and len(self.liberties(self.stones, point)) == 1
        return min(captured) if lone and len(captured) == 1 else None

    def score(self):
        """Points of Black less those of White: stones, and regions that one colour alone reaches."""
        total, seen = sum(self.stones.values()), set()
        for point in self.points():
            if point in self.stones or point in seen:
                continue
            region, due, reached = set(), [point], set()
            while due:
                one = due.pop()
                if one in self.stones:
                    reached.add(self.stones[one])
                elif one not in region:
                    region.add(one)
                    due += self.neighbours(one)
            seen |= region
            total += len(region) * sum(reached) if len(reached) == 1 else 0
        return total
