"""The LaTeX of a paper: tables with booktabs, facts as macros, and a document around them."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.paper.numbers import Estimate
from bonspiel.runs.statistics.curves import Panel
from bonspiel.runs.tables import figures

SPECIAL = {
    **{one: rf"\{one}" for one in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": "$<$", ">": "$>$", "|": "$|$", '"': "''", "-": "{-}"},
    **{"\u2212": "$-$", "\u2264": r"$\leq$", "\u2265": r"$\geq$", "\u2248": r"$\approx$", "\u221e": r"$\infty$"},
}
GREEK = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho varsigma sigma tau upsilon "
    "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_LETTERS = "αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
SPECIAL |= {one: rf"$\{name}$" for one, name in zip(_LETTERS, GREEK.split(), strict=True)}
LATIN = 0x180  # where letters begin that the fonts of the three classes have not at all
MISSING = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"  # of those before
OTHERS = "\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2022\u2190\u2192\u20ac"


class Layout(NamedTuple):
    """The page that figures and tables are made for."""

    width: float  # of a column, in inches
    size: float  # of letters in figures, in points
    head: str  # the document's class
    author: str  # what the class wants beside the name
    bibliography: str  # its style
    wide: bool = True  # whether there are two columns, which a wide table may span


LAYOUTS = {
    "article": Layout(4.77, 9.0, r"\documentclass{article}\setlength{\belowcaptionskip}{6pt}", "", "plain", False),
    "ieee": Layout(3.48, 8.0, r"\documentclass[conference]{IEEEtran}", "", "IEEEtran"),
    "acm": Layout(
        3.33,
        8.0,
        r"\documentclass[sigconf,nonacm]{acmart}",
        r"\affiliation{\institution{Institution}\city{City}\country{Country}}",
        "ACM-Reference-Format",
    ),
}


def escaped(text: str) -> str:
    """A text that pdflatex prints as it is; lines may break after its signs."""
    plain = "".join(SPECIAL.get(one) or _letter(one, text) for one in text)
    return re.sub(r"([,:=])(?=\S)", r"\1\\allowbreak ", plain)


def _letter(one: str, text: str) -> str:
    if (ord(one) >= LATIN and one not in OTHERS) or one in MISSING:
        raise UsageError(
            f"pdflatex has no {one!r}, which {text!r} holds; Latin and Greek letters are allowed. With another label "
            "in its suite, `bonspiel run SUITE --keep RUN` plays nothing again"
        )
    return one


def table(panel: Panel, found: Sequence[Estimate]) -> str:
    """Two rows for each planner, means and their intervals, and a column for each budget; the best are bold."""
    cells: dict[str, dict[float, tuple[str, str]]] = {}
    for one in found:
        mean, low, high = (re.sub(r"e([+-]\d+)", _power, figure) for figure in figures(one.mean))
        shown = rf"$\bonspielBest{{{mean}}}$" if one.best else f"${mean}$"
        band = "" if math.isnan(one.mean.low) else rf"\bonspielInterval{{{low}}}{{{high}}}"
        cells.setdefault(one.name, {})[one.setting.budget] = shown, band
    rows = []
    for name, row in cells.items():
        means, bands = zip(*(row.get(budget, ("--", "")) for budget in panel.budgets), strict=True)
        rows.append(" & ".join([escaped(name), *means]))
        rows += [" & ".join(["", *bands])] * any(bands)
    head = " & ".join(["planner", *(f"{budget:,g}" for budget in panel.budgets)])
    return _tabular("l" + "c" * len(panel.budgets), head, rows)


def _power(found: re.Match[str]) -> str:
    return rf"{{\times}}10^{{{int(found[1])}}}"


def planners_table(texts: Mapping[str, Sequence[str]], sources: Mapping[str, Sequence[str]]) -> str:
    """A row for each planner: its name, its text if that is the same in all problems, and its sources; all by name."""
    rows = []
    for name, written in texts.items():
        cited = rf"~\cite{{{','.join(sources[name])}}}" if sources[name] else ""
        shown = rf"\ttfamily {escaped(written[0])}" if len(written) == 1 else "by problem, see numbers.csv"
        rows.append(f"{escaped(name)}{cited} & {shown}")
    return _tabular(r"p{0.38\linewidth}p{0.52\linewidth}", "planner & as run", rows)


def _tabular(columns: str, head: str, rows: Iterable[str]) -> str:
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def macros(facts: Mapping[str, str]) -> str:
    r"""Facts as macros, `\bonspielNAME`, and those that tables use."""
    lines = [rf"\newcommand{{\bonspiel{name}}}{{{escaped(text)}}}" for name, text in facts.items()]
    note = r"% What captions say; \bonspielBest and \bonspielInterval hold the look of all tables."
    return "\n".join([note, *lines, LOOK])


LOOK = r"""\newcommand{\bonspielBest}[1]{\mathbf{#1}}
\newcommand{\bonspielInterval}[2]{\scriptsize$[#1,\,#2]$}
\newcommand{\bonspielTable}[1]{\sbox0{\input{#1}}%
  \ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}
"""

DOCUMENT = r"""% Written by `bonspiel paper`. Run pdflatex main; bibtex main; pdflatex main; pdflatex main
HEAD
\usepackage{booktabs,graphicx}
\input{facts}
\begin{document}
\title{A Comparison of Planners}
\author{Author}AUTHOR
\maketitle

\section{Experiments}
All planners ran in bonspiel~\cite{bonspiel} \bonspielVersion{}, commit \texttt{\bonspielCommit}, with
\bonspielEpisodes{} episodes per planner and budget\bonspielFailed{}, seed \bonspielSeeds{} and budgets of
\bonspielBudgets{} per decision.\bonspielNoise{} Intervals are 95\,\% bootstrap intervals.\bonspielRemarks{}
Bold is the best mean return, and every one that is not significantly behind it (5\,\%, paired sign-flip tests with
Holm's correction for the planners of a budget).
Problems are from~CITED.
Table~\ref{planners} lists the planners.

\begin{table}[tbp]
\caption{Planners and their parameters}
\label{planners}
\centering\footnotesize
\input{planners}
\end{table}
PANELS
\bibliographystyle{STYLE}
\bibliography{sources}
\end{document}
"""
PANEL = r"""
\begin{figure}[tbp]
\centering
\includegraphics{NAME}
\caption{CAPTION: mean return against UNIT per decision, \bonspielEpisodes{} episodes, with 95\,\% intervals}
\end{figure}
\begin{TABLE}[tbp]
\caption{CAPTION: mean return by UNIT per decision, \bonspielEpisodes{} episodes\bonspielFailed{}; bold: the best, and
those not significantly behind it}
\centering\footnotesize
\bonspielTable{NAME}
\end{TABLE}
"""
NARROW = 4  # budgets in a table that fits into one of two columns
FLOATS = 6  # panels after which pages are filled, as LaTeX keeps few figures waiting


def document(layout: Layout, panels: Mapping[str, Panel], nouns: Mapping[str, str], cited: Sequence[str]) -> str:
    """The document."""
    parts = []
    for place, (name, panel) in enumerate(panels.items()):
        filled = {"NAME": name, "CAPTION": rf"\texttt{{{escaped(panel.env)}}}", "UNIT": nouns[panel.unit]}
        filled["TABLE"] = "table*" if layout.wide and len(panel.budgets) > NARROW else "table"
        parts.append("\\clearpage\n" * (place > 0 and place % FLOATS == 0) + _fill(PANEL, filled))
    given = {"HEAD": layout.head, "AUTHOR": layout.author, "STYLE": layout.bibliography, "PANELS": "".join(parts)}
    text = DOCUMENT if cited else DOCUMENT.replace("Problems are from~CITED.\n", "")
    return _fill(text, given | {"CITED": rf"\cite{{{','.join(cited)}}}"})


def _fill(text: str, given: Mapping[str, str]) -> str:
    return re.sub(rf"\b({'|'.join(given)})\b", lambda found: given[found[0]], text)
