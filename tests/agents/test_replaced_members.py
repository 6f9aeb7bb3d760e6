"""A member that took the place of one that the repository declares."""

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

FILES = {
    "src/main.rs": "mod cli;\nuse cli::Cli;\n\nfn main() {\n    let cli = Cli::from_args();\n    cli.run();\n}\n",
    "src/cli.rs": "pub struct Cli {\n    pub quiet: bool,\n}\n\nimpl Cli {\n    pub fn from_args() -> Cli {\n        Cli { quiet: true }\n    }\n    pub fn run(&self) {}\n}\n",
}


def _told(old: str, new: str) -> list[str]:
    text = FILES["src/main.rs"]
    assert old in text
    change = ChangedCode(
        {"src/main.rs": text},
        {"src/main.rs": text.replace(old, new, 1)},
        lambda name: FILES.get(name, ""),
        lambda word: [name for name, held in FILES.items() if word in held],
    )
    return [each.message for each in lost_names(change)]


def test_a_function_of_a_rust_type_that_stands_nowhere_is_told():
    assert any("`from_argv`" in message for message in _told("from_args", "from_argv"))


def test_a_field_of_rust_that_is_declared_elsewhere_is_left_alone():
    assert _told("cli.run();", "let _ = cli.quiet;") == []
