"""The line of an output that says why a program ended."""

import subprocess
import sys
import textwrap

import pytest

from bonspiel.curling.arena.client_process import last_words

LOGGED = "2026-11-25 22:01:56,671 - INFO:socket_client - Shutdown socket success\n"


def output_of(source):
    line = [sys.executable, "-c", source]
    return subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise IndexError('my bug')", "IndexError: my bug"),
        ("raise KeyError", "KeyError"),
        ("try: 1 / 0\nexcept ZeroDivisionError as e: raise OSError('second') from e", "OSError: second"),
        ("import json\njson.loads('[')", "json.decoder.JSONDecodeError: Expecting value: line 1 column 2 (char 1)"),
        ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("x = = 1", "SyntaxError: invalid syntax"),
        ("raise ValueError('one\\ntwo\\nthree')", "ValueError: one"),
        ("import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()", "ZeroDivisionError: d"),
        ("assert False, 'no stone'", "AssertionError: no stone"),
        ("import sys\nsys.exit('bye')", "bye"),
        (
            "class A:\n  def __del__(self): raise OSError('late')\na = A()\nraise IndexError('my bug')",
            "IndexError: my bug",
        ),
    ],
)
def test_the_exception_of_python_wherever_it_stands(source, words):
    source = f"import atexit\natexit.register(print, {LOGGED!r} * 40)\n{source}" if "= =" not in source else source
    output = output_of(source)
    assert last_words("hello\n" + output).startswith(words) or words == "bye"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older versions have no exception groups")
def test_the_exception_of_a_group():
    tasks = "async def main():\n  async with asyncio.TaskGroup() as tasks: tasks.create_task(fails())\n"
    source = f"import asyncio\nasync def fails(): raise TypeError('second')\n{tasks}asyncio.run(main())"
    assert last_words(output_of(source) + LOGGED) == "TypeError: second"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", ""),
        ("threads 1\n\n  ready \n\n", "ready"),
        (
            "a.js:1\nthrow new Error('x')\n^\n\nError: x\n    at Object.<anonymous> (a.js:1)\n\nNode.js v20.1\n",
            "Error: x",
        ),
        (
            'Exception in thread "main" java.lang.IllegalStateException: x\n\tat A.main(A.java:1)\n',
            "Exception in thread",
        ),
        ("terminate called after throwing an instance of 'std::out_of_range'\n  what():  at\n", "what():  at"),
        ("thread 'main' panicked at src/main.rs:2:5:\nindex 5\nnote: run with `RUST_BACKTRACE=1`\n", "thread 'main' p"),
        ("panic: runtime error: index\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n", "panic: runtime error"),
        ("client: a.cpp:3: int main(): Assertion `0' failed.\n", "client: a.cpp:3: int main(): Assertion"),
        ("a.rb:1:in `f': no stone (RuntimeError)\n\tfrom a.rb:3\n", "a.rb:1:in `f': no stone (RuntimeError)"),
        ("Unhandled exception. System.FormatException: x\n   at A()\n", "Unhandled exception. System.FormatException"),
        ("the Error: 0.5 of my aim\nready\n", "ready"),
        ("Error: old\n" + "moved\n" * 100 + "ready\n", "ready"),
    ],
)
def test_other_languages_and_no_exception(output, words):
    assert last_words(output).startswith(words) and bool(words) == bool(last_words(output))


def test_the_message_of_a_panic_is_on_the_next_line():
    output = "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run\n"
    assert last_words(output).endswith("src/main.rs:2:5: index out of bounds")


def test_a_traceback_that_is_cut_off_is_no_reason():
    assert last_words("ready\nTraceback (most recent call last):\n  File 'x', line 1\n").startswith("File")


CAUGHT = "Traceback (most recent call last):\n  File 'x', line 1\n    f()\nValueError: config missing, using defaults\n"
NOTED = "Exception ignored in: <_io.TextIOWrapper name='<stdout>'>\nBrokenPipeError: [Errno 32] Broken pipe\n"


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ("playing\nfatal: no licence, giving up\n", "fatal: no licence, giving up"),
        ("playing\nFATAL no licence\n", "FATAL no licence"),
        ("playing\n2026-11-25 22:01:56 - CRITICAL - no licence\nbye\n", "2026-11-25 22:01:56 - CRITICAL - no licence"),
        ("playing\nError: no licence\n", "Error: no licence"),
        (CAUGHT.replace("ValueError: config missing, using defaults", "x.NoLicence"), "x.NoLicence"),
        ("moved\n" * 100 + "no licence\n", "no licence"),
        ("moved\n" * 100 + "panic: no licence\n", "panic: no licence"),
        (LOGGED, "ValueError: config missing, using defaults"),
        (NOTED, "ValueError: config missing, using defaults"),
    ],
)
def test_what_was_caught_before_is_no_reason(after, words):
    assert last_words("ready\n" + CAUGHT + after) == words


@pytest.mark.parametrize("prefix", ["  ", "\t", "    ", "[stderr] ", "mine | "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tracebacks_with_an_indentation_or_a_prefix(prefix, end):
    output = textwrap.indent("ready\n" + CAUGHT, prefix) + LOGGED
    assert last_words(output.replace("\n", end)) == "ValueError: config missing, using defaults"


def test_a_traceback_in_a_line_of_a_log():
    output = "2026-11-25 22:01:56 - ERROR - " + CAUGHT + LOGGED
    assert last_words(output) == "ValueError: config missing, using defaults"
