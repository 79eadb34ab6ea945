"""The trials of a study: what is planned, run and recorded."""
