"""A word that is nearly right is answered by the right one: in a claim, in its scope, at the command line."""

import pytest
from checkfolders import write
from on_trial import on_trial

from theorytools import verify
from theorytools.errors import CheckError, DomainError, did_you_mean, nearest


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"scope": {"every N": "pionts"}}, "did you mean points?"),
        ({"scope": {"some code": "exibited"}}, "did you mean exhibited?"),
        ({"scope": {"evry N": "points"}}, "did you mean every?"),
        ({"role": "statment"}, "did you mean statement?"),
        ({"more": ")\nbad = Control('c', breaks='sise', asserts=[size <= 0]\n"
                  ")\nbad = Claim('L', role='statement', scope={'every N': 'points'}, source='derived here: it', "
                  "asserts=[size <= N], grid=grid(N=[2]), construct=len, measure=len, controls=[bad]"},
         "did you mean size?"),
        ({"asserts": "size <= math.log(N)"}, "did you mean sympy.log?"),
        ({"asserts": "size <= np.log(N)"}, "did you mean sympy.log?"),
    ],
)  # fmt: skip
def test_a_slip_in_a_check_is_answered_with_the_word_that_is_meant(tmp_path, parts, said):
    with pytest.raises(CheckError) as refused:
        on_trial(tmp_path, judged=False, **parts)
    assert refused.value.advice.startswith(said)


def test_an_axis_in_small_letters_is_answered_with_the_axis(cli, tmp_path):
    checks = write(tmp_path, "holds")
    answer = cli("verify", "tiny.holds", "--at", "n=4")
    assert (answer.code, "did you mean N?" in answer.err) == (2, True)
    with pytest.raises(DomainError, match="did you mean N"):
        verify("tiny.holds", checks=checks, n=4)
    answer = cli("verify", "tiny.holds", "--at", "width=4")
    assert (answer.code, "leave it out" in answer.err) == (2, True)


def test_nearest_words_keep_their_own_letters():
    assert nearest("LEMMA", ["lemma", "theorem"]) == ["lemma"]
    assert nearest("q", ["N", "d_e"]) == []
    assert did_you_mean("q", ["N"], "theorytools list") == "theorytools list"
