"""The values that everything speaks in: packet, agent, call, reply, judgement, finding, verdict, report.

Import them from their modules; importing this package costs nothing.
"""
