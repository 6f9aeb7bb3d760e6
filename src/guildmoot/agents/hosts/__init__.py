"""Which machine an agent runs on: what each host says it can do, and the choice among them.

``manifest`` reads and checks one ``guild.host_capability.v1`` text, ``folder`` finds those of a
project, ``tasks`` holds what is asked and answered, ``routing`` chooses. Nothing here calls a host;
that is left to whoever dispatches.
"""
