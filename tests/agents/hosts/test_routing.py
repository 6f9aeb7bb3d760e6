"""Which host takes a task: the rule by examples, and what must hold for any fleet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.agents.hosts.manifest import KINDS, NEVER, Host, TierModel
from guildmoot.agents.hosts.routing import route
from guildmoot.agents.hosts.tasks import AFFINITIES, HostTask, RouteError, RoutingTerms
from guildmoot.errors import UsageError

NOW = 1_800_000_000.0
TIERS = ("cheap", "mid", "powerful")
WAYS = {"team": "agent_team", "agent": "independent_agents", "subagent": "subagent"}
OPEN = RoutingTerms(NOW, cross_host=True)


def host(name, *offers, tools=None, models=None, age=10.0):
    kind = name.split("-")[0]
    allowed = None if tools is None else frozenset(tools)
    return Host(name, kind, NOW - age, frozenset(offers or TIERS), allowed, models or {})


def ids(options):
    return [option.host for option in options]


def why(found):
    return {each.host: each.reason for each in found.rejected}


def test_claude_takes_a_task_that_nobody_else_is_preferred_for():
    found = route(
        HostTask("T1", "mid"), [host("gemini-1"), host("codex-1"), host("claude-1")], OPEN
    )
    assert found.choice == ("claude-1", "claude", "mid", TierModel("sonnet"), 0, ())
    assert ids(found.chain) == ["codex-1", "gemini-1"]
    assert (found.independence, found.host_diversity, found.degraded) == ("weak", 3, False)


def test_without_cross_host_work_only_claude_is_asked():
    hosts = [host("codex-1"), host("claude-1")]
    found = route(HostTask("T1", "mid", prefer="codex"), hosts, RoutingTerms(NOW))
    assert found.choice.host == "claude-1"
    assert "cross-host work is off" in why(found)["codex-1"]
    assert found.notes == ("codex is preferred, but is not to be had",)


@pytest.mark.parametrize(
    ("age", "says"),
    [(3600.0, "older than 3600 s"), (-301.0, "in the future"), (NOW - NEVER, "no time")],
)
def test_a_stale_manifest_is_out_and_no_consent_brings_it_back(age, says):
    stale = host("codex-1", age=age)
    with pytest.raises(RouteError) as caught:
        route(HostTask("T1", "mid"), [stale], OPEN._replace(escalate=True, degrade=True))
    assert says in caught.value.rejected[0].reason
    found = route(HostTask("T1", "mid"), [stale, host("claude-1")], OPEN)
    assert found.choice.host == "claude-1"


def test_a_manifest_without_a_time_stays_stale_however_long_manifests_count():
    stale = host("claude-1")._replace(advertised=NEVER)
    with pytest.raises(RouteError):
        route(HostTask("T1", "mid"), [stale], OPEN._replace(ttl=float("inf")))


@pytest.mark.parametrize(
    ("task", "lacking", "says"),
    [
        (HostTask("T1", "mid"), host("codex-1", "cheap", "powerful"), "the tier mid"),
        (HostTask("T1", "mid", "team"), host("codex-1"), "teams of agents"),
        (HostTask("T1", "mid", "agent"), host("codex-1"), "independent agents"),
        (HostTask("T1", "mid", "subagent"), host("codex-1"), "subagents"),
        (HostTask("T1", "mid", tools=("Bash",)), host("codex-1", tools=["Read"]), "the tool Bash"),
        (HostTask("T1", "mid", needs=("pr",)), host("codex-1"), "pull requests"),
        (HostTask("T1", "mid", needs=("network",)), host("codex-1"), "the network"),
        (HostTask("T1", "mid", isolation="worktree"), host("codex-1"), "the isolation worktree"),
    ],
)
def test_a_host_that_lacks_what_the_task_asks_for_is_passed_over_with_the_reason(
    task, lacking, says
):
    offers = (*TIERS, *WAYS.values(), "pr", "network", "isolation:worktree")
    found = route(task._replace(prefer="codex"), [lacking, host("gemini-1", *offers)], OPEN)
    assert found.choice.host == "gemini-1"
    assert why(found) == {"codex-1": f"it does not offer {says}"}


def test_a_whole_tool_in_the_allow_list_allows_a_part_of_it_but_not_the_other_way_round():
    narrow, wide = host("codex-1", tools=["Bash(git log)"]), host("codex-2", tools=["Bash"])
    found = route(HostTask("T1", "mid", tools=("Bash",)), [narrow, wide], OPEN)
    assert (ids([found.choice]), ids(found.chain)) == (["codex-2"], [])
    found = route(HostTask("T1", "mid", tools=("Bash(git log)",)), [narrow, wide], OPEN)
    assert (found.choice.host, ids(found.chain)) == ("codex-1", ["codex-2"])


def test_the_preferred_kind_outweighs_affinity_and_both_are_said():
    hosts = [host("claude-1"), host("codex-1"), host("gemini-1")]
    found = route(
        HostTask("T1", "mid", prefer="gemini", affinity="adversarial_review"), hosts, OPEN
    )
    assert (found.choice.host, found.choice.score) == ("gemini-1", 110)
    assert found.chain[0].score == 10
    assert "gemini is preferred and adversarial_review suits gemini (110 points)" in found.reason


def test_one_host_can_be_preferred_by_its_id():
    hosts = [host("codex-1"), host("codex-2"), host("claude-1")]
    found = route(HostTask("T1", "mid", prefer="codex-2"), hosts, OPEN)
    assert (found.choice.host, found.choice.score) == ("codex-2", 100)
    assert ids(found.chain) == ["codex-1", "claude-1"]


def test_a_host_that_is_called_like_its_kind_is_not_counted_twice():
    only = Host("codex", "codex", NOW, frozenset(TIERS))
    assert route(HostTask("T1", "mid", prefer="codex"), [only], OPEN).choice.score == 100


@pytest.mark.parametrize(("affinity", "kind"), [
    ("interactive_lifecycle", "claude"),
    ("adversarial_review", "codex"),
    ("background_implementation", "codex"),
    ("parallel_local_lanes", "claude"),
    ("graph_extraction", "claude"),
])  # fmt: skip
def test_each_kind_of_work_has_its_kind_of_host(affinity, kind):
    hosts = [host(f"{each}-1") for each in KINDS]
    assert route(HostTask("T1", "mid", affinity=affinity), hosts, OPEN).choice.kind == kind


def test_a_model_comes_from_the_user_then_the_manifest_then_us_and_may_stay_unknown():
    named = host("codex-1", models={"mid": TierModel("gpt", (("effort", "high"),))})
    ours = {"codex": {"mid": TierModel("mine")}}
    task = HostTask("T1", "mid")
    assert route(task, [named], OPEN._replace(models=ours)).choice.model.model == "mine"
    assert route(task, [named], OPEN).choice.model == named.models["mid"]
    assert route(task, [host("claude-1")], OPEN).choice.model.model == "sonnet"
    unknown = route(task, [host("codex-2")], OPEN)
    assert unknown.choice.model.model == ""
    assert "its own default is used" in unknown.notes[0]


def test_the_chain_never_changes_the_tier_without_consent():
    hosts = [host("codex-1"), host("codex-2", "powerful"), host("gemini-1"), host("claude-1")]
    found = route(HostTask("T1", "mid", prefer="codex"), hosts, OPEN)
    assert [(option.host, option.tier) for option in found.chain] == [
        ("gemini-1", "mid"), ("claude-1", "mid")
    ]  # fmt: skip
    assert why(found) == {"codex-2": "it does not offer the tier mid"}


def test_with_consent_the_chain_goes_up_one_tier_and_claude_stays_last():
    hosts = [host("codex-1"), host("codex-2", "powerful"), host("gemini-1"), host("claude-1")]
    task = HostTask("T1", "mid", prefer="codex")
    found = route(task, hosts, OPEN._replace(escalate=True))
    assert found.choice[:3] == ("codex-1", "codex", "mid")
    assert [(option.host, option.tier) for option in found.chain] == [
        ("gemini-1", "mid"),
        ("codex-1", "powerful"),
        ("codex-2", "powerful"),
        ("gemini-1", "powerful"),
        ("claude-1", "mid"),
        ("claude-1", "powerful"),
    ]
    assert any("the chain ends at the tier powerful" in note for note in found.notes)


def test_a_higher_tier_is_taken_only_with_consent_and_says_so():
    hosts = [host("codex-1", "powerful")]
    with pytest.raises(RouteError) as caught:
        route(HostTask("T1", "mid"), hosts, OPEN)
    assert caught.value.hint == "With 'escalate' codex-1 could take it at the tier powerful."
    found = route(HostTask("T1", "mid"), hosts, OPEN._replace(escalate=True))
    assert (found.choice.tier, found.asked_tier) == ("powerful", "mid")
    assert "tier raised from mid to powerful, as 'escalate' allows" in found.notes


@pytest.mark.parametrize("offered", ["cheap", "mid"])
def test_a_tier_is_never_lowered_whatever_is_allowed(offered):
    terms = OPEN._replace(escalate=True, degrade=True)
    with pytest.raises(RouteError):
        route(HostTask("T1", "powerful"), [host("codex-1", offered)], terms)


def test_the_least_bad_host_is_taken_only_with_consent_and_says_what_it_lacks():
    hosts = [host("claude-1", tools=[]), host("codex-1", "mid", "agent_team", tools=["Read"])]
    task = HostTask("T1", "mid", "team", tools=("Bash",))
    with pytest.raises(RouteError) as caught:
        route(task, hosts, OPEN)
    assert caught.value.hint == (
        "With 'degrade' codex-1 could take it, though it does not offer the tool Bash."
    )
    found = route(task, hosts, OPEN._replace(degrade=True))
    assert (found.choice.host, found.choice.lacks) == ("codex-1", ("tool:Bash",))
    assert found.degraded
    assert found.chain[0].lacks == ("agent_team", "tool:Bash")
    assert "degraded, as 'degrade' allows: it does not offer the tool Bash" in found.notes


def test_a_host_that_qualifies_one_tier_up_goes_before_one_that_lacks_something():
    hosts = [host("claude-1", "mid"), host("codex-1", "powerful", "pr")]
    terms = OPEN._replace(escalate=True, degrade=True)
    assert route(HostTask("T1", "mid", needs=("pr",)), hosts, terms).choice.host == "codex-1"


def test_after_a_failure_claude_is_the_last_resort_or_none_at_all():
    hosts = [host("claude-1"), host("claude-2"), host("codex-1")]
    task = HostTask("T1", "mid", prefer="claude")
    assert ids(route(task, hosts, OPEN).chain) == ["codex-1", "claude-2"]
    again = route(task, hosts, OPEN._replace(failed=frozenset({"claude-1"})))
    assert (again.choice.host, ids(again.chain)) == ("codex-1", ["claude-2"])
    assert why(again) == {"claude-1": "it failed before"}
    assert "after another failed" in again.reason
    alone = route(task, hosts, OPEN._replace(fallback_to_claude=False))
    assert (alone.choice.host, ids(alone.chain)) == ("claude-1", ["codex-1"])
    assert why(alone) == {"claude-2": "Claude is no fallback here"}


def test_no_host_at_all_is_an_error_that_says_what_next():
    with pytest.raises(RouteError) as caught:
        route(HostTask("T1", "mid"), [], OPEN)
    assert caught.value.message == "no host may take T1 at the tier mid; 0 were looked at"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("task", "says"),
    [
        (HostTask("T1", ""), "names no tier"),
        (HostTask("T1", "medium"), "'medium' is no tier"),
        (HostTask("T1", "mid", "teem"), "did you mean team?"),
        (HostTask("T1", "mid", affinity="review"), "'review' is no affinity"),
        (HostTask("T1", "mid", needs=("pull",)), "'pull' is no need"),
    ],
)
def test_a_request_that_nothing_can_be_measured_by_is_refused(task, says):
    with pytest.raises(UsageError, match=says.replace("?", r"\?")):
        route(task, [host("claude-1")], OPEN)


def test_two_hosts_of_one_name_are_refused_because_only_their_order_could_decide():
    twins = [host("claude-1"), host("claude-1", "mid")]
    with pytest.raises(UsageError, match="two manifests are called 'claude-1'"):
        route(HostTask("T1", "mid"), twins, OPEN)


# For any fleet.

OFFERS = (*TIERS, *WAYS.values(), "pr", "parallel", "network", "isolation:worktree")
TOOLS = ("Read", "Bash", "Bash(git log)")


@st.composite
def fleets(draw):
    count = draw(st.integers(0, 7))
    return [
        Host(
            f"{draw(st.sampled_from('abc'))}{number}",
            draw(st.sampled_from(KINDS)),
            draw(st.sampled_from([NOW - 10] * 5 + [NOW - 9999, NOW + 9999, NEVER])),
            frozenset(draw(st.sets(st.sampled_from(OFFERS), min_size=4))),
            draw(st.none() | st.frozensets(st.sampled_from(TOOLS), min_size=1)),
        )
        for number in range(count)
    ]


TASKS = st.builds(
    HostTask,
    st.just("T1"),
    st.sampled_from(TIERS),
    st.sampled_from(["auto", "auto", *WAYS]),
    st.sampled_from(["", *KINDS, "a0", "b1", "nobody"]),
    st.sampled_from(["", *AFFINITIES]),
    st.lists(st.sampled_from(TOOLS), max_size=1, unique=True).map(tuple),
    st.lists(st.sampled_from(["pr", "parallel", "network"]), max_size=1).map(tuple),
    st.sampled_from(["", "", "worktree"]),
)
TERMS = st.builds(
    lambda cross_host, escalate, degrade, claude: RoutingTerms(
        NOW, cross_host, 3600.0, escalate, degrade, claude
    ),
    st.sampled_from([True, True, False]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([True, True, False]),
)


def answer(task, hosts, terms):
    try:
        return route(task, hosts, terms)
    except RouteError as error:
        return error.message, error.hint, error.rejected


def routed(task, hosts, terms):
    found = answer(task, hosts, terms)
    return found if not isinstance(found, tuple) or hasattr(found, "choice") else None


def lacking(task, each, tier):
    """What the host lacks, worked out from the request in the plainest way."""
    wants = [tier, *task.needs]
    if task.mode != "auto":
        wants.append(WAYS[task.mode])
    if task.isolation:
        wants.append(f"isolation:{task.isolation}")
    missing = {want for want in wants if want not in each.offers}
    for tool in task.tools:
        if each.tools is not None and not {tool, tool.split("(")[0]} & each.tools:
            missing.add(f"tool:{tool}")
    return missing


def permitted(each, terms):
    fresh = NOW - 3600 < each.advertised <= NOW + 300
    return fresh and (terms.cross_host or each.kind == "claude")


@given(TASKS, fleets(), TERMS)
def test_every_rung_satisfies_the_request_or_differs_as_the_caller_allowed_and_it_says(
    task, hosts, terms
):
    found = routed(task, hosts, terms)
    if found is None:
        return
    by_id = {each.host_id: each for each in hosts}
    for option in (found.choice, *found.chain):
        each = by_id[option.host]
        assert permitted(each, terms)
        assert set(option.lacks) == lacking(task, each, option.tier)
        assert option.tier in each.offers
        assert terms.degrade or not option.lacks
        raised = TIERS.index(option.tier) - TIERS.index(task.tier)
        assert raised in ((0, 1) if terms.escalate else (0,))
    notes = " ".join(found.notes)
    assert found.degraded == bool(found.choice.lacks) == ("degraded" in notes)
    assert (found.choice.tier != task.tier) == ("tier raised" in notes)


@given(TASKS, fleets(), TERMS)
def test_a_route_fails_only_when_nothing_that_is_allowed_would_do(task, hosts, terms):
    if routed(task, hosts, terms) is not None:
        return
    higher = TIERS[TIERS.index(task.tier) + 1 :][:1] if terms.escalate else ()
    for each in filter(lambda each: permitted(each, terms), hosts):
        assert all(lacking(task, each, tier) for tier in (task.tier, *higher))
        assert not (terms.degrade and task.tier in each.offers)


@given(TASKS, fleets(), TERMS)
def test_every_host_is_the_choice_in_the_chain_or_passed_over_with_a_reason(task, hosts, terms):
    found = answer(task, hosts, terms)
    if hasattr(found, "choice"):
        used, rejected = {found.choice.host, *ids(found.chain)}, found.rejected
    else:
        used, rejected = set(), found[2]
    out = [each.host for each in rejected]
    assert used | set(out) == {each.host_id for each in hosts}
    assert not used & set(out)
    assert out == sorted(out)
    assert len(set(out)) == len(out)
    assert all(each.reason for each in rejected)


@given(TASKS, fleets(), TERMS, st.randoms())
def test_the_order_of_the_hosts_does_not_matter(task, hosts, terms, chance):
    shuffled = list(hosts)
    chance.shuffle(shuffled)
    assert answer(task, shuffled, terms) == answer(task, hosts, terms)


def points(task, option):
    preferred = task.prefer in (option.host, option.kind)
    return 100 * preferred + 10 * (option.kind in AFFINITIES.get(task.affinity, ()))


@given(TASKS, fleets(), TERMS)
def test_the_chain_is_sorted_by_the_stated_rule(task, hosts, terms):
    found = routed(task, hosts, terms)
    if found is None:
        return

    def key(option):
        own = option.host == found.choice.host
        step = TIERS.index(option.tier) - TIERS.index(task.tier)
        rank = (len(option.lacks), -option.score, KINDS.index(option.kind), option.host)
        return (option.kind == "claude" and not own, step, not own, *rank)

    assert list(found.chain) == sorted(found.chain, key=key)
    assert all(option.score == points(task, option) for option in (found.choice, *found.chain))
    assert len(set(found.chain)) == len(found.chain)
    assert found.choice not in found.chain


@given(TASKS, fleets(), TERMS)
def test_the_choice_is_the_best_by_the_stated_rule(task, hosts, terms):
    found = routed(task, hosts, terms)
    if found is None:
        return

    def key(option):
        rank = (len(option.lacks), -option.score, KINDS.index(option.kind), option.host)
        return (TIERS.index(option.tier), *rank)

    assert all(key(found.choice) < key(option) for option in found.chain)


@given(TASKS, fleets(), TERMS)
def test_when_the_chosen_host_fails_the_next_in_the_chain_is_chosen_down_to_the_last(
    task, hosts, terms
):
    found = routed(task, hosts, terms)
    failed = frozenset()
    while found is not None:
        failed |= {found.choice.host}
        after = routed(task, hosts, terms._replace(failed=failed))
        others = [option for option in found.chain if option.host not in failed]
        if not others:  # what is left, if anything, qualifies only by degrading
            assert after is None or (terms.degrade and after.degraded)
            return
        assert after.choice == others[0]
        found = after


@given(TASKS, fleets(), TERMS)
def test_removing_the_chosen_host_yields_the_next_where_claude_is_not_among_them(
    task, hosts, terms
):
    others = [each for each in hosts if each.kind != "claude"]
    found = routed(task, others, terms)
    if found is None:
        return
    line = [option for option in found.chain if option.host != found.choice.host]
    left = [each for each in others if each.host_id != found.choice.host]
    after = routed(task, left, terms)
    if line:
        assert after.choice == line[0]
    else:
        assert after is None or after.degraded


@given(TASKS, fleets(), TERMS)
def test_a_hint_about_a_consent_is_true(task, hosts, terms):
    found = answer(task, hosts, terms)
    if hasattr(found, "choice"):
        return
    for name in ("escalate", "degrade"):
        if f"With '{name}'" in found[1]:
            assert route(task, hosts, terms._replace(**{name: True})).choice.host in found[1]
