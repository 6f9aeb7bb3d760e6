"""What a council's report says: the sections of its document, its JSON, and council-report.v1."""
