from bonspiel.runs.tables import markdown


def test_a_bar_in_a_cell_ends_no_column():
    assert markdown([["planner", "b"], ["a|b", "1"]]).splitlines()[2] == r"| a\|b    | 1 |"
