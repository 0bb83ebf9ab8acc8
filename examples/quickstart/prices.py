"""A few lines to test."""


def total(prices, discount=0):
    """The sum of `prices`, less `discount` (0 to 1) of it."""
    if not 0 <= discount <= 1:
        raise ValueError(f"discount must be from 0 to 1, not {discount}")
    return sum(prices) * (1 - discount)
