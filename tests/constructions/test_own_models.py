"""The page on models of one's own: its examples print what they say, one after the other."""

import doctest
import re

import torch
from source_tree import MODULES, ROOT

PAGE = ROOT / "docs" / "own_models.md"


def test_the_examples_and_names_of_the_page():
    text = PAGE.read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert len(doctest.DocTestParser().get_examples(examples)) > 30
    test = doctest.DocTestParser().get_doctest(examples, {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    text = PAGE.read_text(encoding="utf-8")
    sources = [path.read_text(encoding="utf-8") for path in MODULES.values()]
    for name in re.findall(r"`(\w+)(?:\([^`]*\))?`", text):
        public = any(re.search(rf"^(class|def) {name}\b", text, re.M) for text in sources)
        assert public or hasattr(torch.nn, name) or name in ("report", "start", "step"), name
