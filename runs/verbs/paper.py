"""The verb `paper`."""

import argparse
import re
import sys

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import writing
from bonspiel.runs.verbs.command_line import DONE, Verb
from bonspiel.runs.verbs.options import option, repeatable
from bonspiel.runs.verbs.results import ANY, add_run, print_failures

INCHES = {"in": 1.0, "cm": 1.0 / 2.54, "mm": 1.0 / 25.4, "pt": 1.0 / 72.27}  # LaTeX's point


def paper(arguments: argparse.Namespace) -> int:
    """Write a run's figures, tables, numbers and sources for LaTeX."""
    from bonspiel.runs.paper import latex, paper
    from bonspiel.runs.results import packed

    layout = latex.LAYOUTS[arguments.layout]
    layout = layout._replace(width=arguments.width or layout.width, size=arguments.font_size or layout.size)
    if not 4.0 <= layout.size <= 24.0:
        raise UsageError(f"--font-size {layout.size:g}: must be from 4 to 24 points")
    with packed.read_any(arguments.run) as results, writing(arguments.out):
        failures, remarks = results.failures(), paper.remarks(results)
        paths = paper.write(results, arguments.out, layout, remarks, arguments.only, arguments.style or "")
    print(*paths, sep="\n")
    for remark in remarks:
        print(f"note: {remark}", file=sys.stderr)
    print_failures(failures)
    return DONE


def length(text: str) -> float:
    """A length in inches, of 1 to 20."""
    found = re.fullmatch(rf"(\d+\.?\d*|\.\d+)({'|'.join(INCHES)})", text)
    if found and 1.0 <= (inches := float(found[1]) * INCHES[found[2]]) <= 20.0:
        return inches
    raise argparse.ArgumentTypeError(f"{text!r} must be a length from 1in to 20in, e.g. 3.5in, 88mm, 241pt")


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    example = "bonspiel paper results/quick --out paper --layout ieee --only trap"
    command = verb("paper", paper, "write a run for a paper: PDF figures, LaTeX tables, CSV, BibTeX", example)
    add_run(command, ANY)
    option(command, "--out", "FOLDER", "folder for the files", required=True)
    text = "class of the document, with its width and font size"
    option(command, "--layout", ("article", "ieee", "acm"), text, "article")
    text = "width of figures, e.g. 3.5in, 88mm (default: a column of the layout)"
    option(command, "--width", "LENGTH", text, type=length)
    option(command, "--font-size", "S", "size of the letters in figures, in points (default: 9; ieee and acm 8)")
    option(command, "--style", "STYLE", "a style of matplotlib for the figures, by name or file")
    repeatable(command, "--only", "PROBLEM/PLANNER", "only what matches, as of `bonspiel run`; repeatable", type=str)
