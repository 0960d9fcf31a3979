"""The pages on models and constructions in code of one's own: their examples print what they say, in order."""

import doctest
import re

import pytest
import torch
from source_tree import MODULES, ROOT


@pytest.mark.parametrize(
    ("name", "least"),
    [("own_models", 50), ("import_a_construction", 25), ("certify", 30), ("states", 20), ("gallery", 30)],
)
def test_the_examples_and_names_of_the_page(name, least):
    page = ROOT / "docs" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert len(doctest.DocTestParser().get_examples(examples)) > least
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    sources = [path.read_text(encoding="utf-8") for path in MODULES.values()]
    for name in re.findall(r"`(\w+)(?:\([^`]*\))?`", text):
        public = any(re.search(rf"^(class|def) {name}\b", text, re.M) for text in sources)
        assert public or hasattr(torch.nn, name) or name in ("report", "start", "step", "torch", "module"), name
