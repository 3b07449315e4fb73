"""How much memory a process has taken; imports nothing that would take some itself."""

from pathlib import Path


def largest_size(process: int | str = "self") -> float:
    """The largest resident size that a process has had so far, MB; NaN where the system does not tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return float("nan")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024.0
