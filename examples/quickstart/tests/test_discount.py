# bulkhead: timeout=60 labels=quick
import pytest

from prices import total


@pytest.mark.parametrize("discount, expected", [(0, 10), (0.5, 5), (1, 0)])
def test_a_discount_is_taken_off_the_sum(discount, expected):
    assert total([4, 6], discount) == expected


def test_a_discount_over_everything_is_refused():
    with pytest.raises(ValueError, match="not 2"):
        total([1], discount=2)
