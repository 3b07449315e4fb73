"""The kinds of games of Digital Curling 4, by the `game_mode` of a new match."""

from dataclasses import replace
from http import HTTPStatus
from statistics import fmean

from curling.match_data import Match
from curling.model import MOST_ENDS
from curling.noise import Noise
from curling.protocols.dc4_server import NewMatch, Player, TeamConfig
from curling.server.dc4_refusal import Refusal
from curling.sheet import TEAM_STONES

RULES = {"fgz_rule": "five_rock", "no_tick_rule": "no_tick"}
MOST_SPEED, MOST_SD = 4.0, 1.0  # m/s and m/s, rad; of players, as far as the engines go
NOT_FOR_STANDARD = "end-setup is only for mixed_doubles."


def match_of(new: NewMatch, settings: Match) -> Match:
    """The match that a client asks for; physics, errors, seed and engine are those of the server's settings.

    Raises:
        Refusal: there is no such game.
    """
    if new.game_mode == "mixed_doubles":
        raise Refusal(HTTPStatus.BAD_REQUEST, "game_mode mixed_doubles is not supported yet.")
    if new.applied_rule not in RULES:
        raise Refusal(HTTPStatus.BAD_REQUEST, f"applied_rule {new.applied_rule} is only for mixed_doubles.")
    if new.simulator.simulator_name != "fcv1":
        raise Refusal(HTTPStatus.NOT_FOUND, "Simulator not found.")
    return replace(settings, rule=RULES[new.applied_rule], ends=new.standard_end_count, extra_ends=MOST_ENDS)


def players_of(config: TeamConfig, default: Player) -> tuple[Player, ...]:
    """Who throws each stone of a team: player k its stones 2k - 1 and 2k; their numbers are clamped.

    Raises:
        Refusal: players are missing.
    """
    if config.use_default_config:
        return (default,) * TEAM_STONES
    if config.player3 is None or config.player4 is None:
        raise Refusal(HTTPStatus.BAD_REQUEST, "player3 and player4 are required for standard.")
    four = config.player1, config.player2, config.player3, config.player4
    return tuple(_clamped(player) for player in four for _ in range(TEAM_STONES // len(four)))


def mean_noise(players: tuple[Player, ...]) -> Noise:
    """The mean errors of players, for a record: it has one noise for all."""
    return Noise(fmean(player.shot_std_dev for player in players), fmean(player.angle_std_dev for player in players))


def _clamped(player: Player) -> Player:
    speed, angle = (min(max(sd, 0.0), MOST_SD) for sd in (player.shot_std_dev, player.angle_std_dev))
    return Player(min(max(player.max_velocity, 0.0), MOST_SPEED), speed, angle, player.player_name)
