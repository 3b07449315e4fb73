import bonspiel.curling.ice.engines.box2d  # noqa: F401  (imports Box2D without its warnings, which crash the interpreter as errors)
