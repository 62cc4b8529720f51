import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.document import BlockKind
from stratal_ingest.readers.latex import LatexReader
from stratal_ingest.readers.registry import read

PAGE = rb"""\documentclass{article}
\newcommand{\x}[1]{hidden}
\title{Hand\textbf{book}}
\begin{document}
\maketitle
\section{Leave}\label{s}
Thirty days\footnote{Paid.} a year. % a comment
See \cite{smith}.

\begin{enumerate}
\item one
\begin{itemize} \item inner \end{itemize}
\item two
\end{enumerate}
\begin{table}[t]
\caption{Days}
\begin{tabular}{l|r}
\hline who & days \\ \multirow{2}{*}{all} & 30\% \\ \hline
\end{tabular}
\end{table}
\begin{verbatim}
x % 2 \section{no}
\end{verbatim}
\begin{equation} a = b \end{equation}
\end{document}
after
"""


def test_commands_make_the_structure_and_go() -> None:
    document = read(PAGE, "a.tex")

    path = ("Handbook", "Leave")
    assert document.title == "Handbook"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Handbook",), "Handbook"),
        (BlockKind.HEADING, path, "Leave"),
        (BlockKind.PROSE, path, "Thirty days a year. See [smith]."),
        (BlockKind.PROSE, path, "[Footnote: Paid.]"),
        (BlockKind.PROSE, path, "1. one\n  - inner\n2. two"),
        (BlockKind.PROSE, path, "Days"),
        (BlockKind.TABLE, path, "who\tdays\nall\t30%"),
        (BlockKind.CODE, path, "x % 2 \\section{no}"),
        (BlockKind.PROSE, path, "a = b"),
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"caf\'e, na\"{\i}ve, \v{C}apek, Stra\ss e, \o re", "café, naïve, Čapek, Straße, øre"),
        ("``so'' -- or --- 5~km, it's", '"so" – or — 5 km, it\'s'),
        (r"50\% of \$3 \& \#1 \_x\_ \{\}", "50% of $3 & #1 _x_ {}"),
        (r"$a_{1} \ge 2$ and \(b\)", r"$a_{1} \ge 2$ and \(b\)"),
        (r"\href{http://x}{here} \textcolor{red}{red} un\emph{der}line", "here red underline"),
        (r"Ann\orcid{00} \unknown{a}{b}", "Ann 00 a b"),
    ],
)
def test_signs_and_commands_leave_their_words(source: str, shown: str) -> None:
    assert read(source.encode(), "a.tex").text == shown


def test_nothing_is_included() -> None:
    assert read(rb"\input{/etc/passwd} x", "a.tex").text == "x"


@given(st.text(alphabet="\\{}[]$&%~ an\nbeigd", max_size=80))
def test_no_latex_breaks_the_reader(source: str) -> None:
    LatexReader().read(source.encode(), "a.tex")
