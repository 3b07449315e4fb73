"""The kinds of games of Digital Curling 4, by the `game_mode` of a new match."""

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus

from bonspiel.curling.ice.noise import Noise, Thrower, mean_noise, noise_of
from bonspiel.curling.ice.sheet import MIXED_THROWERS
from bonspiel.curling.match.mixed_doubles import PATTERNS
from bonspiel.curling.match.rules import MODIFIED
from bonspiel.curling.protocols.dc4_server import NewMatch, Player, TeamConfig
from bonspiel.curling.records.match_data import Match
from bonspiel.curling.server.dc4.refusal import Refusal
from bonspiel.curling.settings import MOST_ENDS

STANDARD_RULES = {"fgz_rule": "five_rock", "no_tick_rule": "no_tick"}
MIXED_RULE = "modified_fgz_rule"
THROWERS = {"standard": (0, 0, 1, 1, 2, 2, 3, 3), "mixed_doubles": MIXED_THROWERS}  # of a team's throws in an end
MOST_SPEED, MOST_SD = 4.0, 1.0  # m/s and m/s, rad; of players, as far as the engines go
NOT_FOR_STANDARD = "end-setup is only for mixed_doubles."


def match_of(new: NewMatch, settings: Match) -> Match:
    """The match that a client asks for; physics, errors, seed and engine are those of the server's settings.

    Raises:
        Refusal: there is no such game.
    """
    if new.game_mode == "mixed_doubles":
        match = _mixed_doubles(new, settings)
    elif new.applied_rule in STANDARD_RULES:
        match = replace(settings, rule=STANDARD_RULES[new.applied_rule])
    else:
        raise _bad(f"applied_rule {new.applied_rule} is only for mixed_doubles.")
    if new.simulator.simulator_name != "fcv1":
        raise Refusal(HTTPStatus.NOT_FOUND, "Simulator not found.")
    return replace(match, ends=new.standard_end_count, extra_ends=MOST_ENDS)


def mixed_doubles(settings: Match, pattern: int = 0) -> Match:
    """A match of mixed doubles with the settings of a server, and the guards of a pattern."""
    return replace(settings, game="mixed_doubles", rule=MODIFIED, pattern=pattern)


def _mixed_doubles(new: NewMatch, settings: Match) -> Match:
    pattern = new.positioned_stones_pattern or 0
    if not 0 <= pattern < PATTERNS:
        raise _bad(f"positioned_stones_pattern must be from 0 to {PATTERNS - 1}.")
    if new.applied_rule != MIXED_RULE:
        raise _bad(f"applied_rule must be {MIXED_RULE} for mixed_doubles.")
    return mixed_doubles(settings, pattern)


def players_of(config: TeamConfig, own: Sequence[Player], match: Match) -> tuple[Player, ...]:
    """The player of each throw of a team in an end; the players' numbers are clamped.

    `own` are the server's players, for teams that bring none.

    Raises:
        Refusal: players are missing, or too many.
    """
    team = [player for player in (config.player1, config.player2, config.player3, config.player4) if player is not None]
    if match.is_mixed and len(team) > 2:
        raise _bad("player3 and player4 are only for standard.")
    if not (match.is_mixed or config.use_default_config) and len(team) < 4:
        raise _bad("player3 and player4 are required for standard.")
    players = own if config.use_default_config else [_clamped(player) for player in team]
    return tuple(players[index] for index in THROWERS[match.game])


def with_players(match: Match, teams: Sequence[Sequence[Player]]) -> Match:
    """The match with the mean errors of all throws, as the record of a standard game has one noise for all.

    The errors are Gaussian or not as those of `match` are.

    In mixed doubles it has the two players of each team too. `teams` are as from `players_of`.
    """
    freedom = noise_of(match.noise).freedom
    team0, team1 = ([_thrower(player, freedom) for player in team] for team in teams)
    match = replace(match, noise=mean_noise(team0 + team1))
    if not match.is_mixed:
        return match
    return replace(match, throwers=((team0[0], team0[1]), (team1[0], team1[1])))


def _thrower(player: Player, freedom: float) -> Thrower:
    return Thrower(player.max_velocity, Noise(player.shot_std_dev, player.angle_std_dev, freedom=freedom))


def _bad(detail: str) -> Refusal:
    return Refusal(HTTPStatus.BAD_REQUEST, detail)


def _clamped(player: Player) -> Player:
    speed, angle = (min(max(sd, 0.0), MOST_SD) for sd in (player.shot_std_dev, player.angle_std_dev))
    return Player(min(max(player.max_velocity, 0.0), MOST_SPEED), speed, angle, player.player_name)
