"""Project records: the streams that loom and griot keep beside the work."""
