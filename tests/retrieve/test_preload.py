"""Files that are put before an agent: few, short, from inside, and none that is excluded."""

from __future__ import annotations

from pathlib import Path

from recollect.retrieve.preload import MAX_CHARACTERS, MAX_FILES, preload_files


def test_at_most_five_are_read(tmp_path: Path) -> None:
    names = [f"{number}.py" for number in range(9)]
    for name in names:
        (tmp_path / name).write_text("x = 1\n")
    assert [one.path for one in preload_files(str(tmp_path), names, ())] == names[:MAX_FILES]


def test_a_long_one_ends_with_a_line_and_one_without_lines_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("seven77\n" * 1_000)
    (tmp_path / "b.py").write_text("y" * 9_000)
    (tmp_path / "c.py").write_text("12345678\n" * 1_000)
    found = preload_files(str(tmp_path), ["a.py", "b.py", "c.py"], ())
    assert [len(one.text) for one in found] == [MAX_CHARACTERS, MAX_CHARACTERS, 2_997]
    assert [one.characters for one in found] == [8_000, 9_000, 9_000]


def test_excluded_binary_missing_folders_and_names_no_system_takes_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "a.py").write_text("x\n")
    (tmp_path / "b.bin").write_bytes(b"\xff\xfe\x00")
    names = ["secrets/a.py", "b.bin", "gone.py", "secrets", "a\0b"]
    assert preload_files(str(tmp_path), names, ["secrets/**"]) == []
