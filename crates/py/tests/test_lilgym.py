"""Statements, programs, truth and plans of lilGym."""

import numpy as np
import pytest

import heldout
from heldout import lilgym
from heldout.lilgym import Corpus, truth

IDS = [f"lilgym/{task}-v1" for task in ("tower-scratch", "tower-flipit", "scatter-scratch", "scatter-flipit")]
BLOCK = {"x_loc": 40, "y_loc": 80, "size": 20, "type": "square", "color": "Black"}


@pytest.mark.parametrize("id", IDS)
def test_problems_are_what_episodes_begin_with(id: str) -> None:
    corpus = Corpus(id, split="dev", observation="objects")
    env = heldout.Env(id, split="dev", observation="objects")
    assert len(corpus) == len(corpus.problems)
    _, info = env.reset(seed=0, options={"problem": len(corpus) - 1})
    assert info["problem"] == len(corpus) - 1
    with pytest.raises(heldout.HeldoutError):
        env.reset(seed=0, options={"problem": len(corpus)})
    for problem in corpus.problems[:50]:
        statement = corpus.statements[problem.statement]
        assert truth(statement.program, problem.scene) != problem.target or id.count("scratch")
    words = {word.strip(".,;").lower() for statement in corpus.statements for word in statement.sentence.split()}
    assert words == set(corpus.vocabulary) and list(corpus.vocabulary) == sorted(words)


def test_statements_have_categories_of_the_paper() -> None:
    corpus = Corpus(IDS[0])
    assert {type(statement.categories) for statement in corpus.statements} == {tuple}
    names = {name for statement in corpus.statements for name in statement.categories or ()}
    assert len(names) == 12 and "Cardinality (hard)" in names


def test_the_truth_of_a_program() -> None:
    program = "exist(filter_obj(all_items, lambda y: is_black(y) and is_bottom(y)))"
    assert truth(program, [[BLOCK], [], []])
    assert not truth(program, [[BLOCK | {"color": "Yellow"}], [], []])
    assert not truth(program, [[], [], []])


@pytest.mark.parametrize(
    ("program", "scene", "message"),
    [
        ("exist(", [[], [], []], "exist"),
        ("count(all_items)", [[], [], []], "is integer, must be boolean"),
        ("exist(all_items)", [[], []], "three boxes"),
        ("exist(all_items)", [[BLOCK | {"color": "Red"}], [], []], '`color` is `"Red"`'),
    ],
)
def test_what_has_no_truth(program: str, scene: lilgym.Scene, message: str) -> None:
    with pytest.raises(heldout.HeldoutError, match=message):
        truth(program, scene)


@pytest.mark.parametrize("id", IDS[:2])
def test_plans_reach_their_goals(id: str) -> None:
    corpus = Corpus(id, split="dev")
    env = heldout.Env(id, split="dev", observation="objects")
    for index in range(0, len(corpus), 40):
        plan = corpus.plan(index)
        assert plan.actions is not None and plan.actions[-1] == 0 and plan.proven
        env.reset(seed=0, options={"problem": index})
        rewards = [env.step(np.int64(action))[1] for action in plan.actions]
        assert sum(rewards) == pytest.approx(plan.value, abs=1e-6) and rewards[-1] == 1
    assert corpus.plans([0, 1]) == [corpus.plan(0), corpus.plan(1)]


def test_a_problem_that_is_not_there() -> None:
    corpus = Corpus(IDS[0], split="dev")
    for index in (len(corpus), -1):
        with pytest.raises(heldout.HeldoutError, match=f"the problem is `{index}`, must be 0 to {len(corpus) - 1}"):
            corpus.plan(index)
    with pytest.raises(heldout.HeldoutError, match="lilgym/tower-scratch-v1"):
        Corpus("halma/none-v1")
    with pytest.raises(heldout.HeldoutError, match="no_such_key"):
        Corpus(IDS[0], no_such_key=1)
