"""Who waits is let in by number, not by chance."""

from __future__ import annotations

import threading

from crewcheck.crewai.turns import Turns


def test_those_that_wait_come_in_the_order_of_their_numbers() -> None:
    turns = Turns()
    came: list[int] = []

    def come(number: int) -> None:
        with turns.turn(number):
            came.append(number)

    with turns.turn(1):
        threads = [threading.Thread(target=come, args=(number,)) for number in (5, 3, 4, 2)]
        for thread in threads:
            thread.start()
        while len(turns._waiting) < len(threads):
            threading.Event().wait(0.001)
        assert came == []
    for thread in threads:
        thread.join(5)
    assert came == [2, 3, 4, 5]


def test_what_goes_wrong_in_a_turn_ends_it() -> None:
    turns = Turns()
    try:
        with turns.turn(1):
            raise ValueError
    except ValueError:
        pass
    with turns.turn(0):
        assert turns._waiting == []
