def test_answer():
    assert 6 * 7 == 42
