"""The cases that come with guildmoot know where their defect is."""

from difflib import SequenceMatcher

import pytest

from guildmoot.practices.probe.shipped import shipped_cases


@pytest.mark.parametrize("turned", [False, True])
def test_the_answer_is_where_the_defective_version_differs_from_the_sound_one(tmp_path, turned):
    cases = {case.name: case for case in shipped_cases(tmp_path, turned=turned)}
    wrong = [case for name, case in cases.items() if name.endswith("-wrong")]
    assert len(wrong) == 10
    for case in wrong:
        [expected] = case.findings
        sound = cases[case.name.removesuffix("wrong") + "sound"]
        texts = [
            next(file.text for file in each.packet.files if file.path == expected.path).splitlines()
            for each in (case, sound)
        ]
        first = next(
            row
            for row in SequenceMatcher(None, *texts, autojunk=False).get_opcodes()
            if row[0] != "equal"
        )
        assert expected.line == first[1] + 1, case.name
