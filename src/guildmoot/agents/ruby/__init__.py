"""Names of Ruby, where a bare word may be a local or a method: judged by the words of the whole repository."""
