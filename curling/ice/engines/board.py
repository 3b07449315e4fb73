"""The board of a shot: fields of each stone in a row, with a piece of its path if it moves; s since the release."""

from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array

ANCHOR_X, ANCHOR_Y = 0, 1  # where the stone would stop, m
COS, SIN = 2, 3  # its heading there
SIDE_OF_SPIN = 4
STOP_TIME = 5  # when it would stop
END_TAU = 6  # time-to-stop at the end of this piece: 0, or where the spin ends or the stone leaves the sheet
END_KIND = 7
SPIN = 8  # |spin| minus the loss of spin until the stop, rad/s
NEXT_TIME = 9  # of this stone's next event, contacts with moving stones excepted
NEXT_KIND = 10
X, Y = 11, 12  # place at rest, or at the start of the piece, m
SPEED_X, SPEED_Y = 13, 14  # velocity at an impact, or at the start of the piece, m/s
TURNING = 15  # spin at an impact, rad/s
STATE = 16
ALONG, ACROSS = 17, 18  # place at the start of the piece in the frame of the curve, the corner of the path's box, m
ROW = 19  # of the stone among the stones of the shot
COUNT = 20  # in the first row: number of rows in use
START_TIME = 21  # of the piece
FIELDS = 22
ABSENT, RESTING, MOVING = 0.0, 1.0, 2.0  # STATE


@helper
def row_count(board: Array) -> int:
    """Number of rows of a board in use, including those of stones that left the sheet in this shot."""
    return int(board[0, COUNT])
