"""Which pictures count as one: a union of near pairs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pagetrain.near_duplicates import NEAR, group_numbers
from tests.tiny import job, picture

BITS = st.integers(0, 2**64 - 1)


def hexadecimal(bits):
    return f"{bits:016x}"


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.one_of(st.none(), st.sampled_from([0, 2**5 - 1, 2**16 - 1, 2**27 - 1]), BITS)),
        max_size=12,
    )
)
def test_groups_are_what_near_pairs_link(places):
    """As a search along all near pairs finds them, one by one; numbered from 0 in the order of their first places."""
    keys = [f"{key}{bits}" for key, bits in places]
    hashes = ["" if bits is None else hexadecimal(bits) for _, bits in places]
    numbers = group_numbers(keys, hashes)

    def near(one, other):
        alike = hashes[one] and hashes[other] and (int(hashes[one], 16) ^ int(hashes[other], 16)).bit_count() <= NEAR
        return alike or keys[one] == keys[other]

    expected = np.full(len(places), -1)
    for place in range(len(places)):
        if expected[place] < 0:
            number, waiting = expected.max(initial=-1) + 1, [place]
            while waiting:
                one = waiting.pop()
                expected[one] = number
                waiting += [other for other in range(len(places)) if expected[other] < 0 and near(one, other)]
    assert numbers.tolist() == expected.tolist()


def test_more_pictures_than_are_compared_at_once():
    """The last is near the first, though they are compared in pieces."""
    hashes = [hexadecimal(int.from_bytes(np.random.default_rng(number).bytes(8), "big")) for number in range(700)]
    hashes.append(hexadecimal(int(hashes[0], 16) ^ 0b1011))
    numbers = group_numbers([str(number) for number in range(701)], hashes)
    assert numbers[0] == numbers[700]
    assert len(set(numbers.tolist())) == 700


def test_pictures_of_one_burst_are_one_group():
    """Whatever they look like, and with all that is near to one of them; "" is no burst."""
    hashes = [hexadecimal(bits) for bits in (0, 2**32 - 1, 2**64 - 1, 2**64 - 2**32, 2**64 - 2, 0x5555555555555555)]
    assert group_numbers(list("abcdef"), hashes, ["film", "", "film", "", "", ""]).tolist() == [0, 1, 0, 2, 0, 3]


def test_a_burst_is_held_out_together_and_shown_as_no_duplicates():
    """Of two classes that are a burst each nothing can be held out; the burst goes with its pictures."""
    made = job(["red", "blue"], count=0)
    keys = [made.add(picture(label, number), label, group=f"film of {label}").key for label in ("red", "blue") for number in range(4)]
    assert made.near_duplicates() == []
    assert judged_count(made) == 0
    for key in keys[:4]:
        known = made.known(key)
        made.remove(key, "red")
        made.restore(key, "red", known.row, known.hash)
    assert judged_count(made) == 4


def judged_count(made):
    run = made.fitting(epochs=1)
    list(run.run())
    return len(run.judged.keys)


def test_a_picture_in_two_classes_and_a_copy_are_a_group():
    """With the class of each; a picture without a hash is near to none but itself."""
    made = job(["red", "blue"], count=2)
    assert made.near_duplicates() == []
    key = made.add(picture("red", 0), "blue").key
    (group,) = made.near_duplicates()
    assert {(one.key, one.label) for one in group} == {(key, "red"), (key, "blue")}
    known = made.known(key)
    made.restore("copy", "red", known.row, known.hash)
    made.restore("unknown", "red", known.row)
    (group,) = made.near_duplicates()
    assert {(one.key, one.label) for one in group} == {(key, "red"), (key, "blue"), ("copy", "red")}
    made.remove("copy", "red")
    made.remove(key, "red")
    assert made.near_duplicates() == []
