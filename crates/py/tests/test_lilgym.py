"""Statements, programs, truth and plans of lilGym."""

import numpy as np
import pytest

import heldout
from heldout import lilgym
from heldout.lilgym import Corpus, truth

IDS = [f"lilgym/{task}-v1" for task in ("tower-scratch", "tower-flipit", "scatter-scratch", "scatter-flipit")]
BLOCK = {"x_loc": 40, "y_loc": 80, "size": 20, "type": "square", "color": "Black"}


@pytest.mark.parametrize("id", IDS)
def test_amendment_38_problems_are_what_episodes_begin_with(id: str) -> None:
    corpus = Corpus(id, split="dev", observation="objects")
    env = heldout.Env(id, split="dev", observation="objects")
    assert len(corpus) == len(corpus.problems)
    # The rows of `objects` begin with the number of the box and the place.
    for index in (0, 7, len(corpus) - 1):
        observation, info = env.reset(seed=0, options={"problem": index})
        problem = corpus.problems[index]
        statement = corpus.statements[problem.statement]
        placed = [[box, o["x_loc"], o["y_loc"]] for box, items in enumerate(problem.scene, 1) for o in items]
        assert observation["objects"][: len(placed), :3].tolist() == placed
        assert not observation["objects"][len(placed) :].any()
        assert (observation["sentence"], bool(observation["target"])) == (statement.sentence, problem.target)
        assert info["problem"] == index and problem.key.startswith(statement.key)
    for rows in (corpus.problems, corpus.statements):
        assert len({row.key for row in rows}) == len(rows)
    with pytest.raises(heldout.HeldoutError):
        env.reset(seed=0, options={"problem": len(corpus)})
    for problem in corpus.problems[:50]:
        statement = corpus.statements[problem.statement]
        assert truth(statement.program, problem.scene) != problem.target or id.count("scratch")
    words = {word.strip(".,;").lower() for statement in corpus.statements for word in statement.sentence.split()}
    assert words == set(corpus.vocabulary) and list(corpus.vocabulary) == sorted(words)


def test_amendment_38_statements_have_categories_of_the_paper() -> None:
    corpus = Corpus(IDS[0])
    assert {type(statement.categories) for statement in corpus.statements} == {tuple}
    names = {name for statement in corpus.statements for name in statement.categories or ()}
    assert len(names) == 12 and "Cardinality (hard)" in names


def test_amendment_38_the_truth_of_a_program() -> None:
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
def test_amendment_38_plans_reach_their_goals(id: str) -> None:
    corpus = Corpus(id, split="dev")
    env = heldout.Env(id, split="dev", observation="objects")
    for index in range(0, len(corpus), 40):
        plan = corpus.plan(index)
        assert plan.actions is not None and plan.actions[-1] == 0 and plan.proven
        env.reset(seed=0, options={"problem": index})
        rewards = [env.step(np.int64(action))[1] for action in plan.actions]
        assert sum(rewards) == pytest.approx(plan.value, abs=1e-6) and rewards[-1] == 1
    assert corpus.plans([0, 1]) == corpus.plans(iter([0, 1])) == [corpus.plan(0), corpus.plan(1)]


def test_amendment_38_a_plan_says_whether_it_is_proven() -> None:
    # One edit at the most: all of them were tried. Two or three, and the search of an open space is not exhaustive.
    short = Corpus(IDS[2], split="dev", horizon=2).plans(range(30))
    assert all(plan.proven for plan in short) and any(plan.actions is None for plan in short)
    assert {plan.proven for plan in Corpus(IDS[2], split="dev").plans(range(30))} == {False, True}


def test_a_problem_that_is_not_there() -> None:
    corpus = Corpus(IDS[0], split="dev")
    for index in (len(corpus), -1):
        with pytest.raises(heldout.HeldoutError, match=f"the problem is `{index}`, must be 0 to {len(corpus) - 1}"):
            corpus.plan(index)
    with pytest.raises(heldout.HeldoutError, match="lilgym/tower-scratch-v1"):
        Corpus("halma/none-v1")
    with pytest.raises(heldout.HeldoutError, match="no_such_key"):
        Corpus(IDS[0], no_such_key=1)
