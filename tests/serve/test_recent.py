"""What is kept as long as others ask for it."""

import threading

from pommel.serve.recent import Recent


def test_the_last_values_are_kept() -> None:
    made: list[int] = []

    def value(n: int) -> int:
        made.append(n)
        return n

    kept: Recent[int, int] = Recent(2)
    for n in (1, 2, 1, 3, 1, 2):
        assert kept.get(n, lambda n=n: value(n)) == n  # type: ignore[misc]
    # 2 had to go when 3 came: 1 had been asked for since.
    assert made == [1, 2, 3, 2]


def test_what_several_want_at_once_is_made_once_and_others_do_not_wait_for_it() -> None:
    kept: Recent[str, int] = Recent(8)
    making, go_on, made = threading.Event(), threading.Event(), list[int]()

    def slow() -> int:
        making.set()
        assert go_on.wait(30)
        made.append(1)
        return len(made)

    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(kept.get("a", slow))) for _ in "123"]
    for each in threads:
        each.start()
    assert making.wait(30)
    assert kept.get("b", lambda: 2) == 2
    assert kept.made() == {"b": 2}
    go_on.set()
    for each in threads:
        each.join()
    assert found == [1, 1, 1]


def test_what_is_not_there_yet_and_what_fails_is_made_again() -> None:
    kept: Recent[str, int | None] = Recent(8)
    assert kept.get("a", lambda: None) is None
    assert kept.get("a", lambda: 1) == 1
    try:
        kept.get("b", lambda: 1 // 0)
    except ZeroDivisionError:
        assert kept.get("b", lambda: 2) == 2
    kept.put("b", 3)
    assert kept.made() == {"a": 1, "b": 3}
