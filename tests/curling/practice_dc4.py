"""A practice server of Digital Curling 4 with a seat for a person, and clients that create matches for the person."""

from contextlib import asynccontextmanager

from bonspiel.curling.server.dc4.games import mixed_doubles
from bonspiel.curling.server.dc4.person import Dc4Person
from tests.curling.practice import Practice, served
from tests.curling.server.dc4_hosting import TEAM, THROUGH, hosting

MIXED = {"game_mode": "mixed_doubles", "applied_rule": "modified_fgz_rule", "positioned_stones_pattern": 2}
NO_HURRY = {"time_limit": 1e6, "extra_end_time_limit": 1e6}


class Practice4(Practice):
    """See `Practice`."""

    def meet(self, shots=100, choice="center_house", name="client", **changes):
        """A client that creates a match, sets up ends by a choice, and throws stones off the sheet, at most `shots`."""
        return self.start(self._play(shots, choice, name, NO_HURRY | changes))

    async def _play(self, shots, choice, name, changes):
        user, team = self.host.user("user0"), f"team{1 - self.page.me}"
        match_id = await user.create(**changes)
        assert await user.join(match_id, 1 - self.page.me, TEAM | {"team_name": name}) == (200, team)
        stream = await user.listen(match_id)
        while (state := await stream.state())["winner_team"] is None:
            settings, told = state["mixed_doubles_settings"], (state["next_shot_team"], state["last_move"])
            if settings is not None and told == (None, None) and settings["end_setup_team"] == team:
                assert (await user.post(f"/matches/{match_id}/end-setup", request=choice))[0] == 200
            elif state["next_shot_team"] == team and shots > 0:
                shots -= 1
                assert (await user.throw(match_id, THROUGH))[0] == 200
        stream.close()
        return match_id


def practising4(team, **given):
    """Serve matches of Digital Curling 4 in which a person plays this team."""

    @asynccontextmanager
    async def serve(context, page):
        async with hosting(context=context) as host:
            page.seat.open(Dc4Person(page.seat, host.matches).sit_down)
            yield host

    return served(Practice4, serve, team, lambda match: [match, mixed_doubles(match)], **given)
