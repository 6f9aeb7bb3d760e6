"""Rules for the machine itself: disks, services, processes, users, and the guard."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import ANY, has_marks, names
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]


def always(code: str) -> Rule:
    """A program that has one use."""

    def rule(_run: Invocation, _site: Site) -> Iterator[Decision]:
        yield ruling(code)

    return rule


def unless(code: str, *harmless: str) -> Rule:
    """A program that is harmless with one of these words."""

    def rule(run: Invocation, _site: Site) -> Iterator[Decision]:
        if not {*harmless} & {*run.words[1:]}:
            yield ruling(code)

    return rule


def when(code: str, *words: str) -> Rule:
    """A program that is dangerous with one of these words."""

    def rule(run: Invocation, _site: Site) -> Iterator[Decision]:
        if {*words} & {*run.words[1:]}:
            yield ruling(code)

    return rule


_LOOKS = (
    "list", "read", "info", "status", "version", "plist", "print", "search", "verify", "activity",
    "compare", "destinationinfo", "latest", "uniquesize", "assess",
)  # fmt: skip


def unless_it_looks(code: str) -> Rule:
    """A program of which the first word, or option, says whether it only shows something."""

    def rule(run: Invocation, _site: Site) -> Iterator[Decision]:
        words = (word.lstrip("-").lower() for word in run.words[1:])
        if not next(filter(str.isalpha, words), "").startswith(_LOOKS):
            yield ruling(code)

    return rule


def disk_tool(run: Invocation, _site: Site) -> Iterator[Decision]:
    """parted, fdisk, diskutil: looking is fine."""
    words = {word if word[:1] == "-" else word.lower() for word in run.words[1:]}
    if not words or words & {
        "-l",
        "--list",
        "list",
        "print",
        "info",
        "--version",
        "--help",
        "status",
        "-n",
    }:
        return
    yield from unless_it_looks("disk")(run, _site)


def service(run: Invocation, _site: Site) -> Iterator[Decision]:
    """systemctl, service, launchctl."""
    found = Arguments(run.words[1:])
    if found.has("--user") and not {"enable", "link"} & {*found.operands}:
        return
    second = run.name in ("service", "rc-service")
    verb = "".join(found.operands[1:2] if second else found.operands[:1])
    if {"poweroff", "reboot", "halt", "emergency", "rescue", "isolate", "kexec", "suspend"} & {
        *found.operands
    }:
        yield ruling("machine")
    elif verb in ("stop", "disable", "mask", "kill", "bootout", "unload", "remove"):
        yield ruling("machine-change")
    elif verb in ("enable", "load", "bootstrap", "submit"):
        yield ruling("runs-later")


def mount(run: Invocation, _site: Site) -> Iterator[Decision]:
    """Without a place it shows what is mounted."""
    found = Arguments(run.words[1:], ("-t", "-o", "-L", "-U", "-O"))
    if found.operands or found.has("-a", "-o", "-L", "-U", "--all"):
        yield ruling("machine-change")


def crontab(run: Invocation, _site: Site) -> Iterator[Decision]:
    """crontab: only listing is harmless."""
    if "-l" not in run.words:
        yield ruling("persistence")


def kill(run: Invocation, _site: Site) -> Iterator[Decision]:
    """kill: -1 is every process, 1 is the first, 0 the group that we live in."""
    words = run.words[1:]
    if words[:1] in (["-s"], ["-n"]):
        words = words[2:]
    elif words[:1] and words[0].startswith("-") and len(words) > 1:
        words = words[1:]
    if {"-1", "1", "0"} & {*words}:
        yield ruling("processes")


_BROAD = names(
    """node python python3 java ruby php claude codex gemini code electron chrome bash sh zsh fish tmux docker postgres
    mysqld sshd ssh systemd init cursor go deno bun npm uvicorn gunicorn nginx redis-server dotnet containerd launchd"""
)


def kill_named(run: Invocation, _site: Site) -> Iterator[Decision]:
    """pkill and killall: a broad name ends programs of others, this session's among them."""
    found = Arguments(run.words[1:], ("-u", "-U", "-s", "--signal", "-g", "-t", "-P"))
    if found.has("-l", "-0", "--list"):
        return
    if found.has("-u", "-U") and not found.operands:
        yield ruling("processes")
    for word in found.operands:
        low = word.lower().strip("^$. ")
        if low in ("", "*", ".*") or word == ANY:
            yield ruling("processes")
        elif low in _BROAD:
            yield ruling("processes-named", low)


def taskkill(run: Invocation, _site: Site) -> Iterator[Decision]:
    """taskkill /IM node.exe."""
    low = [word.lower().strip("/") for word in run.words]
    if "im" in low and any(word.removesuffix(".exe") in _BROAD for word in low):
        yield ruling("processes-named")


def history(run: Invocation, _site: Site) -> Iterator[Decision]:
    """history -c."""
    if {"-c", "-w"} & {*run.words[1:2]}:
        yield ruling("history-hide")


def firewall(run: Invocation, _site: Site) -> Iterator[Decision]:
    """iptables, ufw, nft."""
    words = {*run.words[1:]}
    if words & {"-F", "--flush", "-X", "disable", "reset", "flush", "-P"}:
        yield ruling("machine")
    elif not words & {"-L", "--list", "status", "list", "-S", "--version"}:
        yield ruling("machine-change")


def packages(run: Invocation, _site: Site) -> Iterator[Decision]:
    """apt and others: taking away what the machine needs."""
    found = Arguments(run.words[1:], ("-o", "-t"))
    verb = "".join(found.operands[:1])
    if run.name == "brew" and not any(map(has_marks, found.operands)):
        return  # one by its name is the user's own and comes back with an install
    if verb in ("remove", "purge", "autoremove", "erase", "autopurge", "uninstall") or any(
        option.startswith("-R") for option in found.options
    ):
        grave = any(
            word.startswith(("systemd", "libc6", "sudo", "linux-image", "coreutils", "openssh"))
            for word in found.operands
        )
        yield ruling("machine" if grave else "machine-change")


def guild(run: Invocation, _site: Site) -> Iterator[Decision]:
    """Our own program: the guard is not the agent's to switch off, nor its answers the agent's to give."""
    two = [word for word in run.words[1:] if not word.startswith("-")][:2]
    if two in (
        ["guard", "uninstall"],
        ["guard", "off"],
        ["approvals", "approve"],
        ["approvals", "deny"],
        ["hosts", "approve"],
    ):
        yield ruling("guard-off")


def agent(run: Invocation, _site: Site) -> Iterator[Decision]:
    """Another coding agent without any guard."""
    loose = (
        "--dangerously-skip-permissions",
        "--yolo",
        "--bare",
        "--safe-mode",
        "--dangerously-bypass-approvals-and-sandbox",
    )
    other = any(word.startswith(("--settings", "--setting-sources")) for word in run.words)
    off = any("disableAllHooks" in word or "features.hooks" in word for word in run.words)
    loosened = any(word in loose for word in run.words) or "danger-full-access" in run.words
    if loosened or other or off:
        yield ruling("guard-off")


def zfs(run: Invocation, _site: Site) -> Iterator[Decision]:
    """zfs, zpool, lvm, btrfs."""
    if {"destroy", "rollback", "labelclear"} & {*run.words[1:3]} or run.words[1:3] == [
        "subvolume",
        "delete",
    ]:
        yield ruling("disk")


def tar(run: Invocation, site: Site) -> Iterator[Decision]:
    """tar: unpacking over the system, or running a program at a checkpoint."""
    found = Arguments(run.words[1:], ("-C", "-f", "--directory", "--file"))
    if any(
        word.startswith(("--checkpoint-action=exec", "--to-command", "-I")) and "=" in word
        for word in run.words
    ):
        yield ruling("unknown-program")
    folder = found.options.get("-C") or found.options.get("--directory")
    if folder and "x" in "".join(run.words[1:2]) and kind_of(folder, run.cwd, site) == "system":
        yield ruling("system-files", folder)


def wallet(run: Invocation, _site: Site) -> Iterator[Decision]:
    """Command-line wallets."""
    if {"transfer", "send", "sendtoaddress", "withdraw", "export", "dumpprivkey"} & {
        *run.words[1:4]
    }:
        yield ruling("money")


_PARTED = names("fdisk parted sgdisk gdisk cfdisk sfdisk diskutil cryptsetup mdadm")
RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(names("wipefs blkdiscard hdparm lvremove vgremove pvremove lvreduce vgreduce lvresize pvmove dmsetup mkswap nvme fsck.ext4 e2fsck badblocks"), (disk_tool,)),
    **dict.fromkeys(_PARTED, (disk_tool,)), **dict.fromkeys(names("zfs zpool btrfs"), (zfs,)), "tar": (tar,), "bsdtar": (tar,),
    **dict.fromkeys(names("shutdown reboot halt poweroff"), (unless("machine", "--help", "-c"),)),
    "init": (when("machine", "0", "6", "1"),), "telinit": (always("machine"),), "sysctl": (when("machine-change", "-w"),),
    **dict.fromkeys(names("systemctl service launchctl rc-service"), (service,)), "crontab": (crontab,),
    "kill": (kill,), "pkill": (kill_named,), "killall": (kill_named,), "history": (history,), "taskkill": (taskkill,), "taskkill.exe": (taskkill,),
    **dict.fromkeys(names("iptables ip6tables ufw nft firewall-cmd pfctl"), (firewall,)),
    **dict.fromkeys(names("useradd usermod userdel passwd chpasswd chsh visudo adduser deluser groupadd"), (always("machine-change"),)),
    **dict.fromkeys(names("dscl tmutil"), (unless_it_looks("machine-change"),)), "spctl": (unless_it_looks("machine"),),
    **dict.fromkeys(names("setenforce csrutil nvram bcdedit"), (always("machine"),)),
    "mount": (mount,), **dict.fromkeys(names("modprobe rmmod insmod umount chattr swapoff"), (unless("machine-change", "-l", "--help"),)),
    **dict.fromkeys(names("apt apt-get dnf yum pacman zypper apk snap flatpak winget choco scoop brew"), (packages,)), "guild": (guild,),
    **dict.fromkeys(names("claude codex gemini"), (agent,)), "defaults": (when("machine-change", "write", "delete"),),
    **dict.fromkeys(names("bitcoin-cli solana eth cast gcash near"), (wallet,)),
}  # fmt: skip
