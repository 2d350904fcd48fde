"""Who waits is let in by number, not by chance."""

from __future__ import annotations

import threading

from crewcheck.crewai.turns import Turns


def test_they_come_in_the_order_in_which_they_were_announced() -> None:
    turns = Turns(patience=60)
    numbers = [turns.announce() for _ in range(5)]
    came: list[int] = []

    def come(number: int) -> None:
        with turns.turn(number):
            came.append(number)

    threads = [threading.Thread(target=come, args=(one,)) for one in reversed(numbers[1:])]
    for thread in threads:
        thread.start()
    with turns.turn(numbers[0]):  # the others cannot have been before it
        assert came == []
    for thread in threads:
        thread.join(10)
    assert came == numbers[1:]


def test_who_is_withdrawn_is_not_waited_for() -> None:
    turns = Turns(patience=60)
    first, second = turns.announce(), turns.announce()
    came = threading.Event()

    def come() -> None:
        with turns.turn(second):
            came.set()

    threading.Thread(target=come).start()
    assert not came.is_set()
    turns.withdraw(first)
    assert came.wait(10)


def test_who_does_not_come_is_not_waited_for_for_ever() -> None:
    turns = Turns(patience=0.01)
    late = turns.announce()
    with turns.turn():
        pass
    with turns.turn(late):
        pass
    assert turns._ahead == set()


def test_what_goes_wrong_in_a_turn_ends_it() -> None:
    turns = Turns(patience=60)
    try:
        with turns.turn():
            raise ValueError
    except ValueError:
        pass
    with turns.turn():
        assert turns._ahead == set()
