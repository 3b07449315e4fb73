"""Go: board, playouts, model, environments for one and two agents, matches, life and death, the Go Text Protocol."""

if __name__ != "bonspiel.go":  # the folder is importable from the checkout's root, and would be loaded twice
    raise ImportError("import bonspiel.go, not go")
