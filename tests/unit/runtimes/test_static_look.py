from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

import pytest

from crewcheck.model.crew import Task, tasks
from crewcheck.runtimes import static_project
from crewcheck.runtimes.static_look import Candidate, Look, look_at
from crewcheck.runtimes.static_match import match_agent, match_crew, match_flow

HEAD = """\
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, listen, router, start
"""


def project(folder: Path, **files: str) -> Look:
    """A look at a project with these files; ``a__b`` is ``a/b.py``."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + textwrap.dedent(text))
    return look_at(str(folder), [str(folder / "src")])


def saved(*descriptions: str, templates: bool = True) -> list[Task]:
    """The tasks of a checkpoint."""
    listed: list[dict[str, Any]] = [
        {
            "description": text,
            "checkpoint_original_description": text if templates else None,
        }
        for text in descriptions
    ]
    return tasks({}, {"tasks": listed}, [])


def entries(look: Look) -> list[str]:
    return [one.entry for one in look.candidates]


def templates(candidate: Candidate) -> list[str | None]:
    assert candidate.tasks is not None
    return [one.template for one in candidate.tasks]


def only(look: Look, kind: str = "crew") -> list[Candidate]:
    """The candidates of a kind."""
    return [one for one in look.candidates if one.kind == kind]


def contexts(candidate: Candidate) -> list[frozenset[int] | None]:
    assert candidate.tasks is not None
    return [one.depends_on for one in candidate.tasks]


def test_a_crew_at_module_level_with_contexts(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        zoo="""
        AREA = "in the " + "zoo"
        eye = Agent(role="{animal} observer", goal="Observe", backstory="Sharp")
        first = Task(description="Watch the {animal} " + AREA, expected_output="x", agent=eye)
        second, third = Task(description="Count", context=[]), Task(description="Sum", agent=who())
        fourth = Task(description="Tell", context=[first, third], expected_output="{n}", agent=eye)
        fifth = Task(description="Ask", context=others())
        sixth = Task(description="End")
        sixth.context = [fourth]
        tasks = [first, second]
        tasks.append(third)
        tasks += [fourth, fifth, sixth]
        crew = Crew(name="zoo", tasks=tasks)
        """,
    )
    (crew,) = only(look)
    assert (crew.entry, crew.kind, crew.name, crew.file) == ("zoo:crew", "crew", "zoo", "zoo.py")
    assert crew.can_be_imported
    assert templates(crew)[0] == "Watch the {animal} in the zoo"
    assert contexts(crew) == [
        frozenset(),
        frozenset(),
        frozenset({0, 1}),
        frozenset({0, 2}),
        None,
        frozenset({3}),
    ]
    assert crew.tasks is not None
    assert crew.tasks[0].names == frozenset({"animal"})
    assert crew.tasks[2].names is None
    assert crew.tasks[3].names == frozenset({"animal", "n"})


def test_a_factory_is_an_entry_unless_it_needs_arguments(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        factory="""
        def task(text, more="!"):
            return Task(description=text + more)

        def build(size=3):
            '''Builds.'''
            first = task("one")
            if size > 2:
                print(size)
            return Crew(tasks=[first, task("two", more="?"), task(more="", text="three")])

        def build_with(llm):
            return Crew(tasks=[task("x")])

        def one_of(flag=True):
            if flag:
                return Crew(tasks=[task("a")])
            return Crew(tasks=[task("b")])

        async def later():
            return Crew(tasks=[])

        def endless():
            return endless()
        """,
    )
    (crew,) = look.candidates
    assert crew.entry == "factory:build"
    assert templates(crew) == ["one!", "two?", "three"]


def test_one_crew_under_several_names_is_one_candidate(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        app="""
        def build():
            return Crew(tasks=[Task(description="one")])

        same = crew = build()

        class One(Flow):
            @start()
            def a(self): ...

        alias = One
        """,
        main="""
        from app import crew
        from app import build as make
        again = crew
        """,
    )
    assert entries(look) == ["app:same", "app:One"]


def test_two_crews_are_told_apart_by_their_tasks(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        two="""
        a = Crew(tasks=[Task(description="one"), Task(description="one")])
        b = Crew(tasks=[Task(description="one"), Task(description="two")])
        c = Crew(tasks=[Task(description="one")])
        """,
    )
    assert len(look.candidates) == 3

    def found(*texts: str) -> list[str]:
        return [one.candidate.entry for one in match_crew(look, saved(*texts))]

    assert found("one", "one") == ["two:a"]
    assert found("one", "two") == ["two:b"]
    assert found(" one\n") == ["two:c"]
    assert found("two", "one") == []
    assert found() == []


def test_duplicate_templates_have_their_own_contexts(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        same="""
        a = Task(description="same")
        b = Task(description="same")
        crew = Crew(tasks=[a, b, Task(description="end", context=[b])])
        """,
    )
    assert contexts(look.candidates[0])[2] == frozenset({1})


def test_texts_that_depend_on_the_run_are_unknown(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        odd="""
        import os
        from textwrap import dedent
        from elsewhere import PROMPT
        topic = os.environ["TOPIC"]
        if topic:
            size = "big"
        else:
            size = "small"
        for size2 in "ab":
            pass
        crew = Crew(tasks=[
            Task(description=f"about {topic}"),
            Task(description=f"plain"),
            Task(description=dedent('''
                in
                  two lines
            ''').strip()),
            Task(description="%s" % topic),
            Task(description=size),
            Task(description=size2),
            Task(description=PROMPT),
            Task(description="a" "b"),
            Task(**topic),
        ])
        others = Crew(name="others", tasks=[Task(description=x) for x in "ab"])
        """,
    )
    crew, others = look.candidates
    texts = [None, "plain", "in\n  two lines", None, None, None, None, "ab", None]
    assert templates(crew) == texts
    assert contexts(crew)[-1] is None
    assert others.tasks is None
    match = match_crew(look, saved(*(text or "x" for text in texts)))
    assert [(one.candidate.entry, one.certain) for one in match] == [("odd:crew", False)]
    # one of which nothing can be told may be it, if there is no other
    perhaps = match_crew(look, saved("x"))
    assert [(one.candidate.entry, one.certain) for one in perhaps] == [("odd:others", False)]
    by_name = match_crew(look, saved("x"), name="others")
    assert [(one.candidate.entry, one.certain) for one in by_name] == [("odd:others", False)]


def test_a_certain_match_leaves_no_room_for_others(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        both="""
        a = Crew(tasks=[Task(description="one"), Task(description=f"{x}")])
        b = Crew(tasks=[Task(description="one"), Task(description="two")])
        """,
    )
    assert [one.candidate.entry for one in match_crew(look, saved("one", "two"))] == ["both:b"]
    assert [one.candidate.entry for one in match_crew(look, saved("one", "z"))] == ["both:a"]


def test_documents_without_templates_are_compared_with_the_inputs_filled_in(
    tmp_path: Path,
) -> None:
    look = project(tmp_path, zoo='crew = Crew(tasks=[Task(description="Watch {n} {animal} {x}")])')
    inputs = {"n": 3, "animal": "otters"}
    old = saved("Watch 3 otters {x}", templates=False)
    assert [one.certain for one in match_crew(look, old, inputs)] == [True]
    assert match_crew(look, old, {"n": 4, "animal": "otters"}) == []
    planned = saved("Watch 3 otters {x}\n\nThe plan: ...", templates=False)
    assert [one.certain for one in match_crew(look, planned, inputs)] == [False]


def test_of_twins_the_name_or_the_expected_output_chooses(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        twins="""
        a = Crew(name="a", tasks=[Task(description="one", expected_output="x")])
        b = Crew(name="b", tasks=[Task(description="one", expected_output="y {n}")])
        """,
    )

    def found(**values: Any) -> list[str]:
        return [one.candidate.entry for one in match_crew(look, saved("one"), **values)]

    assert found() == ["twins:a", "twins:b"]
    assert found(name="b") == ["twins:b"]
    assert found(name="c") == ["twins:a", "twins:b"]
    task = {"description": "one", "expected_output": "y 3"}
    by_output = match_crew(look, tasks({}, {"tasks": [task]}, []), {"n": 3})
    assert [one.candidate.entry for one in by_output] == ["twins:b"]


def test_a_crew_base_class_with_yaml(tmp_path: Path) -> None:
    package = tmp_path / "src" / "press"
    (package / "config").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "config" / "agents.yaml").write_text(
        "writer:\n  role: >\n    {topic} writer\n  goal: Write\n  backstory: ''\n"
    )
    (package / "config" / "tasks.yaml").write_text(
        "research:\n  description: >\n    About {topic}\n    and more.\n  expected_output: x\n"
        "  agent: writer\n"
        "check:\n  description: Check\n  expected_output: x\n  agent: writer\n"
        "title:\n  description: Title\n  expected_output: x\n  context: [research]\n"
    )
    text = '''
        from crewai.project import CrewBase, agent, before_kickoff, crew, task

        @CrewBase
        class Press:
            """Press crew"""
            agents: list
            tasks_config: dict

            @agent
            def writer(self) -> Agent:
                return Agent(config=self.agents_config["writer"], verbose=True)

            @task
            def research(self) -> Task:
                return Task(config=self.tasks_config["research"])  # type: ignore[index]

            @task
            def check(self) -> Task:
                return Task(config=self.tasks_config["check"], context=[self.research()])

            @task
            def title(self) -> Task:
                return Task(config=self.tasks_config["title"], description="My title",
                            agent=self.writer())

            @crew
            def crew(self) -> Crew:
                return Crew(agents=self.agents, tasks=self.tasks)
    '''
    look = project(tmp_path, src__press__crew=text)
    (press,) = only(look)
    assert press.entry == "press.crew:Press"
    (writer,) = only(look, "agent")
    assert writer.entry == "press.crew:Press.writer"
    assert writer.agent == ("{topic} writer\n", "Write", "")
    assert templates(press) == ["About {topic} and more.\n", "Check", "My title"]
    assert contexts(press) == [frozenset(), frozenset({0}), frozenset({0})]
    assert press.tasks is not None
    assert [one.names for one in press.tasks] == [frozenset({"topic"})] * 3
    assert match_crew(look, saved("About {topic} and more.", "Check", "My title"))[0].certain
    # without the files, the texts are unknown but the class is found
    (package / "config" / "tasks.yaml").write_text("research: &x {a: b}\n")
    (press,) = only(look_at(str(tmp_path), [str(tmp_path / "src")]))
    assert templates(press) == [None, None, "My title"]
    assert contexts(press) == [None, frozenset({0}), None]


def test_what_methods_make(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        app="""
        class Agents:
            @property
            def lazy(self): return Agent(role="Lazy")
            @staticmethod
            def free(): return Agent(role="Free")
            def guide(self): return Agent(role="Guide")
            def expert(self, city): return Agent(role="Expert")
            async def later(self): return Agent(role="Later")
            def __enter__(self): return Agent(role="Odd")
        class Trip:
            def __init__(self, agents=Agents()): self.agents = agents
            def crew(self): return Crew(tasks=[Task(description="Go")])
        class Needy:
            def __init__(self, city): ...
            def crew(self): return Crew(tasks=[Task(description="Stay")])
        class Road(Flow):
            @start()
            def begin(self): return Agent(role="Inner")
        def crew(): return Crew(tasks=[Task(description="Go")])
        trip = Trip().crew()
        """,
    )
    assert [one.entry for one in only(look, "agent") if one.entry] == ["app:Agents.guide"]
    assert [one.entry for one in only(look) if one.entry] == ["app:crew", "app:Trip.crew"]


def test_texts_and_tasks_from_other_modules(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        pkg__prompts="FIRST = 'one'\nimport pkg.crew\n",
        pkg__tasks="""
        from . import prompts
        from .prompts import FIRST
        first = Task(description=FIRST)
        def second(context):
            return Task(description=prompts.FIRST + " more", context=context)
        """,
        pkg__crew="""
        import pkg.tasks
        from pkg import tasks as t
        from .tasks import *
        crew = Crew(tasks=[t.first, t.second([t.first]), Task(description="x", context=[nothing])])
        """,
    )
    (crew,) = look.candidates
    assert crew.entry == "pkg.crew:crew"
    assert templates(crew) == ["one", "one more", "x"]
    assert contexts(crew) == [frozenset(), frozenset({0}), None]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("crew.kickoff()", True),
        ("print(crew.kickoff(inputs={}))", True),
        ("if __name__ == '__main__':\n    crew.kickoff()", False),
        ("if crew:\n    crew.kickoff()", True),
        ("def main():\n    crew.kickoff()", False),
        ("def main():\n    crew.kickoff()\nmain()", True),
        (
            "import asyncio\nasync def go():\n    await crew.kickoff_async()\nasyncio.run(go())",
            True,
        ),
        ("def a():\n    b()\ndef b():\n    crew.kickoff()\n    a()\na()", True),
        ("class A:\n    x = crew.kickoff()", True),
        ("run = lambda: crew.kickoff()", False),
        ("import starter", True),
        ("def late():\n    import starter", False),
    ],
)
def test_a_module_that_would_start_a_run_is_marked(tmp_path: Path, text: str, starts: bool) -> None:
    look = project(
        tmp_path,
        app="crew = Crew(tasks=[Task(description='x')])\n" + text,
        starter="some.thing.kickoff()",
    )
    (crew,) = look.candidates
    assert crew.can_be_imported is not starts
    if starts:
        assert crew.starts_in == ("starter.py" if "starter" in text else "app.py")


def test_a_crew_in_a_script_is_better_taken_from_where_it_can_be_imported(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        a_script="from lib import build\ncrew = build()\ncrew.kickoff()",
        lib="def build():\n    return Crew(tasks=[Task(description='x')])",
    )
    assert entries(look) == ["lib:build"]


def test_flows_are_matched_by_methods_and_name(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        flows="""
        from crewai.flow import persist
        class State: ...

        @persist()
        class Base(Flow[State]):
            @start()
            def begin(self): ...

            def helper(self): ...

        class Long(Base):
            @router(Base.begin)
            def turn(self): ...

            @listen("left")
            async def left(self): ...

        class NotOne: ...
        """,
    )
    assert [(one.entry, one.methods) for one in look.candidates] == [
        ("flows:Base", ("begin",)),
        ("flows:Long", ("begin", "turn", "left")),
    ]

    def found(name: str | None, *methods: str) -> list[tuple[str, bool]]:
        matches = match_flow(look, name, methods)
        return [(one.candidate.entry, one.certain) for one in matches]

    assert found("Long", "begin") == [("flows:Long", True)]
    assert found("Other", "begin") == [("flows:Base", False), ("flows:Long", False)]
    assert found(None, "left", "turn") == [("flows:Long", False)]
    assert found("Base", "left") == [("flows:Long", False)]
    assert found("Base", "gone") == []


def test_what_is_not_the_project_is_not_looked_at(tmp_path: Path) -> None:
    crew = "crew = Crew(tasks=[])"
    (tmp_path / "myenv").mkdir()
    (tmp_path / "myenv" / "pyvenv.cfg").touch()
    look = project(
        tmp_path,
        **{f"{folder}__x": crew for folder in (".venv", "node_modules", "build", "myenv", ".x")},
        **{"not-a-module": crew, ".hidden": crew, "fine": crew},
    )
    os.symlink(tmp_path, tmp_path / "loop")
    assert entries(look) == ["fine:crew"]
    assert entries(look_at(str(tmp_path))) == ["fine:crew"]


def test_files_that_cannot_be_read_are_noted_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_project, "LARGEST_FILE", 5000)
    (tmp_path / "nul.py").write_bytes(b"crewai\0")
    (tmp_path / "latin.py").write_bytes(b"x = 'crewai \xe9'")
    (tmp_path / "deep.py").write_bytes(b"# crewai\nx = " + b"(" * 2000 + b")" * 2000)
    (tmp_path / "gone.py").symlink_to("nowhere")
    look = project(
        tmp_path,
        broken="def (:",
        large="#" * 6000,
        sum=f"x = {'+'.join(['1'] * 2000)}",
        fine="crew = Crew(tasks=[])",
    )
    assert entries(look) == ["fine:crew"]
    named = [note.split(" ")[0] for note in look.notes if not note.startswith("sum.py")]
    assert named == ["broken.py", "deep.py", "gone.py", "large.py", "latin.py", "nul.py"]


def test_programs_that_would_take_forever_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_project, "MOST_FILES", 3)
    wide = "def f(a={0}):\n    return {1}\n"
    doubling = "x = 'x'\n" + "x = x + x\n" * 100
    look = project(
        tmp_path,
        a=doubling + "crew = Crew(tasks=[Task(description=x)])",
        b="def f():\n    return [" + "f()," * 10 + "]\ncrew = Crew(tasks=f())",
        c=wide.format(0, "f(f(f(f(a))))") + "y = f()",
        d="",
    )
    assert entries(look) == ["a:crew", "b:crew"]
    assert templates(look.candidates[0]) == [None]
    assert look.notes == ["only the first 3 files were looked at"]


def test_a_look_is_the_same_each_time_and_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "danger.py").write_text(HEAD + "raise SystemExit('run')\ncrew = Crew(tasks=[])\n")
    one, other = look_at(str(tmp_path)), look_at(str(tmp_path))
    assert one == other
    assert entries(one) == ["danger:crew"]


def test_the_demo_project() -> None:
    import crewcheck.demo

    folder = Path(crewcheck.demo.__file__).parent / "project"
    (crew,) = only(look_at(str(folder)))
    assert crew.entry == "crew:crew"
    assert contexts(crew) == [frozenset(), frozenset({0}), frozenset({0, 1}), frozenset({2})]


def test_texts_made_from_what_is_known_are_known(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        known="""
        SIZE = 3
        TOPICS = ["cats", "dogs"]
        WHO = {"first": "Ann", "second": "Bob"}
        def task(topic, **more):
            return Task(description=f"Write {SIZE} lines on {topic}", **more)
        tasks = [task(topic) for topic in TOPICS]
        for place, (key, name) in enumerate(WHO.items()):
            tasks.append(Task(description=f"{place}: ask " + name))
        settings = {"description": " / ".join(TOPICS).replace("cats", "birds")}
        tasks.append(Task(**settings))
        tasks += [Task(description=f"{n + 1} of {SIZE * 2}") for n in range(SIZE % 2)]
        tasks += [Task(description=TOPICS[n - 1] + str(n)) for n, _ in zip([1], [2])]
        crew = Crew(tasks=tasks + [Task(description=f"{SIZE:>4}")])
        """,
    )
    (crew,) = only(look)
    assert templates(crew) == [
        "Write 3 lines on cats",
        "Write 3 lines on dogs",
        "0: ask Ann",
        "1: ask Bob",
        "birds / dogs",
        "1 of 6",
        "cats1",
        None,
    ]


def test_two_crews_of_one_factory_are_two(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        made="""
        def build(text):
            return Crew(tasks=[Task(description=text)])
        a, b = build("one"), build("two")
        """,
    )
    assert entries(look) == ["made:a", "made:b"]
    assert [one.candidate.entry for one in match_crew(look, saved("two"))] == ["made:b"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("if __name__ == '__main__':\n    Crew(tasks=[Task(description='x')]).kickoff()", 4),
        (
            "def main(llm):\n    crew = Crew(tasks=[Task(description='x')])\n    crew.kickoff()\n"
            "if __name__ == '__main__':\n    main(1)",
            4,
        ),
        (
            "async def main():\n    crew = Crew(tasks=[Task(description='x')])\n"
            "    await crew.kickoff_async()\nimport asyncio\nasyncio.run(main())",
            4,
        ),
        (
            "class Desk:\n    def work(self, llm):\n"
            "        return Crew(tasks=[Task(description='x')]).kickoff()",
            5,
        ),
        ("for x in range(2):\n    Crew(tasks=[Task(description='x')]).kickoff()", 4),
    ],
)
def test_a_crew_that_no_name_leads_to_is_its_programs(tmp_path: Path, text: str, line: int) -> None:
    look = project(tmp_path, app=text)
    (match,) = match_crew(look, saved("x"))
    crew = match.candidate
    assert (crew.entry, crew.file, crew.starts_in, crew.line) == ("", "app.py", "app.py", line)


def test_the_program_may_be_another_file(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        lib="def build(llm):\n    return Crew(tasks=[Task(description='x')])",
        lone="def other(llm):\n    return Crew(tasks=[Task(description='y')])",
        run="def main():\n    import lib\n    lib.build(1).kickoff()\n"
        "if __name__ == '__main__':\n    main()",
    )
    assert [(one.file, one.starts_in) for one in look.candidates] == [("lib.py", "run.py")]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("from lib import go\ngo()", True),
        ("import lib\nlib.go()", True),
        ("import lib\nlib.stay()", False),
        ("from lib import Desk\nDesk", False),
        ("class Desk:\n    def work(self):\n        crew.kickoff()\nDesk().work()", True),
    ],
)
def test_a_run_can_be_started_through_the_functions_of_others(
    tmp_path: Path, text: str, starts: bool
) -> None:
    look = project(
        tmp_path,
        app="crew = Crew(tasks=[Task(description='x')])\n" + text,
        lib="def go():\n    some.crew.kickoff()\ndef stay(): ...\nclass Desk: ...",
    )
    (crew,) = only(look)
    assert crew.can_be_imported is not starts


def test_agents_are_matched_by_their_texts(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        desk="""
        import os
        cook = Agent(role="Cook", goal="Cook well", backstory="Old ")
        young = Agent(role="Cook", goal="Cook well", backstory="Young")
        def clerk(desk=2):
            return Agent(role="Clerk", goal="Write", backstory=os.environ["STORY"])
        def judge(desk):
            return Agent(role="Judge", goal="Judge", backstory="Stern")
        crew = Crew(agents=[Agent(role="Inner", goal="", backstory="")], tasks=[])
        """,
    )

    def found(*texts: str) -> list[tuple[str, bool]]:
        return [(one.candidate.entry, one.certain) for one in match_agent(look, *texts)]

    assert found("Cook", "Cook well", "Old") == [("desk:cook", True)]
    assert found("Cook", "Cook well", "Young") == [("desk:young", True)]
    assert found("Clerk", "Write", "whatever") == [("desk:clerk", False)]
    assert found("Clerk", "Read", "whatever") == []
    assert found("Judge", "Judge", "Stern") == []  # nothing here is a program


FLOW = """
    @start()
    def begin(self): ...
    @listen(begin)
    def end(self): ...
"""


def flows(look: Look, name: str | None, *methods: str) -> list[tuple[str, bool]]:
    found = match_flow(look, name, methods)
    return [(one.candidate.entry, one.certain) for one in found]


def test_a_flow_is_found_by_its_bases_wherever_they_are(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        pkg__base="class Steps:" + FLOW + "class Base(Steps, Flow[dict]):\n    pass\n",
        other="from theirs import Their\n"
        "class Far(Their):\n    @listen('x')\n    def more(self): ...",
    )
    (tmp_path / "pkg" / "fast.py").write_text("from .base import Base\n\nclass Fast(Base): ...\n")
    look = look_at(str(tmp_path))
    assert entries(look) == ["other:Far", "pkg.base:Base", "pkg.fast:Fast"]
    assert flows(look, "Fast", "begin", "end") == [("pkg.fast:Fast", True)]
    assert flows(look, "Renamed", "begin") == [("pkg.base:Base", False), ("pkg.fast:Fast", False)]
    # its other methods may be those of a base that is not of the project
    assert flows(look, "Far", "more", "unheard_of") == [("other:Far", False)]
    assert flows(look, "Base", "unheard_of") == []


def test_a_flow_has_the_name_that_it_gives_itself(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        a="class One(Flow):\n    name: str = 'first'" + FLOW,
        b="class Two(Flow):\n    name = 'second'" + FLOW + "class Three(Two): ...",
    )
    assert flows(look, "first", "begin") == [("a:One", True)]
    assert flows(look, "second", "begin") == [("b:Two", True), ("b:Three", True)]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("class Road(Flow):" + FLOW + "road = Road()", "app:Road"),
        ("class Road(Flow):" + FLOW + "road = Road(checkpoint=True)", "app:Road"),
        ("class Road(Flow):\n    size: int = 3" + FLOW + "road = Road(size=4)", "app:road"),
        (
            "class Road(Flow):\n    size: int" + FLOW + "def make():\n    return Road(size=4)",
            "app:make",
        ),
        (
            "class Road(Flow):\n    def __init__(self, size): ...\n" + FLOW
            + "def make(size):\n    return Road(size)\n"
            "if __name__ == '__main__':\n    make(3).kickoff()",
            "app:Road",
        ),
    ],
)  # fmt: skip
def test_a_flow_made_with_arguments_is_taken_as_it_is_made(
    tmp_path: Path, text: str, entry: str
) -> None:
    look = project(tmp_path, app=text)
    assert flows(look, "Road", "begin") == [(entry, True)]


def test_arguments_of_the_program_are_told(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        app="class Road(Flow):\n    size: int = 3" + FLOW,
        main="from app import Road\ndef main():\n    Road(size=4, tracing=False).kickoff()\n"
        "if __name__ == '__main__':\n    main()",
    )
    (road,) = look.candidates
    assert road.entry == "app:Road"
    assert road.note == (
        "main.py, line 5, makes it with size=..., and here it is made without: "
        "--script main.py runs the program as it is"
    )


def test_a_flow_in_a_program_without_a_main_guard(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        src__story__main="class Story(Flow):" + FLOW + "Story().kickoff()",
        src__story__other="from story.main import Story",
    )
    (story,) = look.candidates
    assert (story.entry, story.starts_in) == ("story.main:Story", "src/story/main.py")


def test_a_program_in_a_folder_of_its_own_imports_what_lies_beside_it(tmp_path: Path) -> None:
    look = project(
        tmp_path,
        services__press__tasks="first = Task(description='one')",
        services__press__main="from tasks import first\ncrew = Crew(tasks=[first])",
        services__post__main="crew = Crew(tasks=[Task(description='two')])",
    )
    post, press = look.candidates
    assert (post.entry, post.root) == ("services.post.main:crew", None)
    assert (press.entry, press.root) == (
        "services/press/main.py:crew",
        str(tmp_path / "services" / "press"),
    )
    assert templates(press) == ["one"]


def test_a_look_at_what_mentions_a_name(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(
        "from crewai.flow.flow import Flow, start\n"
        "class Base(Flow):\n    @start()\n    def begin(self): ...\n"
    )
    (tmp_path / "mine.py").write_text(
        "from crewai.flow.flow import listen\nfrom base import Base\n"
        "class Mine(Base):\n    @listen('begin')\n    def go(self): ...\n"
    )
    (tmp_path / "broken.py").write_text("class Other(Flow:\n")
    look = look_at(str(tmp_path), [str(tmp_path)], "Mine")
    mine, base = look.candidates
    assert (mine.entry, mine.methods, base.entry) == ("mine:Mine", ("begin", "go"), "base:Base")
    assert look.notes == []  # what is broken mentions nothing of it
    whole = look_at(str(tmp_path), [str(tmp_path)])
    assert look.candidates[0] in whole.candidates
    assert look_at(str(tmp_path), [str(tmp_path)], "Nothing").candidates == []


def test_the_projects_in_a_project(tmp_path: Path) -> None:
    crew = 'crew = Crew(tasks=[Task(description=f"{GO} on")])'
    for name in ("alpha", "beta"):
        folder = tmp_path / "packages" / name
        folder.mkdir(parents=True)
        (folder / "pyproject.toml").touch()
    look = project(
        tmp_path,
        packages__alpha__src__alpha__crew=f"from alpha.words import GO\n{crew}",
        packages__alpha__src__alpha__words='GO = "Go"',
        packages__beta__crew=f"from words import GO\n{crew}",
        packages__beta__words='GO = "Come"',
        packages__crew=f'GO = "Stay"\n{crew}',
        words='GO = "None"',
    )
    packages, alpha, beta = look.candidates
    assert alpha.entry == "packages/alpha/src/alpha/crew.py:crew"
    assert (alpha.root, templates(alpha)) == (f"{tmp_path}/packages/alpha/src", ["Go on"])
    assert beta.entry == "packages/beta/crew.py:crew"
    assert (beta.root, templates(beta)) == (f"{tmp_path}/packages/beta", ["Come on"])
    assert (packages.entry, packages.root) == ("packages.crew:crew", None)


def test_a_project_that_is_the_same_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = project(tmp_path, app='crew = Crew(tasks=[Task(description="Go")])')
    parsed: list[str] = []
    real = static_project.StaticProject.read

    def read(self: Any, module: Any) -> Any:
        parsed.append(module.name)
        return real(self, module)

    monkeypatch.setattr(static_project.StaticProject, "read", read)
    again = look_at(str(tmp_path), [str(tmp_path / "src")])
    assert (again.candidates, parsed) == (look.candidates, [])
    (tmp_path / "pyproject.toml").write_text("[tool.crewai]\n")
    look_at(str(tmp_path), [str(tmp_path / "src")])
    assert parsed
    changed = project(tmp_path, app='crew = Crew(tasks=[Task(description="Come on")])')
    assert templates(changed.candidates[0]) == ["Come on"]
