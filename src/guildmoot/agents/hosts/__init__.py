"""Which machine an agent runs on: what each host says it can do, and the choice among them.

``manifest`` reads and checks one ``guild.host_capability.v1`` text, ``folder`` finds those of a
project, ``tasks`` holds what is asked and
answered, ``routing`` chooses. Nothing here calls a host; that is left to whoever dispatches.
"""

from guildmoot.agents.hosts.folder import Fleet, RefusedManifest, load_hosts
from guildmoot.agents.hosts.manifest import Host, TierModel, read_manifest
from guildmoot.agents.hosts.routing import route
from guildmoot.agents.hosts.tasks import (
    HostOption,
    HostTask,
    Rejection,
    Route,
    RouteError,
    RoutingTerms,
)

__all__ = [
    "Fleet",
    "Host",
    "HostOption",
    "HostTask",
    "RefusedManifest",
    "Rejection",
    "Route",
    "RouteError",
    "RoutingTerms",
    "TierModel",
    "load_hosts",
    "read_manifest",
    "route",
]
