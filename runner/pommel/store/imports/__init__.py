"""Results that others have published as files, as the records of runs."""
