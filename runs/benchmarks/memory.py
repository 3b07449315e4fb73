"""Memory of a process; imports nothing that would need some itself."""

from pathlib import Path


def largest_size(process: int | str = "self") -> float:
    """The largest resident size of a process so far, MB; NaN where the system does not report it."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return float("nan")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024.0
