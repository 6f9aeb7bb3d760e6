"""Every ruling of the default policy, one a line: code, action, reason, an allowed way to the same end."""

from __future__ import annotations

from guildmoot.guard.decision import Decision
from guildmoot.guard.site import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.guard.decision import Action, Then

_TABLE = """
delete-system | deny | removes a part of the operating system | Remove named files or folders inside the project instead.
delete-home | deny | removes a home folder | Remove named files or folders inside the project instead.
delete-above | deny | removes a folder that holds the project | Remove named files or folders inside the project instead.
delete-project | deny | removes the whole project with its history | Remove named files or folders inside the project instead.
delete-git | deny | removes git's history, which nothing brings back | Leave .git alone; a new clone goes into a new folder.
delete-keys | deny | removes keys | Let a person remove them.
delete-outside | deny | removes a folder outside the project | Move it away (mv X X.old), or let a person remove it.
delete-file-outside | ask | removes a file outside the project | Move it away (mv X X.old), or let a person remove it.
delete-unknown | ask | removes something that cannot be told beforehand | Write the path out, or set the variable in the same command.
delete-temporary | ask | empties the temporary folder of all programs | Name your own files in it.
delete-repository | ask | removes another working tree of git, with what is not committed or pushed there | Let a person see its `git status` first; a worktree goes with `git worktree remove`.
delete-unversioned | ask | nothing could bring it back, since this is no git repository | Move it away instead (mv X X.old), or put the folder under git first.
delete-all-unversioned | deny | nothing could bring it back, since this is no git repository | Move it away instead (mv X X.old), or put the folder under git first.
delete-remote | ask | removes files on another machine or in a running container | Let a person run it there.
delete-remote-system | deny | removes a system or home folder of another machine | Name the file that has to go, and let a person run it there.
discard-all | snapshot | throws away uncommitted work of the whole tree | Commit or 'git stash' first, then nothing is lost.
discard-untracked | snapshot | removes files that git does not know | 'git clean -n' shows them; remove those that you made by name.
discard-inside | snapshot | throws away uncommitted work in some files | Commit or 'git stash' first, then nothing is lost.
discard-script | snapshot | runs a script that removes something | Commit or 'git stash' first, then nothing is lost.
overwrite | snapshot | overwrites uncommitted work in a file | Commit or 'git stash' first, then nothing is lost.
disk | deny | writes to a disk or device | Write to a file in the project instead.
permissions | deny | changes rights of the whole system or home | Name the files of the project that need it.
permissions-open | ask | opens files to everybody or lets them run as their owner | Give only the right that is needed: chmod u+x FILE.
guard-files | deny | changes what guards this session | Tell the person which change is needed; they make it.
guard-off | deny | switches the guard off | Tell the person what was refused; 'guild approvals' is where they answer.
shell-startup | deny | changes what every new shell runs | Set it for one command (NAME=value command), or in a file of the project.
git-hooks | deny | changes what git runs by itself | Put the hook into a tracked folder and let a person install it; 'pre-commit install' is allowed.
keys | deny | changes keys or who may log in | Let a person do it.
persistence | deny | starts something by itself later | Start it in this session instead.
system-files | deny | changes the operating system | Write inside the project instead.
system-config | ask | changes the settings of this machine | Let a person do it, or use the project's own environment.
git-files | ask | changes git's own files | Use git itself, for example 'git config'.
runs-later | ask | changes what other programs run or trust | Say what it is for and let a person confirm.
secrets | deny | shows keys | Names without values: cut -d= -f1 FILE; programs may read the file themselves (source FILE).
secrets-likely | ask | may show keys | Names without values: cut -d= -f1 FILE; programs may read the file themselves.
stash-clear | deny | drops every stash, and nothing brings them back | Show one with 'git stash show -p', then drop that one.
stash-drop | ask | drops a stash | 'git stash branch NAME' keeps it as a branch.
rewrite-shared | deny | overwrites or deletes branches that others use | Push to a branch of your own and open a pull request.
delete-remote-branch | ask | deletes a branch or tag for everybody | Leave it to whoever merges the pull request.
force-push | ask | rewrites a branch on the server | 'git push' without force after 'git pull --rebase'.
push-elsewhere | ask | sends the history to an address that is no configured remote | Push to a named remote such as origin.
skips-hooks | ask | skips the checks of the project | Leave the flag out and mend what the hook says.
branch-main | deny | deletes a main branch | Leave it; work on a branch of your own.
branch-loss | ask | deletes a branch that may not be merged | 'git branch -d NAME' deletes only what is merged.
branch-moved | ask | sets a branch to another commit, and what it had is named by the reflog alone | 'git branch NEW' keeps the old one under another name first.
rewrite-history | deny | rewrites the whole history | Make a new commit that undoes it: 'git revert'.
history-loss | deny | destroys commits that only git's reflog still names | 'git gc' alone keeps what is younger than two weeks.
worktree-loss | ask | removes a worktree with uncommitted work | 'git worktree remove' without --force refuses where work would be lost.
unpack-unseen | ask | brings files that nobody has looked at to where settings of an agent or start-up files lie | Unpack it into a new folder (tar -xf FILE -C NEW), look, then copy what is needed.
git-runs | ask | lets git run a program by itself | Run the program once, as its own command.
not-shell | ask | is not understood as shell | Write it as plain commands, one a line.
unknown-command | ask | runs a command that is not known beforehand | Write the command out.
unknown-program | ask | runs a program that is not known beforehand | Save it to a file, look at it, then run the file.
scope-malformed | deny | a scope is set and the call does not say in plain text what it touches | Name one file or command as text.
too-large | deny | is too large to be understood | Run it in several shorter commands.
too-deep | deny | is too deeply nested to be understood | Write the inner command out as a command of its own.
fork-bomb | deny | starts itself without end | Use a loop with a bound.
not-text | deny | is no valid text | Write the command in UTF-8 without zero bytes.
remote-code | ask | runs what an address answers, unseen | Save it to a file, look at it, then run the file.
code-runs | ask | starts a program that cannot be told from the code | Run the program as its own command.
code-text | ask | holds a dangerous command as text, and what becomes of it cannot be told | Put the text into a file, or run the command by itself.
code-sends | ask | sends data away from inline code | Send named data with curl, so that it can be seen.
send-secrets | deny | sends keys away | Nothing in a project needs this; let a person do it.
send-tree | deny | sends a whole folder or its archive away | 'git push' to a configured remote, or let a person send it.
send-file | ask | sends a file away | Say what is sent and to whom, and let a person confirm.
backdoor | deny | opens this machine to another | Nothing in a project needs this; a local server binds to 127.0.0.1.
cloud-metadata | deny | asks the cloud for this machine's keys | Nothing in a project needs this address.
local-address | ask | reads a file outside the project through the web | Use the Read tool.
publish-gone | deny | takes away a published package that others use | Deprecate it, and let a person decide.
expose | ask | makes a port of this machine public | A local server binds to 127.0.0.1; let a person open it.
repository-change | ask | changes a repository for everybody | Leave it to a person, or open a pull request.
publish | ask | publishes for everybody, which cannot be taken back | Use its dry run (--dry-run), and let a person publish.
cluster | deny | destroys a part of a cluster | 'kubectl delete RESOURCE NAME' for one thing, or --dry-run=client to see it.
cluster-one | ask | removes something from a cluster | Add --dry-run=client to see it, and let a person run it.
cloud | deny | destroys something in the cloud, which cannot be taken back | List or describe it, and let a person delete it.
cloud-change | ask | changes something in the cloud | 'plan', 'diff' or --dry-run shows it first.
infrastructure | deny | destroys infrastructure | 'plan -destroy' or 'preview' shows what would go; let a person run it.
infrastructure-change | ask | changes infrastructure without asking | Leave -auto-approve out, or show the plan first.
repository | deny | deletes or exposes a whole repository | Archive it, or let a person do it in the browser.
destroys | ask | destroys what a service keeps, which cannot be taken back | List or describe it, and let a person delete it.
containers | ask | removes volumes or everything unused, with the data in them | Name the container; volumes stay without -v and --volumes.
container-root | deny | gives a container all files of this machine | Mount the project folder alone: -v "$PWD":/work.
container-host | ask | gives a container the whole machine | Mount the project folder alone: -v "$PWD":/work.
database | deny | destroys a database or all rows of a table | Try it on a copy, in a transaction with ROLLBACK, or with a WHERE.
database-reset | deny | resets a database and loses its data | A new migration changes it without loss; a test database has a name with 'test'.
grants | ask | gives an account, a key or a right to somebody | Say who needs it and what for, and let a person give it.
foreign-source | ask | installs a package from an address that nobody vouches for | Use the registry that the project names, over https.
machine | deny | stops or changes the whole machine | Stop the one program that you started.
machine-change | ask | changes the machine beyond the project | Let a person do it, or use the project's own environment.
processes | deny | ends programs that are not yours | End the one that you started, by its number: kill PID.
processes-named | ask | ends every program of that name | End the one that you started, by its number: kill PID.
history-hide | deny | hides what was done | Leave the history as it is.
send-mail | ask | sends a message to people | Show the text and let a person send it.
money | deny | moves money or keys of a wallet | Let a person do it.
"""
_ROWS = {}
for _line in _TABLE.strip().splitlines():
    _code, _action, _reason, _instead = _line.split(" | ")
    _ROWS[_code] = (_action, _reason, _instead)


def ruling(
    code: str,
    about: str = "",
    *,
    part: str = "",
    folders: tuple[str, ...] = (),
    then: Then = "allow",
) -> Decision:
    """The decision of that name; ``about`` is the path or thing that it is about."""
    action, reason, instead = _ROWS[code]
    named: Action = action  # type: ignore[assignment]
    told_of = f"{reason} ({told(about)})" if about else reason
    return Decision(named, code, told_of, instead, part, folders=folders, then=then)
