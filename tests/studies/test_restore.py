from docs.studies import restore


def test_every_case_is_a_row(monkeypatch):
    monkeypatch.setattr(restore, "SECONDS", 0.0)
    cases = [("Pendulum-v1", ""), ("Pendulum-v1", "deep copies"), ("Pendulum-v1", "RescaleAction")]
    monkeypatch.setattr(restore.time, "process_time", iter(range(10_000)).__next__)
    found = list(restore.rows(cases))
    assert [row[:2] for row in found] == [
        ("Pendulum-v1", "attributes"),
        ("Pendulum-v1", "deep copies"),
        ("RescaleAction(Pendulum-v1)", "attributes"),
    ]
    assert {len(row) for row in found} == {len(restore.HEAD)}


def test_the_environment_and_its_model_take_the_same_steps():
    env = restore.gymnasium.make("Pendulum-v1").unwrapped
    walks = restore.Walks(env, restore.envs.from_gymnasium(env, horizon=50))
    env.state = walks.states[restore.DEPTH][2:4]
    walks.alone()
    assert (walks.states[-1][2:4] == env.state).all()
    walks.scratch[:] = walks.states[restore.DEPTH]
    walks.going_on()
    assert (walks.model.storage.base.state == env.state).all()
    walks.elsewhere()
    assert (walks.model.storage.base.state != env.state).all()
